import { describe, expect, it } from 'vitest';
import type { SearchSummary } from '../../../hunt/index.js';
import { findSearchRow } from '../../rows.js';
import { searchRows } from './search.js';

// Goal: the rows about the search are green where the searches are in the order of Figures 4 and 5, and red where not.

function summary(name: string, found: number, hours: readonly number[]): SearchSummary {
  return {
    name,
    seeds: 5,
    found: { mean: found, deviation: 1 },
    hoursToNth: hours.map((mean, index) => ({ n: index + 1, seeds: 5, mean, deviation: 0 })),
  };
}

const rising = (count: number, step: number) =>
  Array.from({ length: count }, (_, index) => (index + 1) * step);
const paper = [
  summary('Random', 7, rising(7, 1)),
  summary('BO', 8, rising(8, 1)),
  summary('SA (Diag)', 9.4, rising(9, 1)),
  summary('Collie (Perf)', 11, rising(11, 0.8)),
  summary('Collie (Diag)', 13, rising(13, 0.5)),
];
const judged = (id: string, ...other: SearchSummary[]) =>
  findSearchRow(id)!.judge(new Map([...paper, ...other].map((each) => [each.name, each])));

describe('the rows about the search', () => {
  it('are green with the figures of the paper', () => {
    for (const { id, searches } of searchRows) {
      expect(judged(id), id).toMatchObject({ ok: true });
      expect(searches.every((name) => paper.some((each) => each.name === name))).toBe(true);
    }
    expect(judged('CS1').simulated).toEqual({ 'Collie (Diag)': '13 ± 1' });
  });

  it.each([
    ['CS1', summary('Collie (Diag)', 12.8, rising(12, 0.5)), '12.8 of 13'],
    ['CS2', summary('BO', 6.8, rising(6, 1)), 'BO finds no more than Random'],
    ['CS2', summary('Collie (Perf)', 13, rising(13, 1)), 'Collie (Diag) finds no more than Collie (Perf)'],
    ['CS3', summary('Collie (Diag)', 13, rising(13, 0.9)), 'not about half'],
    ['CS3', summary('Collie (Diag)', 5, rising(5, 0.5)), 'not about half'],
  ] as const)('%s is red where %o', (id, worse, reason) => {
    expect(judged(id, worse)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });
});
