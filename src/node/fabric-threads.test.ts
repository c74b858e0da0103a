import { afterAll, describe, expect, it } from 'vitest';
import { changed, referenceRun } from '../models/fabric/testing/runs.js';
import { Checker } from '../engine/index.js';
import { answerOf, parseFabric, runFabric } from '../jobs/fabric/index.js';
import {
  checkSettled,
  Fabric,
  type FabricSpec,
  fctLines,
  pfcLines,
  type RunningFabric,
} from '../models/fabric/index.js';
import { openFabricThreads } from './fabric-threads.js';
import { bundledWorker } from './testing/bundled-worker.js';

// Goal: a fabric on several threads gives the answer of one, to the last pause, and nothing hangs when it cannot run.
// Method: bundle the worker as a build would compile it, and compare everything that a run says.

const worker = await bundledWorker('fabric-worker');
const workerUrl = worker.url;
afterAll(worker.remove);

async function answer(fabric: RunningFabric, stopNs: number) {
  const { recorder, whole } = await runFabric(fabric, stopNs, async () => true);
  const { records, ...totals } = fabric.totals;
  return {
    answer: answerOf(fabric, recorder, !whole),
    fct: fctLines(fabric, 0),
    pfc: pfcLines(fabric, 0),
    totals,
    idle: fabric.isIdle,
  };
}

/** The answer of one thread, with every checker on. */
async function answerAlone(spec: FabricSpec, stopNs: number) {
  const checker = new Checker();
  const fabric = new Fabric({ ...spec, checker });
  const alone = await answer(fabric, stopNs);
  checkSettled(fabric, checker);
  return alone;
}

const canonical = { order: 'canonical', rng: 'own' } as const;

describe('a fabric on threads', () => {
  it.each(['g92-dcqcn', 'g92-hp'])('answers as on one, with pauses: %s', async (name) => {
    const { spec, stopNs } = changed(referenceRun(name, { bufferMegabytes: 2 }), canonical);
    const alone = await answerAlone({ ...spec, partitions: 4 }, stopNs);
    expect(alone.answer.finished).toBe(92);
    expect(alone.totals.pauseFrames).toBeGreaterThan(10);
    expect(alone.answer.pauseTrees.length).toBeGreaterThan(0);
    for (const [threads, partitions] of [
      [2, 1],
      [3, 8],
    ])
      expect(
        await answer(await openFabricThreads({ ...spec, partitions }, threads, workerUrl), stopNs),
      ).toEqual(alone);
  });

  it('answers as on one with losses, failing links, flows that wait for others, and a watchdog', async () => {
    const text = `
topology: { kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4 }
workload:
  - { kind: all-reduce, bytes: 400000 }
  - { kind: incast, fanIn: 6, bytes: 300000, target: host 0 }
control: none
recovery: { kind: selective }
lossRate: 0.001
failures: [{ link: [leaf 0, spine 0], downNs: 20000, upNs: 60000 }]
pauses: { quanta: 65535 }
storms: [{ host: host 0, fromNs: 0, untilNs: 3000000 }]
watchdog: { detectNs: 400000, restoreNs: 400000, pollNs: 200000 }`;
    const { spec, stopNs } = parseFabric(text, 'mixed.yaml', () => '');
    const alone = await answerAlone(spec, stopNs);
    expect(alone.answer.finished).toBe(alone.answer.flows);
    expect(alone.totals.lost).toBeGreaterThan(0);
    expect(alone.answer.watchdog.length).toBeGreaterThan(0);
    expect(await answer(await openFabricThreads(spec, 3, workerUrl), stopNs)).toEqual(alone);
  });

  it('is refused in the order of ns-3, before a thread begins', async () => {
    const { spec } = referenceRun('f2-dcqcn');
    await expect(openFabricThreads(spec, 2, workerUrl)).rejects.toMatchObject({ code: 'FABRIC_ORDER' });
  });

  it('says what went wrong in a thread, and ends the others', async () => {
    const { spec } = changed(referenceRun('f2-dcqcn'), canonical);
    const broken = { ...spec, control: { kind: 'none such' } } as unknown as FabricSpec;
    await expect(openFabricThreads(broken, 2, workerUrl)).rejects.toThrow();
  });
});
