import { describe, expect, it } from 'vitest';
import { changed, referenceRun } from '../testing/runs.js';
import { Checker } from '../../../engine/checker.js';
import type { FlowSpec } from '../nic/flow-spec.js';
import { fctLines } from '../ns3/output-files.js';
import type { FabricLink, Topology } from '../topology/topology.js';
import { Fabric } from './fabric.js';
import type { FabricSpec } from './fabric-spec.js';
import { checkSettled } from './settle.js';

// Goal: the edges at which simulators of this kind fall over, each with every checker on.

const link = { rateBps: 100e9, delayNs: 1000 };

/** Hosts 0 to `hosts - 1` on one switch. */
function star(hosts: number, changes: Partial<FabricLink> = {}): Topology {
  const isSwitch = new Uint8Array(hosts + 1);
  isSwitch[hosts] = 1;
  const links = Array.from({ length: hosts }, (_, from) => ({ from, to: hosts, ...link, ...changes }));
  return { nodes: hosts + 1, isSwitch, links };
}

/** Two hosts with this many switches in a row between them. */
function chain(switches: number, changes: Partial<FabricLink> = {}): Topology {
  const isSwitch = new Uint8Array(switches + 2).fill(1);
  isSwitch[0] = 0;
  isSwitch[switches + 1] = 0;
  const links = Array.from({ length: switches + 1 }, (_, from) => ({
    from,
    to: from + 1,
    ...link,
    ...changes,
  }));
  return { nodes: switches + 2, isSwitch, links };
}

function flow(source: number, target: number, bytes: number, startNs = 0): FlowSpec {
  return { source, target, bytes, startNs, trafficClass: 3, dport: 100 };
}

function finishedRun(name: string, changes: Partial<FabricSpec>, untilNs = 1e9): Fabric {
  const checker = new Checker();
  const { spec } = changed(referenceRun(name), { ...changes, checker });
  const fabric = new Fabric(spec);
  fabric.run(untilNs);
  checkSettled(fabric, checker);
  expect(checker.passed).toBeGreaterThan(5);
  return fabric;
}

