import { describe, expect, it } from 'vitest';
import { collieRows } from './collie-rows.js';
import { nearer, nearnessOf } from './table2.js';

// Goal: a row that was found is told from one that was found where Table 2 says it is.

type Given = Parameters<typeof nearnessOf>[0];

function point(change: Partial<Given>): Given {
  const base = { batch: 1, queueDepth: 128, sge: 1, qps: 8, mrs: 1, sizes: [512] };
  return { ...base, ...change } as Given;
}

describe("Table 2's own bounds", () => {
  it.each([
    ['C1', { batch: 64, queueDepth: 256 }, 'table'],
    ['C1', { batch: 32, queueDepth: 256 }, 'twice'],
    ['C1', { batch: 16, queueDepth: 256 }, 'looser'],
    ['C4', { direction: 'bi', batch: 32, sge: 4, qps: 80 }, 'table'],
    ['C4', { direction: 'bi', batch: 128, sge: 2, qps: 40 }, 'twice'],
    ['C4', { direction: 'bi', batch: 128, sge: 4, qps: 39 }, 'looser'],
    ['C5', { batch: 64, queueDepth: 1024, sizes: [2048, 8192] }, 'table'],
    ['C5', { batch: 64, queueDepth: 1024, sizes: [2048, 16384] }, 'twice'],
    ['C7', { qps: 500, queueDepth: 16 }, 'table'],
    ['C7', { qps: 500, queueDepth: 128 }, 'looser'],
    ['C8', { qps: 12, mrs: 1000 }, 'table'],
    ['C11', {}, 'table'],
  ] as const)('%s with %o is %s', (id, change, expected) => {
    expect(nearnessOf(point(change as Partial<Given>), id)).toBe(expected);
  });

  it('are for every row that has numbers', () => {
    const small = point({ batch: 8, queueDepth: 4, sge: 0, qps: 0, mrs: 0, sizes: [1e9] });
    const without = collieRows.filter(({ id }) => nearnessOf(small, id) === 'table').map(({ id }) => id);
    expect(without).toEqual(['C3', 'C11', 'C12', 'C13']);
  });

  it('takes the nearer of two sights', () => {
    expect([nearer('twice', 'table'), nearer('looser', 'twice'), nearer('looser', 'looser')]).toEqual([
      'table',
      'twice',
      'looser',
    ]);
  });
});
