import { describe, expect, it } from 'vitest';
import { because, conclude, figures, must, outside, several, single } from './check.js';
import type { Target } from './targets/target.js';

// Goal: a number inside its tolerance is green, one outside is red and says by how much.

const target: Target = { id: 'T1', setting: '', metric: 'rate', value: 100, tolerance: 0.1 };
const pair: Target = {
  ...target,
  metric: ['bandwidth', 'share'],
  value: ['50 Gbps', 0.2],
};

describe('a number', () => {
  it.each([
    [90, true],
    [110, true],
    [89.9, false],
    [110.1, false],
    [Number.NaN, false],
  ])('%d against 100 ±10 %% is %s', (value, ok) => {
    expect(single(target, value).ok).toBe(ok);
  });

  it('outside names both numbers and the distance', () => {
    expect(outside('rate', 120, 100, 0.1)).toBe('rate 120 is +20.0 % from 100, allowed ±10 %');
  });

  it('is kept with four figures', () => {
    expect(figures(123456.789)).toBe(123500);
    expect(single(target, 99.98765).simulated).toBe(99.99);
  });
});

describe('several numbers', () => {
  it('are matched by name, units in the paper ignored', () => {
    expect(several(pair, { bandwidth: 52, share: 0.21 })).toEqual({
      simulated: { bandwidth: 52, share: 0.21 },
      ok: true,
    });
    expect(several(pair, { bandwidth: 60, share: 0.21 }).reason).toMatch(/^bandwidth 60/);
  });

  it('above a bound need only be above it', () => {
    const bounded: Target = { ...target, value: { READ: 60, WRITE: '>90' } };
    expect(several(bounded, { READ: 60, WRITE: 500 }).ok).toBe(true);
    expect(several(bounded, { READ: 60, WRITE: 90 }).reason).toBe('WRITE 90 is not above 90');
  });

  it('that the paper does not have are refused', () => {
    expect(() => several(pair, { latency: 1 })).toThrow(/T1 has no number latency/);
  });
});

describe('a finding', () => {
  it('is green without complaints and red with all of them', () => {
    expect(conclude(1, [null, must(true, 'no')])).toEqual({ simulated: 1, ok: true });
    expect(conclude(1, [must(false, 'one'), null, 'two'])).toEqual({
      simulated: 1,
      ok: false,
      reason: 'one; two',
    });
  });

  it('says why where something is wrong, and nothing where all is well', () => {
    expect(because([null, null], 'why')).toEqual([null, null]);
    expect(conclude(1, because([null, 'one'], 'why')).reason).toBe('one; why');
  });
});