describe('a fabric', () => {
  it('runs twice alike', () => {
    const { spec, stopNs, epochNs } = referenceRun('g92-hp');
    const [one, other] = [new Fabric(spec), new Fabric(spec)];
    one.run(stopNs);
    while (!other.run(stopNs, 1000));
    expect(fctLines(other, epochNs)).toBe(fctLines(one, epochNs));
    expect(other.totals.events).toBe(one.totals.events);
  });

  it('refuses flows from, to or through what is no host', () => {
    for (const wrong of [
      flow(0, 2, 5),
      flow(2, 0, 5),
      flow(0, 7, 5),
      flow(0, 0, 5),
      flow(0, 1, 0),
      flow(0, 1, 5, -1),
    ]) {
      const { spec } = changed(referenceRun('f2-dcqcn'), { topology: star(2), flows: [wrong] });
      expect(() => new Fabric(spec)).toThrow(expect.objectContaining({ code: 'FABRIC_FLOW' }));
    }
    const { spec } = changed(referenceRun('f2-dcqcn'), {
      topology: star(2),
      flows: [flow(0, 1, 5, 9), flow(0, 1, 5, 8)],
    });
    expect(() => new Fabric(spec)).toThrow(expect.objectContaining({ code: 'FABRIC_FLOW' }));
  });

  it('takes hundreds of flows from one host', () => {
    const flows = Array.from({ length: 300 }, (_, index) => flow(0, 1 + (index % 3), 5000 + index));
    const fabric = finishedRun('f2-dcqcn', { topology: star(4), flows });
    expect(fabric.finished.length).toBe(300);
  });

  it('takes flows of a byte, of a packet and of one more', () => {
    const flows = [flow(0, 1, 1), flow(0, 1, 1000), flow(0, 1, 1001)];
    for (const name of ['f2-dcqcn', 'f2-hp', 'f2-timely', 'f2-dctcp']) {
      const fabric = finishedRun(name, { topology: star(2), flows });
      expect(fabric.finished.length).toBe(3);
      expect(fabric.totals.sentPackets).toBe(4);
    }
  });

  it('takes links of 10 ms', () => {
    const flows = [flow(0, 3, 3_000_000), flow(3, 0, 3_000_000, 5)];
    for (const name of ['f2-dcqcn', 'f2-hp', 'f2-timely', 'f2-dctcp']) {
      const fabric = finishedRun(name, { topology: chain(2, { delayNs: 10_000_000 }), flows }, 1e10);
      expect(fabric.finished.length).toBe(2);
      // Three links there and three back.
      for (const each of fabric.finished) expect(fabric.flows.endNs[each]).toBeGreaterThan(60_000_000);
    }
  });

  it('takes ways of more hops than telemetry has room for', () => {
    const fabric = finishedRun('f2-hp', { topology: chain(9), flows: [flow(0, 10, 500_000)] });
    expect(fabric.finished).toEqual([0]);
  });

  it('takes a flow of more than 4 GB in offsets of 32 bits', () => {
    // 4.2 MB in packets of 1,000 bytes, beginning just below 2^32.
    const { spec } = changed(referenceRun('f2-dctcp'), {
      topology: star(2),
      flows: [flow(0, 1, 2 ** 32 + 100_000)],
    });
    const fabric = new Fabric(spec);
    const begin = 4_294_900_000;
    for (const column of ['ackedBytes', 'nextBytes', 'expectedBytes'] as const)
      fabric.flows[column][0] = begin;
    fabric.run(1e9);
    expect(fabric.finished).toEqual([0]);
    expect(fabric.totals.deliveredPackets).toBe(Math.ceil((2 ** 32 + 100_000 - begin) / 1000));
  });

  it('leaves a flow hanging whose last packet was lost, as ns-3 does, and counts it', () => {
    const topology = star(2, { lossRate: 0.02 });
    const flows = Array.from({ length: 40 }, (_, index) =>
      flow(index % 2, 1 - (index % 2), 3000, index * 100_000),
    );
    const fabric = finishedRun('f2-dctcp', { topology, flows });
    expect(fabric.totals.lost).toBeGreaterThan(0);
    expect(fabric.finished.length).toBeLessThan(40);
    expect(fabric.finished.length).toBeGreaterThan(20);
  });

  it('shares a link fairly and exactly if told', () => {
    const flows = [flow(0, 2, 10_000_000), flow(1, 2, 10_000_000)];
    const fabric = finishedRun('f2-dctcp', { topology: star(3), flows, rounding: 'exact' });
    // 20 MB of payload in packets of 1,048 bytes at 100 Gb/s, and the way.
    const leastNs = (20_000 * 1048 * 8) / 100;
    for (const each of fabric.finished) {
      expect(fabric.flows.endNs[each]).toBeGreaterThan(leastNs * 0.99);
      expect(fabric.flows.endNs[each]).toBeLessThan(leastNs * 1.02);
    }
    const cut = finishedRun('f2-dctcp', { topology: star(3), flows });
    expect(cut.flows.endNs[cut.finished[1]]).toBeLessThan(leastNs);
  });

  it('draws other marks with own random numbers, and the same ones from the same seed', () => {
    const ends = (seed: number, rng: 'own' | 'ns3') => {
      const { spec, stopNs, epochNs } = changed(referenceRun('f2-dcqcn'), { seed, rng });
      const fabric = new Fabric(spec);
      fabric.run(stopNs);
      return fctLines(fabric, epochNs);
    };
    expect(ends(1, 'own')).toBe(ends(1, 'own'));
    expect(ends(1, 'own')).not.toBe(ends(2, 'own'));
    expect(ends(1, 'ns3')).toBe(ends(2, 'ns3'));
  });

  it('drops nothing in a large incast, whatever the control', () => {
    const flows = Array.from({ length: 60 }, (_, index) => flow(index + 1, 0, 300_000));
    for (const name of ['f2-dcqcn', 'f2-hp', 'f2-timely', 'f2-dctcp']) {
      const run = referenceRun(name);
      const fabric = finishedRun(name, {
        topology: star(61),
        flows,
        buffer: { ...run.spec.buffer, bufferBytes: 4 * 1_048_576 },
      });
      expect([fabric.finished.length, fabric.totals.drops]).toEqual([60, 0]);
    }
  });

  it('without control it pauses, and pauses pair up', () => {
    const flows = Array.from({ length: 8 }, (_, index) => flow(index + 1, 0, 2_000_000));
    const run = referenceRun('f2-dcqcn');
    const fabric = finishedRun('f2-dcqcn', {
      topology: star(9),
      flows,
      control: { kind: 'none', minRateBps: 1e9, window: 'none' },
      buffer: { ...run.spec.buffer, bufferBytes: 2 * 1_048_576 },
    });
    expect(fabric.finished.length).toBe(8);
    expect(fabric.totals.pauseFrames).toBeGreaterThan(10);
    expect(fabric.pauseLog.count).toBe(fabric.totals.pauseFrames * 2);
  });
});
