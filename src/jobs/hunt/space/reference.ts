import { canonical, type Point } from './point.js';
import { fitted, illegality, longestMessage, mergedSizes, repaired, type Space } from './space.js';

/** Workloads that no subsystem should mind (Collie's benign kind): many parts busy, none at its end. */
const MILD: Omit<Point, 'memoryA' | 'memoryB'> = {
  direction: 'uni',
  mrs: 1,
  mrBytes: 65536,
  transport: 'RC',
  opcode: 'WRITE',
  qps: 16,
  queueDepth: 128,
  batch: 1,
  sge: 1,
  layout: 'even',
  mtu: 4096,
  sizes: [65536],
};

/** Entries of a deep queue: many, but not as many as the space has. */
export const DEEP_QUEUE = 1024;

/** Longest datagram of the reference: it fits every MTU of the space. */
const DATAGRAM_BYTES = 1024;

/**
 * The mild workload of a space that an anomaly is held against: what an anomalous workload shares with it is not what
 * makes it anomalous. Where the space leaves it out, the nearest that the space has.
 */
export function referencePoint(space: Space): Point {
  const nearest = (ladder: readonly number[], value: number) =>
    ladder.reduce((best, rung) => (Math.abs(rung - value) < Math.abs(best - value) ? rung : best));
  const { choices, numbers, sizes } = space;
  const point = { ...MILD, memoryA: '', memoryB: '' } as Point;
  const named = Object.fromEntries(
    Object.entries(choices).map(([name, { values }]) => {
      const mild = point[name as keyof Point] as string | number;
      return [name, values.includes(mild) ? mild : values[0]];
    }),
  );
  const counted = Object.fromEntries(
    Object.entries(numbers).map(([name, { ladder }]) => [
      name,
      nearest(ladder, point[name as keyof Point] as number),
    ]),
  );
  return canonical({ ...point, ...named, ...counted, sizes: [nearest(sizes.ladder, MILD.sizes[0])] });
}

/** Dimensions that go together when a workload is taken back to the reference: one without the other may be impossible. */
export const UNITS = {
  regionLength: ['mrBytes'],
  regions: ['mrs'],
  memoryA: ['memoryA'],
  memoryB: ['memoryB'],
  direction: ['direction'],
  elements: ['sge', 'layout'],
  sizes: ['sizes'],
  mtu: ['mtu'],
  batch: ['batch'],
  queueDepth: ['queueDepth'],
  qps: ['qps'],
  traffic: ['transport', 'opcode'],
} as const satisfies Readonly<Record<string, readonly (keyof Point)[]>>;

/** A group of dimensions that go together. */
export type Unit = keyof typeof UNITS;

/**
 * A point with some of its units taken back to the reference; null where that is no workload. A datagram has the
 * reference's size only as far as it fits.
 */
export function takenBack(
  point: Point,
  units: readonly Unit[],
  reference: Point,
  space: Space,
): Point | null {
  const changed: Record<string, unknown> = { ...point };
  for (const unit of units) for (const name of UNITS[unit]) changed[name] = reference[name];
  const result = changed as unknown as Point;
  if (point.layout === 'list' && result.sge === 1 && !units.includes('sizes'))
    result.sizes = mergedSizes(point, space);
  // An MTU that no message reaches is no property of the workload: longer messages meet the reference's.
  if (units.includes('sizes') && longestMessage(point) <= point.mtu) result.mtu = reference.mtu;
  if (result.transport === 'UD' && units.includes('sizes')) result.sizes = [DATAGRAM_BYTES];
  const legal = fitted(result, space);
  return illegality(legal, space) === null ? legal : repaired(legal, space);
}
