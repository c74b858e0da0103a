import { describe, expect, it } from 'vitest';
import { changed, referenceRun } from '../testing/runs.js';
import { Checker } from '../../../engine/checker.js';
import { Fabric } from '../core/fabric.js';
import { checkSettled } from '../core/settle.js';
import type { FlowSpec } from '../nic/flow-spec.js';
import { leafSpine } from '../topology/clos.js';
import { allToAll, pipeline, ringAllReduce } from './collectives.js';

// Goal: flows of a collective start when their host has what they need, on time, however the fabric is divided.

const cable = { gbps: 100, delayNs: 1000 };
const topology = leafSpine({ leaves: 4, spines: 2, hostsPerLeaf: 2, host: cable, fabric: cable });
const hosts = [0, 1, 2, 3, 4, 5, 6, 7];
const common = { hosts, startNs: 100, computeNs: 0, trafficClass: 3, dport: 100 };

function run(flows: FlowSpec[], partitions = 1): Fabric {
  const checker = new Checker();
  const { spec } = changed(referenceRun('f2-hp'), {
    topology,
    flows,
    order: 'canonical',
    rng: 'own',
    partitions,
    checker,
  });
  const fabric = new Fabric(spec);
  fabric.run(1e9);
  checkSettled(fabric, checker);
  expect(fabric.finished.length).toBe(flows.length);
  return fabric;
}

describe('collectives', () => {
  it('all-reduce on a ring takes 2 (n - 1) steps of a n-th each', () => {
    const flows = ringAllReduce({ ...common, bytes: 800_000 });
    expect(flows.length).toBe(14 * 8);
    const fabric = run(flows);
    const lastNs = Math.max(...fabric.flows.endNs);
    // 14 steps of 100 KB at 100 Gb/s with headers, and their ways.
    const sendNs = (100 * 1090 * 8) / 100;
    expect(lastNs).toBeGreaterThan(14 * sendNs);
    expect(lastNs).toBeLessThan(14 * (sendNs + 12_000) * 1.3);
    for (const [index, { after = [] }] of flows.entries())
      for (const each of after) {
        const before = flows.indexOf(each);
        expect(fabric.flows.startNs[index]).toBeGreaterThan(fabric.flows.startNs[before] + sendNs * 0.95);
      }
  });

  it('all-to-all brings a part from everybody to everybody', () => {
    const flows = allToAll({ ...common, bytes: 80_000 });
    expect(new Set(flows.map(({ source, target }) => `${source} ${target}`)).size).toBe(56);
    run(flows);
  });

  it('a pipeline sends every micro-batch forward through all stages, then back', () => {
    const microbatches = 4;
    const flows = pipeline({ ...common, bytes: 50_000, microbatches, computeNs: 5000 });
    expect(flows.length).toBe(2 * microbatches * 7);
    const fabric = run(flows);
    const { startNs, endNs } = fabric.flows;
    const back = flows.findIndex(({ source, target }) => target === source - 1);
    // Nothing comes back before the last micro-batch has reached the last stage.
    const lastForward = flows.findLastIndex(({ source, target }) => source === 6 && target === 7);
    expect(startNs[back]).toBeGreaterThan(startNs[lastForward]);
    expect(startNs[back]).toBeLessThan(endNs[lastForward] + 5000);
    // Seven stages forward and seven back, each with its computation.
    expect(Math.max(...endNs)).toBeGreaterThan(14 * (5000 + 4000));
  });

  it('are the same however the fabric is divided', () => {
    for (const flows of [
      ringAllReduce({ ...common, bytes: 100_000 }),
      allToAll({ ...common, bytes: 100_000 }),
    ]) {
      const whole = [...run(flows).flows.endNs];
      for (const partitions of [2, 5]) expect([...run(flows, partitions).flows.endNs]).toEqual(whole);
    }
  });

  it('are refused in the order of ns-3, and if a flow waits for others of other hosts', () => {
    const flows = ringAllReduce({ ...common, bytes: 1000 });
    const { spec } = changed(referenceRun('f2-hp'), { topology, flows });
    expect(() => new Fabric(spec)).toThrow(expect.objectContaining({ code: 'FABRIC_ORDER' }));
    const strange = [flows[0], { ...flows[4], after: [flows[0]] }];
    expect(() => new Fabric({ ...spec, order: 'canonical', rng: 'own', flows: strange })).toThrow(
      expect.objectContaining({ code: 'FABRIC_FLOW' }),
    );
  });
});
