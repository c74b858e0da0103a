import { describe, expect, it } from 'vitest';
import { Iommu } from './iommu.js';

const PAGE = 4096;

describe('an IOMMU', () => {
  it('passes addresses through until it translates', () => {
    const iommu = new Iommu(4);
    expect(iommu.translate(1000, 0, 64)).toBe(1000);
    expect(iommu.misses).toBe(0);
  });

  it('walks for a page once, and again when others took its place', () => {
    const iommu = new Iommu(4);
    iommu.walkPs = 300_000;
    expect(iommu.translate(1000, 10, 64)).toBe(301_000);
    expect(iommu.translate(1000, 4090, 64)).toBe(1000);
    // Page 1 came with the last bytes of that one; 0 and 1 are there, 2 to 4 push out 0.
    for (const page of [2, 3, 4]) iommu.translate(0, page * PAGE, 1);
    expect(iommu.translate(0, PAGE, 1)).toBe(0);
    expect(iommu.translate(0, 0, 1)).toBe(300_000);
  });

  it('lets a long message wait for its first page alone, and remembers its last ones', () => {
    const iommu = new Iommu(4);
    iommu.walkPs = 300_000;
    expect(iommu.translate(0, 0, 10 * PAGE)).toBe(300_000);
    expect(iommu.translate(0, 9 * PAGE, 1)).toBe(0);
    expect(iommu.translate(0, 5 * PAGE, 1)).toBe(300_000);
  });
});
