import { describe, expect, it } from 'vitest';
import { changed, referenceRun } from '../../testing/runs.js';
import { Checker } from '../../../../engine/checker.js';
import { deadlockOf, describeDeadlock, formatTree, pauseTrees } from '../../report/pause-graph.js';
import { leafSpine, star } from '../../topology/clos.js';
import type { Topology } from '../../topology/topology.js';
import { Fabric } from '../fabric.js';
import type { FabricSpec } from '../fabric-spec.js';
import { checkSettled } from '../settle.js';
import { pauseNs } from './pause-options.js';

const none = { kind: 'none', minRateBps: 1e9, window: 'none' } as const;
const cable = { gbps: 100, delayNs: 1000 };
const MS = 1e6;
const watchdog = {
  detectNs: 4 * MS,
  restoreNs: 4 * MS,
  pollNs: 2 * MS,
  action: 'drop',
  rule: 'broadcom',
} as const;

const flow = (source: number, target: number, bytes: number, startNs = 0) => ({
  source,
  target,
  bytes,
  startNs,
  trafficClass: 3,
  dport: 100,
});

function made(topology: Topology, changes: Partial<FabricSpec>): { fabric: Fabric; checker: Checker } {
  const checker = new Checker();
  const { spec } = changed(referenceRun('f2-dcqcn'), {
    topology,
    control: none,
    rng: 'own',
    ...changes,
    checker,
  });
  const recovery = { kind: 'go-back-n', timeoutNs: 1 * MS } as const;
  const fabric = new Fabric({
    ...spec,
    nic: { ...spec.nic, recovery, ackPauseClass: 3 },
    buffer: { ...spec.buffer, bufferBytes: 2 * 1_048_576 },
  });
  return { fabric, checker };
}

function run(topology: Topology, changes: Partial<FabricSpec>, untilNs = 1e9): Fabric {
  const { fabric, checker } = made(topology, changes);
  fabric.run(untilNs);
  checkSettled(fabric, checker);
  return fabric;
}

describe('pauses with quanta', () => {
  it('hold for 512 bit times each', () => {
    expect([pauseNs(65_535, 40e9), pauseNs(65_535, 100e9)]).toEqual([838_848, 335_539]);
  });

  it('give what pauses without end give, however short they are', () => {
    const flows = [1, 2, 3, 4, 5].map((source) => flow(source, 0, 2_000_000));
    const plain = run(star({ hosts: 6, host: cable }), { flows });
    for (const quanta of [65_535, 300, 100]) {
      const fabric = run(star({ hosts: 6, host: cable }), { flows, pauses: { quanta } });
      expect([fabric.finished.length, fabric.totals.drops]).toEqual([5, 0]);
      // Repeated pauses take a little of the wire; the ends hardly move.
      for (const each of fabric.finished)
        expect(fabric.flows.endNs[each] / plain.flows.endNs[each]).toBeCloseTo(1, 1);
      expect(fabric.totals.pauseFrames).toBeGreaterThanOrEqual(plain.totals.pauseFrames);
    }
  });

  it('let the port go on when nobody repeats them', () => {
    const storms = [{ host: 1, trafficClass: 3, fromNs: 0, untilNs: 1 }];
    const fabric = run(star({ hosts: 2, host: cable }), {
      flows: [flow(0, 1, 1000, 5000)],
      pauses: { quanta: 65_535 },
      storms,
    });
    const endNs = fabric.flows.endNs[0];
    expect(endNs).toBeGreaterThan(335_539);
    expect(endNs).toBeLessThan(345_000);
  });
});

