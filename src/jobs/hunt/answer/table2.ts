import { type Point, totalRegions } from '../space/point.js';

/** Amounts of a workload that Table 2 bounds. */
interface Amounts {
  batch?: number;
  queueDepth?: number;
  sge?: number;
  qps?: number;
  regions?: number;
  /** Of every message of the pattern. */
  size?: number;
}

/** The bounds that Collie's Table 2 prints for a row: at least, and at most. */
interface Bounds {
  least?: Amounts;
  most?: Amounts;
}

/** How near a workload is to what Table 2 says of a row. */
export type Nearness = 'table' | 'twice' | 'looser';

/**
 * Collie's Table 2, by the numbers of its appendix A: the table exchanges #7 and #8. 'No' batch is one WQE per post; a bound
 * that it prints as about this much is taken as that. Queue pairs are those of both directions: the appendix's triggers of
 * #4, #14 and #18 have 80, 1,024 and 16 for each direction, and the table at least 160, 1,300 and 30.
 */
const table2: Readonly<Record<string, Bounds>> = {
  C1: { least: { batch: 64, queueDepth: 256 } },
  C2: { least: { queueDepth: 1024, qps: 16 }, most: { batch: 8, size: 1024 } },
  C3: { least: { size: 16384 } },
  C4: { least: { batch: 32, sge: 4, qps: 160 } },
  C5: { least: { batch: 64, queueDepth: 1024, size: 2048 }, most: { size: 8192 } },
  C6: { least: { sge: 2, queueDepth: 1024, qps: 32 }, most: { batch: 16, size: 1024 } },
  C7: { least: { qps: 500 }, most: { batch: 1, queueDepth: 16, size: 1024 } },
  C8: { least: { regions: 12_000 }, most: { batch: 1, size: 1024 } },
  C9: { least: { sge: 3 } },
  C10: { least: { batch: 64, qps: 320 } },
  C14: { least: { sge: 4, qps: 1300 } },
  C15: { least: { queueDepth: 64, qps: 32 } },
  C16: { least: { batch: 8, qps: 500 } },
  C17: { least: { queueDepth: 128, qps: 64 }, most: { batch: 16, size: 1024 } },
  C18: { least: { batch: 32, qps: 30 }, most: { size: 65536 } },
};

/**
 * How near the reduced point of a find is to Table 2's own bounds of a row that it was matched with: within them, within a
 * factor of two of each, or looser, which the matching allows. Rows without numbers are within.
 *
 * @example
 * nearnessOf(find.point, 'C4'); // 'twice'
 */
export function nearnessOf(point: Point, id: string): Nearness {
  const bounds = table2[id] ?? {};
  if (isWithin(point, bounds, 1)) return 'table';
  return isWithin(point, bounds, 2) ? 'twice' : 'looser';
}

/** The nearer of two. */
export function nearer(one: Nearness, other: Nearness): Nearness {
  const order: readonly Nearness[] = ['table', 'twice', 'looser'];
  return order.indexOf(one) <= order.indexOf(other) ? one : other;
}

function isWithin(point: Point, { least = {}, most = {} }: Bounds, factor: number): boolean {
  const enough = Object.entries(least).every(([name, bound]) =>
    valuesOf(point, name as keyof Amounts).every((value) => value >= bound / factor),
  );
  const few = Object.entries(most).every(([name, bound]) =>
    valuesOf(point, name as keyof Amounts).every((value) => value <= bound * factor),
  );
  return enough && few;
}

function valuesOf(point: Point, name: keyof Amounts): readonly number[] {
  if (name === 'size') return point.sizes;
  if (name === 'qps') return [point.direction === 'bi' ? 2 * point.qps : point.qps];
  return [name === 'regions' ? totalRegions(point) : point[name]];
}
