import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Checker } from '../../../engine/checker.js';
import { WireTimes } from '../core/events/rounding.js';
import { Lanes } from '../core/ports/lanes.js';
import { Ports } from '../core/ports/ports.js';
import { PortPlan } from '../topology/port-plan.js';
import { CheckedPolicy } from './checked-policy.js';
import { Ns3Buffer, type Ns3BufferOptions } from './ns3-buffer.js';

const HOSTS = 3;
const DATA = 3;

function portsOf(delayNs: number, upBps = 100e9): Ports {
  const plan = new PortPlan({
    nodes: HOSTS + 1,
    isSwitch: Uint8Array.of(0, 0, 0, 1),
    links: [0, 1, 2].map((from) => ({ from, to: 3, rateBps: from === 2 ? upBps : 100e9, delayNs })),
  });
  return new Ports(plan, new WireTimes(plan.rateBps, 64, 'ns3'), new Lanes([DATA]));
}

const options: Ns3BufferOptions = {
  bufferBytes: 200_000,
  nicBps: 100e9,
  reserveBytes: 4096,
  resumeOffsetBytes: 3072,
  shareShift: 3,
  headroomDelays: 3,
};

/** One class: lane 1 of two. */
const queue = (host: number) => (HOSTS + host) * 2 + 1;

describe('the shared buffer of ns-3', () => {
  it('without flow control drops at the threshold, has no headroom and never pauses', () => {
    const buffer = new Ns3Buffer(portsOf(1000), HOSTS + 1, { ...options, lossless: false });
    const free = 200_000 - 3 * 4096;
    let held = 0;
    while (buffer.admit(queue(0), queue(1), 1048)) {
      held += 1048;
      expect(buffer.pauses(queue(0))).toBe(false);
    }
    // A queue may have its reserve and an eighth of what is then free: over = (free - over) / 8.
    expect(held - 4096).toBeLessThanOrEqual(free / 9);
    expect(held + 1048 - 4096).toBeGreaterThan(free / 9);
    expect(buffer.headroomLeft(queue(0))).toBe(0);
  });

  it('pauses at the threshold, takes what comes after into the headroom, and drops when that is full', () => {
    const buffer = new Ns3Buffer(portsOf(1000), HOSTS + 1, options);
    // 100 Gb/s and 1 us: 12,500 bytes, three times.
    expect(buffer.headroomLeft(queue(0))).toBe(37_500);
    const free = 200_000 - 3 * (37_500 + 4096);
    const threshold = (shared: number) => (free - shared) >> 3;
    let shared = 0;
    let packets = 0;
    while (true) {
      expect(buffer.admit(queue(0), queue(1), 1048)).toBe(true);
      packets++;
      const over = Math.max(0, packets * 1048 - 4096);
      if (over > threshold(shared)) break;
      shared = over;
      expect(buffer.pauses(queue(0))).toBe(over >= threshold(shared));
    }
    // This one went into the headroom.
    expect(buffer.headroomLeft(queue(0))).toBe(37_500 - 1048);
    buffer.pauses(queue(0));
    expect(buffer.pausedQueues()).toBe(1);
    let inHeadroom = 1;
    while (buffer.admit(queue(0), queue(1), 1048)) inHeadroom++;
    expect(inHeadroom).toBe(Math.floor(37_500 / 1048));
    // Headroom is given back first; the resume comes once the rest is well below the threshold.
    for (let left = inHeadroom; left > 0; left--) {
      expect(buffer.resumes(queue(0))).toBe(-1);
      buffer.release(queue(0), queue(1), 1048);
    }
    expect(buffer.headroomLeft(queue(0))).toBe(37_500);
    let held = packets - 1;
    while (buffer.resumes(queue(0)) < 0) {
      buffer.release(queue(0), queue(1), 1048);
      held--;
    }
    expect(held).toBeGreaterThan(0);
    const over = Math.max(0, held * 1048 - 4096);
    expect(over + 3072).toBeLessThanOrEqual(threshold(over));
    expect(over + 1048 + 3072).toBeGreaterThan(threshold(over + 1048));
    while (held-- > 0) buffer.release(queue(0), queue(1), 1048);
    expect([buffer.heldBytes(), buffer.pausedQueues()]).toEqual([0, 0]);
  });

  it('gives ports that are faster than NICs a larger share', () => {
    const pausedAt = (upBps: number) => {
      const buffer = new Ns3Buffer(portsOf(100, upBps), HOSTS + 1, { ...options, bufferBytes: 1_000_000 });
      let bytes = 0;
      do {
        buffer.admit(queue(2), queue(0), 1048);
        bytes += 1048;
      } while (!buffer.pauses(queue(2)));
      return bytes;
    };
    // Half, a quarter and an eighth of what is free: x = (free - x) / 2^shift.
    const free = (upBps: number) => 1_000_000 - 3 * 4096 - 2 * 3750 - 3 * Math.floor((upBps * 100) / 8e9);
    for (const [upBps, shift] of [
      [400e9, 1],
      [200e9, 2],
      [100e9, 3],
    ])
      expect(Math.abs(pausedAt(upBps) - 4096 - free(upBps) / (2 ** shift + 1))).toBeLessThan(1100);
  });

  it('has a huge threshold if the headrooms are larger than the buffer, as in ns-3', () => {
    const buffer = new Ns3Buffer(portsOf(1000), HOSTS + 1, { ...options, bufferBytes: 100_000 });
    for (let packet = 0; packet < 1000; packet++) {
      expect(buffer.admit(queue(0), queue(1), 1048)).toBe(true);
      expect(buffer.pauses(queue(0))).toBe(false);
    }
  });

  it('keeps its books whatever comes', () => {
    const step = fc.record({
      host: fc.nat(2),
      bytes: fc.integer({ min: 60, max: 4158 }),
      releases: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const checker = new Checker();
        const ports = portsOf(300);
        const buffer = new CheckedPolicy(new Ns3Buffer(ports, HOSTS + 1, options), ports, checker);
        const held: [number, number][] = [];
        const release = () => {
          const [from, bytes] = held.shift()!;
          buffer.release(from, queue(0), bytes);
          while (buffer.resumes(from) >= 0);
        };
        for (const { host, bytes, releases } of steps) {
          if (!buffer.passes(queue(host), bytes) || held.length > 0) {
            if (buffer.admit(queue(host), queue(0), bytes)) held.push([queue(host), bytes]);
            buffer.pauses(queue(host));
          }
          for (let each = 0; each < releases && held.length > 0; each++) release();
        }
        while (held.length > 0) release();
        expect([buffer.heldBytes(), buffer.pausedQueues()]).toEqual([0, 0]);
      }),
      { numRuns: 200 },
    );
  });
});
