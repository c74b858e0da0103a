import { expect, it } from 'vitest';
import { changed, referenceRun } from '../testing/runs.js';
import { Checker } from '../../../engine/checker.js';
import { Fabric } from '../core/fabric.js';
import { checkSettled } from '../core/settle.js';
import { star } from '../topology/clos.js';
import { PUBLISHED_DCQCN, reactionOf } from './generations.js';

// Goal: flows that wait for their pace in one line all go at the rate of the slowest; by themselves they do not.

const flow = (source: number, target: number, bytes: number) => {
  return { source, target, bytes, startNs: 0, trafficClass: 3, dport: 100 };
};

/** When the flow that nobody hinders ends: host 0 sends to it and to a host that four others send to. */
function freeFlowEndNs(pacesInLine: boolean): number {
  const checker = new Checker();
  const { spec } = changed(referenceRun('f2-dcqcn'), {
    topology: star({ hosts: 7, host: { gbps: 40, delayNs: 500 } }),
    flows: [flow(0, 1, 4e6), ...[0, 3, 4, 5, 6].map((source) => flow(source, 2, 4e6))],
    rng: 'own',
    marking: new Map([[40e9, { minBytes: 20_000, maxBytes: 200_000, probability: 0.1 }]]),
    control: reactionOf(PUBLISHED_DCQCN, 'gen2-fixed'),
    checker,
  });
  const fabric = new Fabric({ ...spec, nic: { ...spec.nic, pacesInLine } });
  fabric.run(1e9);
  checkSettled(fabric, checker);
  expect(fabric.finished.length).toBe(6);
  return fabric.flows.endNs[0];
}

it('a flow that may go later holds those behind it, where they wait in one line', () => {
  const [alone, inLine] = [freeFlowEndNs(false), freeFlowEndNs(true)];
  expect(inLine / alone).toBeGreaterThan(2);
});
