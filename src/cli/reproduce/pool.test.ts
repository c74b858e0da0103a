import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../jobs/reproduce/index.js';
import { runTasks } from './pool.js';

// Goal: threads change how long it takes and nothing else.
// Method: bundle the worker as a build would compile it, and compare with the same tasks in this thread.

const tasks: readonly Task[] = ['P6', 'H9', 'P5'].map((id) => ({ kind: 'row', id }));
const folder = mkdtempSync(join(resolve('node_modules'), '.kelpie-pool-'));
const workerUrl = pathToFileURL(join(folder, 'worker.mjs'));
const signal = new AbortController().signal;

beforeAll(async () => {
  await build({
    entryPoints: [resolve('src/cli/reproduce/worker.ts')],
    outfile: join(folder, 'worker.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the pool', () => {
  it('gives the same results in the order of the tasks, whatever the number of threads', async () => {
    const here = await runTasks(tasks, { seed: 1, jobs: 1, signal });
    const threads = await runTasks(tasks, { seed: 1, jobs: 2, signal, workerUrl });
    expect(here.map((each) => each?.result.id)).toEqual(['P6', 'H9', 'P5']);
    expect(JSON.stringify(threads)).toBe(JSON.stringify(here));
  });

  it.each([1, 2])('keeps what had finished when it is interrupted, with %d threads', async (jobs) => {
    const interrupt = new AbortController();
    const onDone = () => interrupt.abort();
    const results = await runTasks(tasks, { seed: 1, jobs, signal: interrupt.signal, workerUrl, onDone });
    const finished = results.filter((each) => each !== undefined);
    expect(results).toHaveLength(tasks.length);
    expect(finished.length).toBeGreaterThan(0);
    expect(finished.length).toBeLessThan(tasks.length);
  });

  it('says which task failed on its thread', async () => {
    const bad: Task[] = [
      { kind: 'row', id: 'nonsense' },
      { kind: 'row', id: 'P6' },
    ];
    await expect(runTasks(bad, { seed: 1, jobs: 2, signal, workerUrl })).rejects.toThrow(
      /nonsense failed on its thread: .*there is no such row/,
    );
  });
});
