import { describe, expect, it } from 'vitest';
import { changed, referenceRun } from '../testing/runs.js';
import { Checker } from '../../../engine/checker.js';
import { dcqcnNicDefaults } from '../../../transport/congestion/rates/nic-dcqcn-parameters.js';
import { Fabric } from '../core/fabric.js';
import { checkSettled } from '../core/settle.js';
import { presetControl } from '../ns3/presets.js';
import { star } from '../topology/clos.js';
import { type Generation, notifyNsOf, PUBLISHED_DCQCN, reactionOf } from './generations.js';

const topology = star({ hosts: 5, host: { gbps: 40, delayNs: 500 } });
const terms = { nicBps: 40e9, payloadBytes: 1000 };
const flows = [1, 2, 3, 4].map((source) => ({
  source,
  target: 0,
  bytes: 10_000_000,
  startNs: 0,
  trafficClass: 3,
  dport: 100,
}));

function run(control: 'dcqcn' | 'swift', sender: Generation, receiver: Generation): Fabric {
  const checker = new Checker();
  const { spec } = changed(referenceRun('f2-dcqcn'), {
    topology,
    flows,
    rng: 'own',
    marking: new Map([[40e9, { minBytes: 20_000, maxBytes: 200_000, probability: 0.1 }]]),
    control: reactionOf(control === 'dcqcn' ? PUBLISHED_DCQCN : presetControl(control, terms), sender),
    checker,
  });
  const fabric = new Fabric({ ...spec, nic: { ...spec.nic, notifyNs: notifyNsOf(receiver) } });
  fabric.run(1e9);
  checkSettled(fabric, checker);
  expect(fabric.finished.length).toBe(4);
  return fabric;
}

const lastNs = (fabric: Fabric) => Math.max(...fabric.flows.endNs);

describe('generations of NICs', () => {
  it('report every mark, or one per flow and interval', () => {
    const { markedPackets, notifications } = run('dcqcn', 'gen2', 'gen2').totals;
    expect(markedPackets).toBeGreaterThan(300);
    expect(notifications).toBe(markedPackets);
    const fixed = run('dcqcn', 'gen2', 'gen2-fixed');
    expect(fixed.totals.notifications).toBeLessThan(fixed.totals.markedPackets);
    expect(fixed.totals.notifications).toBeLessThanOrEqual(4 * (lastNs(fixed) / 50_000 + 1));
  });

  it.each(['gen2', 'gen3'] as const)(
    'a receiver of %s reports every mark, and with the fix one per interval',
    (name) => {
      const shipped = run('dcqcn', 'gen1', name).totals;
      expect(shipped.markedPackets).toBeGreaterThan(50);
      expect(shipped.notifications).toBe(shipped.markedPackets);
      const fixed = run('dcqcn', 'gen1', `${name}-fixed`);
      expect(fixed.totals.notifications).toBeLessThanOrEqual(4 * (lastNs(fixed) / 50_000 + 1));
    },
  );

  it("Gen3 reacts with mlx5's constants, in the windows of Gen2", () => {
    const { cutIntervalNs, ...constants } = dcqcnNicDefaults();
    const of = (generation: Generation) => reactionOf(PUBLISHED_DCQCN, generation);
    expect(of('gen3')).toEqual({ kind: 'dcqcn-nic', ...constants, cutIntervalNs: 50_000 });
    expect(of('gen3-fixed')).toEqual({ kind: 'dcqcn-nic', ...constants, cutIntervalNs: 4000 });
    expect(cutIntervalNs).toBe(4000);
    // The register set itself may be named as the control: each generation then has its window alone.
    const nic = { kind: 'dcqcn-nic', ...constants, cutIntervalNs } as const;
    expect(reactionOf(nic, 'gen1')).toEqual({ ...nic, cutIntervalNs: 0 });
    const swift = presetControl('swift', terms);
    expect(reactionOf(swift, 'gen3')).toBe(swift);
  });

  it('Gen3 talks to Gen1 as to its like, and Gen1 to Gen3 once that is fixed', () => {
    const shipped = lastNs(run('dcqcn', 'gen3', 'gen3'));
    const toGen1 = lastNs(run('dcqcn', 'gen3', 'gen1'));
    // Coalescing at both ends leaves no fewer cuts than one per window of the sender, and none that comes earlier.
    expect(toGen1 / shipped).toBeLessThan(1.02);
    expect(toGen1 / shipped).toBeGreaterThan(0.85);
    // A Gen1 sender cuts at every mark that a Gen3 receiver reports; the fix ends that.
    const mixed = lastNs(run('dcqcn', 'gen1', 'gen3'));
    const fixed = lastNs(run('dcqcn', 'gen1', 'gen3-fixed'));
    expect(mixed / fixed).toBeGreaterThan(1.2);
  });

  it('a Gen1 sender that is told of every mark is far slower, and as fast again with the fix', () => {
    const own = lastNs(run('dcqcn', 'gen1', 'gen1'));
    const mixed = lastNs(run('dcqcn', 'gen1', 'gen2'));
    const fixed = lastNs(run('dcqcn', 'gen1', 'gen2-fixed'));
    expect(mixed / own).toBeGreaterThan(1.2);
    expect(fixed / own).toBeCloseTo(1, 2);
    // Both coalesce once per window, at one end or the other.
    expect(lastNs(run('dcqcn', 'gen2', 'gen2')) / own).toBeCloseTo(1, 1);
  });
});

describe('Swift', () => {
  it('shares a port with short queues and without a pause', () => {
    const fabric = run('swift', 'gen1', 'gen2');
    expect([fabric.totals.pauseFrames, fabric.totals.drops]).toEqual([0, 0]);
    // 40 MB at 40 Gb/s.
    expect(lastNs(fabric) / ((40_000 * 1048 * 8) / 40)).toBeLessThan(1.3);
  });
});
