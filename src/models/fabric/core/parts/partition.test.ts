import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changed, referenceRun } from '../../testing/runs.js';
import { Checker } from '../../../../engine/checker.js';
import { fctLines, pfcLines } from '../../ns3/output-files.js';
import { fatTree, leafSpine, railPods } from '../../topology/clos.js';
import { dragonfly } from '../../topology/dragonfly.js';
import { PortPlan } from '../../topology/port-plan.js';
import { laboratoryRegion, region } from '../../topology/region.js';
import type { Topology } from '../../topology/topology.js';
import { Fabric } from '../fabric.js';
import type { FabricSpec } from '../fabric-spec.js';
import { checkSettled } from '../settle.js';
import { partitionOf } from './partition.js';

// Goal: under the canonical order the answer does not depend on how the fabric is divided: the same lines, the same
// pauses, the same counters.

/** Everything that a run says. */
function answer(spec: FabricSpec, stopNs: number) {
  const checker = new Checker();
  const fabric = new Fabric({ ...spec, checker });
  fabric.run(stopNs);
  checkSettled(fabric, checker);
  const { events, hops, marks, pauseFrames } = fabric.totals;
  return { fct: fctLines(fabric, 0), pfc: pfcLines(fabric, 0), events, hops, marks, pauseFrames };
}

const canonical = { order: 'canonical', rng: 'own' } as const;

describe('a fabric that is divided', () => {
  it.each(['g92-dcqcn', 'g92-hp', 'g92-timely', 'g92-dctcp'])('answers as one that is not: %s', (name) => {
    for (const bufferMegabytes of name === 'g92-dcqcn' ? [32, 2] : [2]) {
      const { spec, stopNs } = changed(referenceRun(name, { bufferMegabytes }), canonical);
      const whole = answer(spec, stopNs);
      expect(whole.fct.trim().split('\n').length).toBe(92);
      for (const partitions of [2, 3, 9, 56]) expect(answer({ ...spec, partitions }, stopNs)).toEqual(whole);
      if (bufferMegabytes === 2) expect(whole.pauseFrames).toBeGreaterThan(10);
    }
  });

  it('answers the same with exact rounding, lossy links and slices of events', () => {
    const run = changed(referenceRun('g92-dcqcn'), {
      ...canonical,
      rounding: 'exact',
      commonLossRate: 0.0001,
    });
    const lines = [1, 4].map((partitions) => {
      const fabric = new Fabric({ ...run.spec, partitions });
      while (!fabric.run(run.stopNs, 5000));
      return [fctLines(fabric, 0), fabric.totals];
    });
    expect(lines[1]).toEqual(lines[0]);
  });

  it('is refused in the order of ns-3 or with its random numbers', () => {
    const { spec } = referenceRun('f2-dcqcn');
    for (const wrong of [
      { order: 'ns3', rng: 'own' },
      { order: 'canonical', rng: 'ns3' },
    ] as const)
      expect(() => new Fabric({ ...spec, ...wrong, partitions: 2 })).toThrow(
        expect.objectContaining({ code: 'FABRIC_ORDER' }),
      );
  });
});

describe('a partition', () => {
  const cable = { gbps: 100, delayNs: 1000 };
  const shapes: Record<string, Topology> = {
    'fat tree': fatTree({ ports: 4, host: cable }),
    'leaf-spine': leafSpine({ leaves: 4, spines: 2, hostsPerLeaf: 8, host: cable, fabric: cable }),
    rails: railPods({ pods: 2, serversPerPod: 4, rails: 4, spines: 3, host: cable, fabric: cable }),
    dragonfly: dragonfly({
      routersPerGroup: 4,
      hostsPerRouter: 2,
      globalLinks: 2,
      host: cable,
      local: cable,
      global: cable,
    }),
    region: region(laboratoryRegion),
  };

  it('keeps hosts with their switch and pods together, and has the least delay between parts as its window', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(shapes)),
        fc.integer({ min: 1, max: 12 }),
        (shape, count) => {
          const topology = shapes[shape];
          const plan = new PortPlan(topology);
          const { partOf, windowNs } = partitionOf(topology, plan, count);
          const podPart = new Map<number, number>();
          let least = Infinity;
          for (let node = 0; node < topology.nodes; node++) {
            const pod = topology.pods![node];
            if (pod >= 0) expect(podPart.get(pod) ?? partOf[node]).toBe(partOf[node]);
            podPart.set(pod, partOf[node]);
            expect(partOf[node]).toBeLessThan(count);
          }
          for (let port = 0; port < plan.peer.length; port++) {
            const [here, there] = [plan.node[port], plan.node[plan.peer[port]]];
            if (partOf[here] === partOf[there]) continue;
            expect(topology.isSwitch[here] & topology.isSwitch[there]).toBe(1);
            least = Math.min(least, plan.delayNs[port]);
          }
          expect(windowNs).toBe(least);
        },
      ),
    );
  });
});
