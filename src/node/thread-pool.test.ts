import { afterAll, describe, expect, it } from 'vitest';
import { parseCampaign, taskAt } from '../jobs/campaign/index.js';
import { hunt, NO_BASELINE } from '../jobs/hunt/index.js';
import { runJobTask } from '../jobs/index.js';
import { isolate } from '../jobs/isolate/index.js';
import { runTasks, type Task } from '../jobs/reproduce/index.js';
import { resolveWorkload, type Workload } from '../workload/index.js';
import { bundledWorker } from './testing/bundled-worker.js';
import { openThreadPool } from './thread-pool.js';

// Goal: threads change how long it takes and nothing else.
// Method: bundle the worker as a build would compile it, and compare with the same tasks in this thread.

const tasks: readonly Task[] = ['P6', 'H9', 'P5'].map((id) => ({ kind: 'row', id }));
const worker = await bundledWorker('job-worker');
const workerUrl = worker.url;
afterAll(worker.remove);

const short = (workload: Workload): Workload => ({
  ...workload,
  measure: { ...workload.measure, minNs: 60_000, maxNs: 60_000 },
});

describe('a pool of threads', () => {
  it('gives the same results in the order of the tasks, whatever the number of threads', async () => {
    const here = await runTasks(tasks);
    const pool = openThreadPool(2, workerUrl);
    const threads = await runTasks(tasks, { pool });
    await pool.close();
    expect(here.map((each) => each?.result.id)).toEqual(['P6', 'H9', 'P5']);
    expect(JSON.stringify(threads)).toBe(JSON.stringify(here));
  });

  it.each([1, 2])('keeps what had finished when it is interrupted, with %d threads', async (size) => {
    const interrupt = new AbortController();
    const pool = size === 1 ? undefined : openThreadPool(size, workerUrl);
    interrupt.signal.addEventListener('abort', () => void pool?.close(), { once: true });
    const onDone = () => interrupt.abort();
    const own = pool === undefined ? {} : { pool };
    const results = await runTasks(tasks, { ...own, signal: interrupt.signal, onDone });
    await pool?.close();
    const finished = results.filter((each) => each !== undefined);
    expect(results).toHaveLength(tasks.length);
    expect(finished.length).toBeGreaterThan(0);
    expect(finished.length).toBeLessThan(tasks.length);
  });

  it('runs the tasks of every job', async () => {
    const pool = openThreadPool(2, workerUrl);
    const request = { testbed: { subsystem: 'collie-a' }, budget: '5', seed: 3 };
    const pair = { attackers: 'PU-RNR_UC-RNR', victims: 'large_bw_write' };
    const [hunted, matrix] = await Promise.all([hunt(request, { pool }), isolate(pair, { pool })]);
    await pool.close();
    expect(hunted).toEqual(await hunt(request));
    expect(matrix).toEqual(await isolate(pair));
  });

  it('ends a task that takes too long, and goes on with the others', async () => {
    const pool = openThreadPool(1, workerUrl);
    const text = 'name: a\njob: rehearsal\ntasks: 3\ndraws: 10\nhanging: [1]';
    const order = parseCampaign(text, 'a.yaml', () => '');
    // The hanging one alone has little time: the others end whatever the machine's speed.
    const outcomes = [0, 1, 2].map((index) =>
      pool.run(taskAt(order, index), index === 1 ? { timeoutMs: 500 } : {}),
    );
    await expect(outcomes[1]).rejects.toMatchObject({ code: 'TASK_TIMEOUT' });
    await expect(Promise.all([outcomes[0], outcomes[2]])).resolves.toHaveLength(2);
    await pool.close();
  });

  it('tells how far a task is, gives it up when asked to, and goes on with others', async () => {
    const pool = openThreadPool(2, workerUrl);
    expect([pool.size, pool.idle]).toEqual([2, 2]);
    // So long that it ends in no test by itself.
    const workload = resolveWorkload({ qps: 4, measure: { minNs: 1e10, maxNs: 1e10 } });
    const order = { workload, seed: 1, baseline: NO_BASELINE, unlimited: false };
    const task = { job: 'hunt', testbed: { subsystem: 'collie-a' }, ...order } as const;
    const giveUp = new AbortController();
    const heard: number[] = [];
    const onProgress = (leastCost: number) => {
      heard.push(leastCost);
      if (heard.length === 5) giveUp.abort();
    };
    const long = pool.run(task, { onProgress, signal: giveUp.signal });
    const others = [1, 2, 3].map((seed) => pool.run({ ...task, workload: short(workload), seed }));
    const waiting = new AbortController();
    const never = pool.run(task, { signal: waiting.signal });
    expect(pool.idle).toBe(0);
    waiting.abort();
    await expect(never).rejects.toMatchObject({ code: 'CANNOT_RUN' });
    await expect(long).rejects.toMatchObject({
      code: 'CANNOT_RUN',
      message: expect.stringContaining('interrupted'),
    });
    const outcomes = await Promise.all(others);
    await pool.close();
    expect(heard).toEqual([...heard].sort((one, other) => one - other));
    expect(outcomes.map(({ observation }) => observation.symptom)).toEqual([null, null, null]);
    expect(outcomes[0]).toEqual(await runJobTask({ ...task, workload: short(workload), seed: 1 }));
  });

  it('passes on what a task failed with, an error on purpose as such', async () => {
    const pool = openThreadPool(1, workerUrl);
    await expect(runTasks([{ kind: 'row', id: 'nonsense' }], { pool })).rejects.toMatchObject({
      name: 'KelpieError',
      code: 'UNKNOWN_ROW',
      field: 'id',
    });
    await expect(runTasks([{ kind: 'row', id: 'P6' }], { pool })).resolves.toHaveLength(1);
    await pool.close();
    await expect(runTasks([{ kind: 'row', id: 'P6' }], { pool })).rejects.toThrow('the pool was closed');
  });
});
