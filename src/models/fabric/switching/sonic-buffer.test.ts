import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changed, referenceRun } from '../testing/runs.js';
import { Checker } from '../../../engine/checker.js';
import { Fabric } from '../core/fabric.js';
import { checkSettled } from '../core/settle.js';
import { star } from '../topology/clos.js';
import { CheckedPolicy } from './checked-policy.js';
import { HEADROOM_DEFAULTS, headroomOf } from './headroom.js';
import { AZURE_LISTING, SonicBuffer } from './sonic-buffer.js';

const FRAME = 1040;
/** Lanes of a switch alone: control, class 3 (lossless), class 1 (lossy). */
const CLASSES = [0, 3, 1];
const LOSSLESS = 1;
const LOSSY = 2;

function portsOf(count: number) {
  return {
    count,
    queueShift: 2,
    hostPorts: 0,
    node: new Int32Array(count),
    rateBps: new Float64Array(count).fill(40e9),
    delayNs: new Int32Array(count).fill(100),
  };
}

function made(count: number, changes: Partial<typeof AZURE_LISTING> = {}): SonicBuffer {
  return new SonicBuffer(portsOf(count), 1, CLASSES, { ...AZURE_LISTING, ...changes });
}

const queue = (port: number, lane: number) => (port << 2) | lane;

describe('the listing of appendix A', () => {
  it.each([1, 2, 4, 8, 16, 32, 64])('%i lossless queues pause where the formula says, to a frame', (n) => {
    const buffer = made(64);
    const points = new Float64Array(n);
    let left = n;
    for (let round = 0; left > 0; round++)
      for (let port = 0; port < n; port++) {
        if (points[port] > 0) continue;
        expect(buffer.admit(queue(port, LOSSLESS), queue(63, LOSSLESS), FRAME)).toBe(true);
        if (buffer.pauses(queue(port, LOSSLESS))) {
          points[port] = round * FRAME;
          left--;
        }
      }
    // 64 ports keep 1,248 bytes each.
    const expected = (18e6 - 64 * 1248 + 1248 * n) / (8 + n);
    for (const point of points) expect(Math.abs(point - expected)).toBeLessThanOrEqual(FRAME);
  });

  it.each([1, 2, 4, 8, 16, 32, 64])('%i lossy queues lose where the formula says, to a frame', (n) => {
    const buffer = made(64);
    const points = new Float64Array(n);
    let left = n;
    for (let round = 0; left > 0; round++)
      for (let port = 0; port < n; port++) {
        if (points[port] > 0 || buffer.admit(queue(0, LOSSY), queue(port, LOSSY), FRAME)) continue;
        points[port] = round * FRAME;
        left--;
      }
    for (const point of points) expect(Math.abs(point - 14e6 / (2 + n))).toBeLessThanOrEqual(FRAME);
  });

  it('lossy packets lower the pause point of lossless ones, and never take their headroom', () => {
    const buffer = made(64, { lossy: { sizeBytes: 1664, alpha: 2 ** 20 } });
    let held = 0;
    while (buffer.admit(queue(1, LOSSY), queue(2, LOSSY), FRAME)) held += FRAME;
    expect(Math.abs(held - 14e6)).toBeLessThanOrEqual(FRAME);
    let own = 0;
    for (; !buffer.pauses(queue(0, LOSSLESS)); own += FRAME)
      expect(buffer.admit(queue(0, LOSSLESS), queue(2, LOSSLESS), FRAME)).toBe(true);
    expect(Math.abs(own - (4e6 - 64 * 1248 + 1248) / 9)).toBeLessThanOrEqual(2 * FRAME);
    expect(buffer.headroomLeft(queue(0, LOSSLESS))).toBeGreaterThan(96_928 - 2 * FRAME);
  });

  it('lossy packets with a pool of their own leave the pause point alone', () => {
    const buffer = made(64, { lossyApart: true });
    const before = buffer.threshold(queue(0, LOSSLESS));
    while (buffer.admit(queue(1, LOSSY), queue(2, LOSSY), FRAME));
    expect(buffer.threshold(queue(0, LOSSLESS))).toBe(before);
    buffer.release(queue(1, LOSSY), queue(2, LOSSY), FRAME);
    expect(buffer.threshold(queue(0, LOSSLESS))).toBe(before);
  });

  it('61 queues can fill their headroom; the 62nd is the first that can lose', () => {
    const buffer = made(64, { ingressPoolBytes: 64 * 1248, bufferBytes: 24e6 });
    let full = 0;
    for (let port = 0; port < 64; port++) {
      let taken = 0;
      while (buffer.admit(queue(port, LOSSLESS), queue(63, LOSSLESS), 208)) taken += 208;
      const headroom = taken - 1248;
      expect(headroom).toBeLessThanOrEqual(96_928);
      if (headroom === 96_928) full++;
    }
    expect(full).toBe(61);
  });

  it('resumes a queue when others drain, though nothing of its own moves', () => {
    const buffer = made(4, { cellBytes: 0 });
    while (!buffer.pauses(queue(0, LOSSLESS))) buffer.admit(queue(0, LOSSLESS), queue(3, LOSSLESS), FRAME);
    let other = 0;
    while (!buffer.pauses(queue(1, LOSSLESS))) {
      buffer.admit(queue(1, LOSSLESS), queue(3, LOSSLESS), FRAME);
      other++;
    }
    // Its headroom is empty again, but its threshold has fallen: it stays paused until the other leaves.
    for (let frame = 0; frame < 6; frame++) buffer.release(queue(0, LOSSLESS), queue(3, LOSSLESS), FRAME);
    expect(buffer.resumes(queue(0, LOSSLESS))).toBe(-1);
    const resumed: number[] = [];
    for (; other > 0 && resumed.length < 2; other--) {
      buffer.release(queue(1, LOSSLESS), queue(3, LOSSLESS), FRAME);
      for (
        let each = buffer.resumes(queue(1, LOSSLESS));
        each >= 0;
        each = buffer.resumes(queue(1, LOSSLESS))
      )
        resumed.push(each);
    }
    expect(resumed.sort()).toEqual([queue(0, LOSSLESS), queue(1, LOSSLESS)]);
  });

  it('keeps its books in any order of packets', () => {
    const packet = fc.record({
      ingress: fc.nat(3),
      egress: fc.nat(3),
      lane: fc.constantFrom(LOSSLESS, LOSSY),
      bytes: fc.integer({ min: 60, max: 9000 }),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(packet, fc.constant(null)), { maxLength: 400 }), (steps) => {
        const checker = new Checker();
        const small = {
          bufferBytes: 200_000,
          ingressPoolBytes: 120_000,
          headroomPoolBytes: 60_000,
          egressLossyPoolBytes: 80_000,
          lossless: { ...AZURE_LISTING.lossless, xoffBytes: 20_000 },
        };
        const buffer = made(4, small);
        const checked = new CheckedPolicy(buffer, { count: 4, queueShift: 2 }, checker);
        const inside: [number, number, number][] = [];
        const resume = (queueNumber: number) => {
          while (checked.resumes(queueNumber) >= 0);
        };
        for (const step of steps) {
          if (step !== null) {
            const [from, to] = [queue(step.ingress, step.lane), queue(step.egress, step.lane)];
            if (checked.admit(from, to, step.bytes)) inside.push([from, to, step.bytes]);
            checked.pauses(from);
          } else if (inside.length > 0) {
            const [from, to, bytes] = inside.shift()!;
            checked.release(from, to, bytes);
            resume(from);
          }
        }
        for (const [from, to, bytes] of inside) {
          checked.release(from, to, bytes);
          resume(from);
        }
        expect([checked.heldBytes(), checked.pausedQueues()]).toEqual([0, 0]);
      }),
    );
  });
});

