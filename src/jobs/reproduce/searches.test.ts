import { describe, expect, it } from 'vitest';
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

  it('has no row where it was interrupted', async () => {
    const interrupt = new AbortController();
    const onProgress = () => interrupt.abort();
    const outcome = await compareSearches(rows, { ...few, signal: interrupt.signal, onProgress });
    expect(outcome).toEqual({ results: [], summaries: [] });
  });
});
