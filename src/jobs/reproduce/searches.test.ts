import { describe, expect, it } from 'vitest';
import { HuntArchive, type HuntTask, runHuntTask } from '../hunt/index.js';
import { MemoryStore } from '../pool/index.js';
import { findSearchRow } from './rows.js';
import { compareSearches, type SearchProgress } from './searches.js';

// Goal: whole hunts are made for each search and seed, and what was interrupted gives no row.

const rows = [findSearchRow('CS1')!];
const few = { seed: 1, seeds: 2, budget: { kind: 'experiments', amount: 7 } } as const;

describe('a comparison of searches', () => {
  it('makes a hunt for each seed and says mean and deviation', async () => {
    const seen: SearchProgress[] = [];
    const { results, summaries } = await compareSearches(rows, {
      ...few,
      signal: new AbortController().signal,
      onProgress: (progress) => void seen.push(progress),
    });
    expect(summaries).toMatchObject([{ name: 'Collie (Diag)', seeds: 2 }]);
    expect(results).toMatchObject([{ id: 'CS1', ok: false, unit: 'anomalies' }]);
    expect([...new Set(seen.map(({ seed }) => seed))]).toEqual([1, 2]);
    expect(seen.at(-1)).toMatchObject({ ended: 1, hunts: 2, experiments: 7 });
  });

  it('goes on with what was kept, and makes nothing twice', async () => {
    const archive = new HuntArchive(new MemoryStore());
    const interrupt = new AbortController();
    const seen: SearchProgress[] = [];
    const onProgress = (progress: SearchProgress) => {
      if (seen.push(progress) === 10) interrupt.abort();
    };
    const broken = await compareSearches(rows, { ...few, archive, signal: interrupt.signal, onProgress });
    expect(broken).toEqual({ results: [], summaries: [] });
    let made = 0;
    const pool = {
      size: 8,
      run: (task: HuntTask) => {
        made++;
        return runHuntTask(task);
      },
      close: async () => {},
    };
    const { signal } = new AbortController();
    const whole = await compareSearches(rows, { ...few, archive, pool, signal });
    expect(made).toBeLessThan(2 * few.budget.amount);
    expect(whole).toEqual(await compareSearches(rows, { ...few, signal }));
    const again = await compareSearches(rows, { ...few, archive, signal, onProgress: () => expect.fail() });
    expect(again).toEqual(whole);
  });

  it('has no row where it was interrupted', async () => {
    const interrupt = new AbortController();
    const onProgress = () => interrupt.abort();
    const outcome = await compareSearches(rows, { ...few, signal: interrupt.signal, onProgress });
    expect(outcome).toEqual({ results: [], summaries: [] });
  });
});
