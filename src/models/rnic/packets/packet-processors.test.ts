import { describe, expect, it } from 'vitest';
import { PacketProcessors } from './packet-processors.js';

const SERVICE_PS = 60_000;

/** One packet each way every `gapPs`: how long the last received one waited. */
function lastWaitPs(processors: PacketProcessors, sender: number, receiver: number, gapPs: number): number {
  let wait = 0;
  for (let now = 0; now < 1000 * gapPs; now += gapPs) {
    if (sender >= 0) processors.transmit(sender, now, now);
    wait = processors.receive(receiver, now) - now;
  }
  return wait;
}

describe('shared packet processors', () => {
  it('carry one direction, or two on different ones', () => {
    expect(lastWaitPs(new PacketProcessors(2, 60), -1, 0, 88_000)).toBe(SERVICE_PS);
    expect(lastWaitPs(new PacketProcessors(2, 60), 1, 0, 88_000)).toBe(SERVICE_PS);
  });

  it('fall behind with what they receive when one has both directions', () => {
    // 120 ns of work every 88 ns: 32 ns more each time.
    expect(lastWaitPs(new PacketProcessors(2, 60), 0, 0, 88_000)).toBeGreaterThan(900 * 32_000);
  });

  it('send first: what is received never makes a packet to be sent wait', () => {
    const processors = new PacketProcessors(1, 60);
    for (let packet = 0; packet < 100; packet++) processors.receive(0, 0);
    expect(processors.transmit(0, 0, 0)).toBe(0);
    expect(processors.transmit(0, 0, 0)).toBe(SERVICE_PS);
  });

  it('have their shares of the queue pairs', () => {
    const processors = new PacketProcessors(2, 60);
    const first = Array.from({ length: 1000 }, (_, index) => processors.processorOf(index)).filter(
      (processor) => processor === 0,
    ).length;
    expect(first).toBeGreaterThan(450);
    expect(first).toBeLessThan(550);
  });

  it('are shared evenly by few queue pairs that are made one after the other, too', () => {
    for (const count of [2, 3, 4]) {
      for (let node = 0; node < 8; node++) {
        const processors = new PacketProcessors(count, 60, node);
        for (let first = 0; first < 4 * count; first += count) {
          const taken = Array.from({ length: count }, (_, index) => processors.processorOf(first + index));
          expect(new Set(taken).size).toBe(count);
        }
      }
    }
  });

  it('of two devices share out the same queue pairs differently: some meet on one device and not on the other', () => {
    const [left, right] = [0, 1].map((node) => new PacketProcessors(2, 60, node));
    const meet = (processors: PacketProcessors, index: number) =>
      processors.processorOf(index) === processors.processorOf(index + 1);
    const differing = Array.from({ length: 1000 }, (_, index) => index).filter(
      (index) => meet(left, index) !== meet(right, index),
    ).length;
    expect(differing).toBeGreaterThan(100);
  });
});
