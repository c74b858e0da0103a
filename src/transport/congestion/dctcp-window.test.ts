import { describe, expect, it } from 'vitest';
import { DctcpWindow } from './dctcp-window.js';

const PARAMETERS = { gain: 1 / 16, windowPackets: 100, additivePackets: 1 };

/** Sends and acknowledges round trips of a whole window each, of which a share arrives marked. */
function rounds(control: DctcpWindow, count: number, share: number): void {
  for (let round = 0; round < count; round++) {
    const packets = control.windowPackets;
    for (let index = 0; index < packets; index++) control.onSend();
    control.onAck(packets, 0, Math.round(share * packets));
  }
}

describe('DCTCP as a window', () => {
  it('stays wide open without marks, and paces nothing', () => {
    const control = new DctcpWindow(PARAMETERS);
    rounds(control, 50, 0);
    expect(control.windowPackets).toBe(100);
    expect(control.nextSendPs).toBe(0);
  });

  it('halves at the first mark, since alpha begins at 1', () => {
    const control = new DctcpWindow(PARAMETERS);
    rounds(control, 1, 0.01);
    expect(control.windowPackets).toBeGreaterThanOrEqual(50);
    expect(control.windowPackets).toBeLessThanOrEqual(54);
  });

  it('learns the share of marks', () => {
    const control = new DctcpWindow(PARAMETERS);
    rounds(control, 400, 0.25);
    expect(control.alpha).toBeGreaterThan(0.15);
    expect(control.alpha).toBeLessThan(0.5);
  });

  it('grows by a packet per round trip when marks have ended, up to where it began', () => {
    const control = new DctcpWindow(PARAMETERS);
    rounds(control, 40, 1);
    const narrow = control.windowPackets;
    expect(narrow).toBeLessThanOrEqual(2);
    rounds(control, 40, 0);
    expect(control.windowPackets).toBeGreaterThan(narrow + 30);
    expect(control.windowPackets).toBeLessThanOrEqual(narrow + 41);
    rounds(control, 200, 0);
    expect(control.windowPackets).toBe(100);
  });

  it('counts marks alike whether packets are acknowledged one by one or together', () => {
    const [together, alone] = [new DctcpWindow(PARAMETERS), new DctcpWindow(PARAMETERS)];
    for (let round = 0; round < 60; round++) {
      for (let index = 0; index < 16; index++) {
        together.onSend();
        alone.onSend();
      }
      together.onAck(16, 0, 4);
      for (let index = 0; index < 16; index++) alone.onAck(1, 0, index < 4 ? 1 : 0);
    }
    expect(together.alpha).toBe(alone.alpha);
    expect(together.windowPackets).toBe(alone.windowPackets);
  });

  it('never closes, and survives more acknowledgements than sends (READs)', () => {
    const control = new DctcpWindow(PARAMETERS);
    control.onAck(1000, 0, 1000);
    expect(control.windowPackets).toBeGreaterThanOrEqual(1);
  });
});