describe('a NIC that pauses forever', () => {
  const topology = leafSpine({ leaves: 2, spines: 1, hostsPerLeaf: 3, host: cable, fabric: cable });
  // Host 0 holds its link. Flows to it fill the switches; one between others shares them.
  const flows = [
    flow(3, 0, 4_000_000),
    flow(4, 0, 4_000_000),
    flow(2, 1, 4_000_000),
    flow(4, 1, 1_000_000, 1 * MS),
  ];
  const storm = { host: 0, trafficClass: 3, fromNs: 0, untilNs: 20 * MS };
  const common = { flows, storms: [storm], pauses: { quanta: 65_535 } };

  it('stops others without a watchdog, and the tree shows how it spread', () => {
    const { fabric } = made(topology, common);
    fabric.run(15 * MS);
    // Flow 3 has another receiver, yet stands still; flow 2 does not cross the tree.
    expect([...fabric.flows.endNs].map((end) => end > 0)).toEqual([false, false, true, false]);
    const [tree] = pauseTrees(fabric.state, fabric.heldPorts());
    expect(
      formatTree(tree)
        .replaceAll(/\d+ bytes/g, 'N bytes')
        .split('\n')
        .slice(0, 3),
    ).toEqual([
      'leaf 0 to host 0, N bytes waiting',
      '  spine 0 to leaf 0, N bytes waiting',
      '    leaf 1 to spine 0, N bytes waiting',
    ]);
    expect(deadlockOf(fabric.heldPorts())).toBe(null);
  });

  it('ends at its switch with one: found in time, others go on, and it is restored', () => {
    const fabric = run(topology, { ...common, watchdog }, 1e9);
    const events = fabric.watchdogEvents;
    // The pause has spread when the watchdogs look, so that those upstream find a storm too, and see its end sooner.
    const { plan } = fabric.state;
    const own = events.filter(({ port }) => plan.peer[port] === plan.portBegin[0]);
    expect(own.map(({ kind }) => kind)).toEqual(['storm', 'restored']);
    const [found, restored] = own;
    expect(events.filter(({ kind }) => kind === 'storm').length).toBeLessThanOrEqual(3);
    expect(events.at(-1)).toBe(restored);
    expect(found.timeNs).toBeGreaterThanOrEqual(watchdog.detectNs);
    expect(found.timeNs).toBeLessThanOrEqual(watchdog.detectNs + watchdog.pollNs + 1000);
    expect(restored.timeNs).toBeGreaterThanOrEqual(storm.untilNs + watchdog.restoreNs);
    expect(restored.timeNs).toBeLessThanOrEqual(storm.untilNs + watchdog.restoreNs + 2 * watchdog.pollNs);
    // The victim ends while the NIC still storms, flows to that NIC after its queue was restored.
    const { endNs } = fabric.flows;
    expect(endNs[3]).toBeLessThan(storm.untilNs);
    expect(endNs[0]).toBeGreaterThan(restored.timeNs);
    expect(fabric.finished.length).toBe(4);
    expect(fabric.totals.watchdogDrops).toBeGreaterThan(0);
    expect(fabric.totals.watchdogDrops).toBe(fabric.totals.drops);
  });

  it('is found by the other rule too, and only reported or let through by other actions', () => {
    const forward = run(
      topology,
      { ...common, watchdog: { ...watchdog, rule: 'nvidia', action: 'forward' } },
      2e9,
    );
    expect(forward.watchdogEvents[0].kind).toBe('storm');
    expect(forward.totals.drops).toBe(0);
    expect(Math.max(...forward.flows.endNs)).toBeLessThan(forward.watchdogEvents[0].timeNs + 2 * MS);
    const alert = run(topology, { ...common, watchdog: { ...watchdog, action: 'alert' } }, 1e9);
    expect(alert.watchdogEvents.length).toBeGreaterThan(0);
    expect(alert.totals.drops).toBe(0);
    expect(alert.flows.endNs[3]).toBeGreaterThan(storm.untilNs);
  });

  it('is no storm if it holds its link for half of the time', () => {
    const storms = [{ ...storm, periodNs: 0.2 * MS, heldNs: 0.1 * MS }];
    for (const rule of ['broadcom', 'nvidia'] as const) {
      const fabric = run(topology, { ...common, storms, watchdog: { ...watchdog, rule } }, 1e9);
      expect(fabric.watchdogEvents).toEqual([]);
      expect([fabric.finished.length, fabric.totals.drops]).toEqual([4, 0]);
    }
  });

  it('is the same however the fabric is divided', () => {
    const answer = (partitions: number) => {
      const fabric = run(topology, { ...common, watchdog, order: 'canonical', partitions }, 1e9);
      const { events, hops, drops, pauseFrames, watchdogDrops } = fabric.totals;
      return {
        ends: [...fabric.flows.endNs],
        totals: { events, hops, drops, pauseFrames, watchdogDrops },
        watchdog: fabric.watchdogEvents,
      };
    };
    const whole = answer(1);
    for (const partitions of [2, 3]) expect(answer(partitions)).toEqual(whole);
  });
});

