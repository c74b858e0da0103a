import { describe, expect, it } from 'vitest';
import { noCongestionControl } from './none.js';
import { SlowStart } from './slow-start.js';

const US = 1_000_000;
const PARAMETERS = { startGbps: 10, lineGbps: 40, doublePs: 5 * US, idlePs: US };

describe('a queue pair that begins slowly', () => {
  it('doubles its rate until it is that of the port, and nothing holds it then', () => {
    const control = new SlowStart(noCongestionControl, PARAMETERS);
    const rates: number[] = [];
    let nowPs = 0;
    for (let packet = 0; packet < 15; packet++) {
      control.onSend(1250, nowPs, true);
      rates.push(10_000_000 / (control.nextSendPs - nowPs));
      nowPs = Math.max(control.nextSendPs, nowPs + 250_000);
    }
    // 10,000 bits take a microsecond at 10 Gb/s: five packets, then ten at 20 Gb/s.
    expect(rates.slice(0, 5)).toEqual([10, 10, 10, 10, 10]);
    expect(rates.slice(5)).toEqual(new Array(10).fill(20));
    expect(nowPs).toBe(10 * US);
    control.onSend(1250, nowPs, true);
    expect(control.nextSendPs).toBe(nowPs);
  });

  it('begins again after a pause, and not after being held back', () => {
    const control = new SlowStart(noCongestionControl, PARAMETERS);
    control.onSend(1250, 0, true);
    control.onSend(1250, 10 * US + US / 2, true);
    expect(control.nextSendPs).toBe(10 * US + US / 2 + US);
    // So slow that a packet takes longer than what counts as a pause.
    const slower = new SlowStart(noCongestionControl, { ...PARAMETERS, startGbps: 1 });
    slower.onSend(1250, 0, true);
    expect(slower.nextSendPs).toBe(10 * US);
    slower.onSend(1250, 10 * US, true);
    expect(slower.nextSendPs).toBe(10 * US + 2.5 * US);
  });

  it('leaves what controlled it before in force', () => {
    const inner = { ...noCongestionControl, nextSendPs: 77 * US };
    const control = new SlowStart(inner, PARAMETERS);
    control.onSend(1250, 0, true);
    expect(control.nextSendPs).toBe(77 * US);
    expect(control.inner).toBe(inner);
  });
});
