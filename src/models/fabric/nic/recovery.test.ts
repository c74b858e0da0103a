import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changed, referenceRun } from '../testing/runs.js';
import { Checker } from '../../../engine/checker.js';
import { Fabric } from '../core/fabric.js';
import type { FabricSpec } from '../core/fabric-spec.js';
import { checkSettled } from '../core/settle.js';
import { leafSpine } from '../topology/clos.js';
import { IRN, type RecoveryOptions } from './recovery-options.js';

// Goal: whatever links lose, every flow ends, every byte arrives once, and nothing is left over.

const BACK: RecoveryOptions = { kind: 'go-back-n', timeoutNs: 300_000 };
const cable = { gbps: 100, delayNs: 1000 };
const topology = leafSpine({ leaves: 2, spines: 2, hostsPerLeaf: 3, host: cable, fabric: cable });

function run(recovery: RecoveryOptions, changes: Partial<FabricSpec>, name = 'f2-dctcp') {
  const checker = new Checker();
  const { spec } = referenceRun(name);
  const fabric = new Fabric({
    ...changed(referenceRun(name), { topology, rng: 'own', ...changes }).spec,
    nic: { ...spec.nic, forgetsDone: false, recovery },
    checker,
  });
  fabric.run(1e10);
  checkSettled(fabric, checker);
  return fabric;
}

const flow = (source: number, target: number, bytes: number, startNs = 0) => ({
  source,
  target,
  bytes,
  startNs,
  trafficClass: 3,
  dport: 100,
});

describe.each([
  ['go-back-N', BACK],
  ['selective repeat', IRN],
] as const)('%s', (_name, recovery) => {
  it('brings every flow to its end over links that lose', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.constantFrom(0, 0.001, 0.02, 0.2),
        fc.array(
          fc.tuple(
            fc.integer({ min: 0, max: 5 }),
            fc.integer({ min: 1, max: 5 }),
            fc.integer({ min: 1, max: 60_000 }),
          ),
          {
            minLength: 1,
            maxLength: 8,
          },
        ),
        (seed, commonLossRate, pairs) => {
          const flows = pairs.map(([source, by, bytes]) => flow(source, (source + by) % 6, bytes));
          const fabric = run(recovery, { seed, commonLossRate, flows });
          expect(fabric.finished.length).toBe(flows.length);
          for (const [index, { bytes }] of flows.entries())
            expect(fabric.flows.expectedBytes[index]).toBe(bytes);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('does so under every control', () => {
    for (const name of ['f2-dcqcn', 'f2-hp', 'f2-timely', 'f2-dctcp']) {
      const fabric = run(
        recovery,
        { commonLossRate: 0.01, flows: [flow(0, 4, 400_000), flow(1, 4, 400_000)] },
        name,
      );
      expect(fabric.finished.length).toBe(2);
      expect(fabric.totals.lostData).toBeGreaterThan(0);
    }
  });
});

describe('selective repeat', () => {
  const flows = [flow(0, 4, 4_000_000)];

  it('sends again what was lost and hardly more; go-back-N sends the rest too', () => {
    const lossy = { commonLossRate: 0.002, flows };
    const [selective, back] = [IRN, BACK].map((recovery) => run(recovery, lossy).totals);
    const needed = 4000;
    expect(selective.sentPackets - needed).toBeLessThanOrEqual(selective.lostData + selective.lost);
    expect(back.discardedPackets).toBeGreaterThan(10 * selective.discardedPackets);
  });

  it('keeps no more in flight than fits on the way', () => {
    const control = { kind: 'none', minRateBps: 1e9, window: 'none' } as const;
    const star = { ...topology, links: topology.links };
    const incast = [0, 1, 2].map((source) => flow(source, 4, 1_000_000));
    const fabric = run(IRN, { topology: star, control, flows: incast });
    const way = fabric.state.routing.longestRoundTrip().windowBytes;
    expect(fabric.finished.length).toBe(3);
    expect(fabric.state.control.windowBytes[0]).toBe(way);
  });

  it('waits for the short timer if few packets are under way', () => {
    // The only packet of a flow is lost: nothing but the timer can tell.
    const ends = [7, 8, 9, 10, 11, 12].map((seed) => {
      const fabric = run(IRN, { commonLossRate: 0.15, seed, flows: [flow(0, 4, 1000)] });
      return { endNs: fabric.flows.endNs[0], timeouts: fabric.totals.timeouts };
    });
    const once = ends.filter(({ timeouts }) => timeouts === 1);
    expect(once.length).toBeGreaterThan(0);
    for (const { endNs } of once) {
      expect(endNs).toBeGreaterThan(100_000);
      expect(endNs).toBeLessThan(120_000);
    }
  });
});

describe('links that fail', () => {
  const flows = Array.from({ length: 24 }, (_, index) =>
    flow(index % 3, 3 + (index % 3), 300_000, index * 5000),
  );
  // Links 6 to 9 connect leaves and spines: leaf 0 with spine 0 and 1, leaf 1 with spine 0 and 1.
  const fails = [{ atNs: 50_000, link: 6, up: false }];

  it('make flows take other ways, and what was on them is sent again', () => {
    const whole = run(IRN, { flows });
    const fabric = run(IRN, { flows, linkChanges: fails });
    expect([whole.finished.length, fabric.finished.length]).toEqual([24, 24]);
    expect(fabric.totals.lost + fabric.totals.drops).toBeGreaterThan(0);
    // After the failure everything of leaf 0 goes over spine 1.
    const { ports, plan } = fabric.state;
    const used = [...plan.link.keys()]
      .filter((port) => plan.link[port] === 6)
      .map((port) => ports.sentBytes[port]);
    const before = [...plan.link.keys()]
      .filter((port) => plan.link[port] === 6)
      .map((port) => whole.state.ports.sentBytes[port]);
    expect(used[0] + used[1]).toBeLessThan((before[0] + before[1]) / 2);
  });

  it('blackhole their flows until the fabric has converged', () => {
    const quick = run(BACK, { flows, linkChanges: fails });
    const slow = run(BACK, { flows, linkChanges: fails, convergenceNs: 2_000_000 });
    const last = (fabric: Fabric) => Math.max(...fabric.flows.endNs);
    expect(last(slow)).toBeGreaterThan(2_000_000);
    expect(last(quick)).toBeLessThan(last(slow));
  });

  it('may flap, and the answer is the same however the fabric is divided', () => {
    const linkChanges = Array.from({ length: 20 }, (_, index) => ({
      atNs: 20_000 + index * 15_000,
      link: 6 + 3 * (Math.floor(index / 2) % 2),
      up: index % 2 === 1,
    }));
    const answer = (partitions: number) => {
      const fabric = run(IRN, { flows, linkChanges, order: 'canonical', partitions });
      const { events, hops, lost, drops } = fabric.totals;
      return { ends: [...fabric.flows.endNs], events, hops, lost, drops };
    };
    const whole = answer(1);
    expect(whole.ends.every((end) => end > 0)).toBe(true);
    expect(whole.lost + whole.drops).toBeGreaterThan(0);
    for (const partitions of [2, 3, 4]) expect(answer(partitions)).toEqual(whole);
  });

  it('cut a host off until they come back', () => {
    const linkChanges = [
      { atNs: 10_000, link: 0, up: false },
      { atNs: 3_000_000, link: 0, up: true },
    ];
    const fabric = run(BACK, { flows: [flow(0, 4, 2_000_000)], linkChanges });
    expect(fabric.finished).toEqual([0]);
    expect(fabric.flows.endNs[0]).toBeGreaterThan(3_000_000);
  });
});