describe('a deadlock', () => {
  // Five switches in a ring, two hosts each; flows go two links to the right.
  const names = 'ABCDE';
  const ring: Topology = {
    nodes: 15,
    names: [...Array.from({ length: 10 }, (_, host) => `host ${host}`), ...names],
    isSwitch: Uint8Array.from({ length: 15 }, (_, node) => (node < 10 ? 0 : 1)),
    links: [
      ...Array.from({ length: 10 }, (_, host) => ({ from: host, to: 10 + Math.floor(host / 2) })),
      ...Array.from({ length: 5 }, (_, at) => ({ from: 10 + at, to: 10 + ((at + 1) % 5) })),
    ].map((ends) => ({ ...ends, rateBps: 100e9, delayNs: 1000 })),
  };
  const flows = Array.from({ length: 10 }, (_, host) => flow(host, (host + 4) % 10, 20_000_000));

  it('comes of a ring, stands still, and is named by its circle', () => {
    const { fabric } = made(ring, { flows });
    fabric.run(2 * MS);
    const { deliveredPackets } = fabric.totals;
    const circle = deadlockOf(fabric.heldPorts());
    expect(describeDeadlock(circle!)).toBe('A to B, B to C, C to D, D to E, E to A');
    fabric.run(8 * MS);
    expect(fabric.totals.deliveredPackets).toBe(deliveredPackets);
    expect(fabric.finished).toEqual([]);
  });

  it('is broken by a watchdog that lets packets through; one that drops ends it until the next', () => {
    const common = { flows, pauses: { quanta: 65_535 } };
    const run = (action: 'drop' | 'forward') => {
      const { fabric } = made(ring, { ...common, watchdog: { ...watchdog, action } });
      fabric.run(5 * MS);
      expect(deadlockOf(fabric.heldPorts())?.length).toBe(5);
      const before = fabric.totals.deliveredPackets;
      fabric.run(9 * MS);
      expect(fabric.watchdogEvents.map(({ kind }) => kind)).toEqual([
        'storm',
        'storm',
        'storm',
        'storm',
        'storm',
      ]);
      expect(deadlockOf(fabric.heldPorts())).toBe(null);
      return { passed: fabric.totals.deliveredPackets - before, thrown: fabric.totals.watchdogDrops };
    };
    const [drop, forward] = [run('drop'), run('forward')];
    expect(forward.passed).toBeGreaterThan(100 + drop.passed);
    expect(forward.thrown).toBe(0);
    expect(drop.thrown).toBeGreaterThan(1000);
  });

  it('is none if the ports that hold each other form no circle', () => {
    const held = ['A', 'B', 'C'].map((from, index) => ({
      port: index,
      trafficClass: 3,
      from,
      to: 'BCA'[index],
      queuedBytes: 1,
      because: [{ port: (index + 1) % 3, bytes: 1 }],
    }));
    expect(describeDeadlock(deadlockOf(held)!)).toBe('A to B, B to C, C to A');
    expect(deadlockOf(held.slice(0, 2))).toBe(null);
    expect(deadlockOf(held.map((each, index) => ({ ...each, trafficClass: index })))).toBe(null);
  });
});