describe('a fabric with SONiC buffers', () => {
  const topology = star({ hosts: 9, host: { gbps: 40, delayNs: 500 } });
  const flow = (source: number, trafficClass: number) => ({
    source,
    target: 0,
    bytes: 3_000_000,
    startNs: 0,
    trafficClass,
    dport: 100,
  });
  const run = (classes: readonly number[]) => {
    const checker = new Checker();
    const flows = Array.from({ length: 8 }, (_, index) => flow(index + 1, classes[index % classes.length]));
    const { spec } = changed(referenceRun('f2-dcqcn'), {
      topology,
      flows,
      rng: 'own',
      control: { kind: 'none', minRateBps: 1e9, window: 'none' },
      buffer: { kind: 'sonic', ...AZURE_LISTING },
      checker,
    });
    const recovery = { kind: 'go-back-n', timeoutNs: 2_000_000 } as const;
    const fabric = new Fabric({ ...spec, nic: { ...spec.nic, recovery, ackPauseClass: 3 } });
    fabric.run(1e9);
    checkSettled(fabric, checker);
    return fabric;
  };

  it('pauses lossless classes and loses nothing', () => {
    const { totals, finished } = run([3, 4]);
    expect([finished.length, totals.drops]).toEqual([8, 0]);
    expect(totals.pauseFrames).toBeGreaterThan(7);
  });

  it('drops of lossy classes alone, and pauses none of them', () => {
    const lossy = run([1]);
    expect(lossy.finished.length).toBe(8);
    expect(lossy.totals.drops).toBeGreaterThan(0);
    expect(lossy.totals.pauseFrames).toBe(0);
  });
});

describe('the headroom of a port', () => {
  const xoff = (gbps: number, metres: number, cellBytes = 144) =>
    headroomOf({ ...HEADROOM_DEFAULTS, gbps, metres, cellBytes })!;

  it('is what SONiC computes: peer response, cable, cells', () => {
    expect(xoff(100, 5).peerBytes).toBe(25_216);
    expect(Math.round(xoff(100, 5).cableBytes)).toBe(631);
    // 80 km: 4.04 and 10.1 MB on the cable.
    expect(xoff(40, 80_000).cableBytes / 1e6).toBeCloseTo(4.04, 2);
    expect(xoff(100, 80_000).cableBytes / 1e6).toBeCloseTo(10.1, 2);
    // (9,100 + 15,151.5 + 819.2 + 7,552) * 2.25 + 1,024, up to the next KiB.
    expect(xoff(40, 300).xoffBytes).toBe(73 * 1024);
    expect(xoff(40, 300, 100).cellFactor).toBeCloseTo(200 / 101, 6);
    expect(headroomOf({ ...HEADROOM_DEFAULTS, gbps: 33, metres: 1 })).toBe(null);
  });

  it('rises with length and speed', () => {
    expect(xoff(400, 300).xoffBytes).toBeGreaterThan(xoff(100, 300).xoffBytes);
    expect(xoff(100, 20_000).xoffBytes).toBeGreaterThan(xoff(100, 300).xoffBytes);
  });
});
