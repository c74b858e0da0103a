import { expect, it } from 'vitest';
import { diffResults, figuresOf, percentOf } from './difference.js';

const result = (qps: number, goodputGbps: number, p50: number) => ({
  workload: { tenants: [{ name: 'rpc', qps }] },
  total: { goodputGbps },
  tenants: [{ name: 'rpc', latencyNs: { p50 } }],
  series: { goodputGbps: [goodputGbps] },
});

it('tells inputs from figures, and names elements of lists', () => {
  const { inputs, figures, compared } = diffResults(result(4, 80, 1000), result(8, 96, 1000.5), 0.1);
  expect(inputs).toEqual([{ path: 'workload.tenants[rpc].qps', before: 4, after: 8, percent: 100 }]);
  expect(figures).toEqual([{ path: 'total.goodputGbps', before: 80, after: 96, percent: 20 }]);
  expect(compared).toBe(5);
});

it('matches points of sweeps by their values, whatever their order', () => {
  const points = [
    { values: [1, 'a'], readings: { goodputGbps: 10 } },
    { values: [2, 'a'], readings: { goodputGbps: 20 } },
  ];
  expect(diffResults({ points }, { points: points.toReversed() }, 0).figures).toEqual([]);
  expect([...figuresOf({ points }).keys()]).toContain('points[2 a].readings.goodputGbps');
});

it('is not led astray by deep or strange results', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 10_000; depth++) deep = { deep };
  expect(figuresOf(deep).size).toBe(0);
  expect(figuresOf(null).get('')).toBeNull();
  expect([percentOf(0, 1), percentOf(4, 'x'), percentOf(-2, -1)]).toEqual([null, null, 50]);
});
