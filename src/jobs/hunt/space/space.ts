import { KelpieError } from '../../../error.js';
import { canonical, type DimensionName, messageBytes, type Point, totalRegions } from './point.js';

/** A dimension with named values, the mildest first. */
export interface ChoiceDimension {
  kind: 'choice';
  values: readonly (string | number)[];
  /** Share of the draws that take the first value, the usual one; all are drawn alike unless set. */
  usualShare?: number;
  meaning: string;
}

/** A dimension with numbers, searched on a ladder. */
export interface NumberDimension {
  kind: 'number';
  /** The rungs, rising. */
  ladder: readonly number[];
  /** Rungs above this one are drawn less often, each a tenth as often as the one below: they cost most to set up. */
  usualMax: number;
  meaning: string;
}

/** The request vector. */
export interface PatternDimension {
  kind: 'pattern';
  ladder: readonly number[];
  /** Most entries of the vector. */
  maxLength: number;
  meaning: string;
}

/** Names of dimensions with named values. */
export type ChoiceName = 'transport' | 'opcode' | 'direction' | 'memoryA' | 'memoryB' | 'layout' | 'mtu';
/** Names of dimensions with numbers. */
export type NumberName = 'qps' | 'mrs' | 'mrBytes' | 'queueDepth' | 'batch' | 'sge';

/** Where a hunt searches: bounds and steps of each dimension, and what no workload may exceed. */
export interface Space {
  choices: Readonly<Record<ChoiceName, ChoiceDimension>>;
  numbers: Readonly<Record<NumberName, NumberDimension>>;
  sizes: PatternDimension;
  /** Regions of one side, and entries of all work queues of one host (their memory is pinned). */
  totals: Totals;
}

/** What all queue pairs of a workload have together at most, and usually: more costs most to set up and is seldom drawn. */
export interface Totals {
  regions: number;
  usualRegions: number;
  queueEntries: number;
  usualQueueEntries: number;
}

/** What each transport can do. */
export const OPERATIONS: Readonly<Record<Point['transport'], readonly Point['opcode'][]>> = {
  RC: ['WRITE', 'READ', 'SEND'],
  UC: ['WRITE', 'SEND'],
  UD: ['SEND'],
};

/** The dimensions with named values, in the order in which they are examined. */
export const CHOICES: readonly ChoiceName[] = [
  ...(['direction', 'memoryA', 'memoryB', 'layout', 'mtu', 'transport', 'opcode'] as const),
];
/** The dimensions with numbers, in the order in which they are examined: a shorter post allows a shorter queue. */
export const NUMBERS: readonly NumberName[] = ['mrBytes', 'mrs', 'sge', 'batch', 'queueDepth', 'qps'];
/** Every dimension. */
export const DIMENSIONS: readonly DimensionName[] = [...CHOICES, 'sizes', ...NUMBERS];

const doubling = (min: number, max: number): number[] => {
  const rungs: number[] = [];
  for (let value = min; value < max; value *= 2) rungs.push(value);
  return [...rungs, max];
};

/**
 * Collie's space (§4) on a subsystem whose memory can lie in these places, the usual one first: up to 20,000 queue pairs
 * and 200,000 regions.
 *
 * @example
 * const space = collieSpace(['memory0', 'memory1', 'gpu0']);
 */
export function collieSpace(places: readonly string[]): Space {
  const place = (host: string): ChoiceDimension => ({
    kind: 'choice',
    values: places,
    usualShare: 0.5,
    meaning: `where the memory of host ${host} lies`,
  });
  return {
    choices: {
      direction: {
        kind: 'choice',
        values: ['uni', 'bi', 'loopback'],
        meaning: 'a to b, both ways, or a to b beside b to itself',
      },
      memoryA: place('a'),
      memoryB: place('b'),
      layout: { kind: 'choice', values: ['even', 'list'], meaning: 'how messages fill scatter-gather lists' },
      mtu: { kind: 'choice', values: [4096, 2048, 1024], meaning: 'path MTU' },
      transport: { kind: 'choice', values: ['RC', 'UC', 'UD'], meaning: 'type of the queue pairs' },
      opcode: { kind: 'choice', values: ['WRITE', 'READ', 'SEND'], meaning: 'operation' },
    },
    numbers: {
      qps: {
        kind: 'number',
        ladder: doubling(1, 20_000),
        usualMax: 1024,
        meaning: 'queue pairs per direction',
      },
      mrs: {
        kind: 'number',
        ladder: doubling(1, 200_000),
        usualMax: 4096,
        meaning: 'memory regions of a queue pair',
      },
      mrBytes: {
        kind: 'number',
        ladder: [4096, 16384, 65536, 262144, 1048576, 4194304],
        usualMax: 4194304,
        meaning: 'length of a region',
      },
      queueDepth: {
        kind: 'number',
        ladder: doubling(1, 4096),
        usualMax: 2048,
        meaning: 'depth of send and receive queues',
      },
      batch: { kind: 'number', ladder: doubling(1, 128), usualMax: 128, meaning: 'work requests per post' },
      sge: { kind: 'number', ladder: [1, 2, 3, 4, 8, 16], usualMax: 16, meaning: 'elements of a request' },
    },
    sizes: {
      kind: 'pattern',
      ladder: [...[64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 262144, 1048576, 4194304]],
      maxLength: 4,
      meaning: 'bytes of each message of the request vector',
    },
    totals: { regions: 200_000, usualRegions: 2 ** 14, queueEntries: 2 ** 18, usualQueueEntries: 2 ** 15 },
  };
}

/** The space as far as a device can go: numbers up to these limits. */
export function limitedSpace(space: Space, limits: Partial<Record<NumberName | 'regions', number>>): Space {
  const numbers = Object.fromEntries(
    Object.entries(space.numbers).map(([name, dimension]) => {
      const most = limits[name as NumberName] ?? Number.POSITIVE_INFINITY;
      return [name, { ...dimension, ladder: dimension.ladder.filter((rung) => rung <= most) }];
    }),
  ) as unknown as Space['numbers'];
  const regions = Math.min(space.totals.regions, limits.regions ?? Number.POSITIVE_INFINITY);
  return { ...space, numbers, totals: { ...space.totals, regions } };
}

/** Why a point is no workload of the space, or null. */
export function illegality(point: Point, space: Space): string | null {
  for (const name of CHOICES)
    if (!space.choices[name].values.includes(point[name])) return `${name} is outside the space`;
  for (const name of NUMBERS) {
    const { ladder } = space.numbers[name];
    // A region as long as the longest message is always allowed: the message has to lie somewhere.
    const longest = name === 'mrBytes' ? longestMessage(point) : 0;
    const most = Math.max(ladder[ladder.length - 1], longest);
    if (point[name] < ladder[0] || point[name] > most) return `${name} is outside the space`;
  }
  const { ladder, maxLength } = space.sizes;
  if (point.sizes.length < 1 || point.sizes.length > maxLength) return 'the request vector is too long';
  if (point.sizes.some((size) => size < ladder[0] || size > ladder[ladder.length - 1]))
    return 'a message is outside the space';
  return contradiction(point, space);
}

function contradiction(point: Point, { totals }: Space): string | null {
  const { transport, opcode, queueDepth, batch, qps, direction } = point;
  if (transport === 'UD' && opcode !== 'SEND') return 'UD has only SEND';
  if (transport === 'UC' && opcode === 'READ') return 'UC has no READ';
  if (transport === 'UD' && longestMessage(point) > point.mtu) return 'a UD message has at most one MTU';
  if (batch > queueDepth) return 'a post does not fit the queue';
  if (opcode === 'SEND' && 2 * batch > queueDepth && batch > 1)
    return 'receives that are posted by the whole queue leave it empty in between';
  if (totalRegions(point) > totals.regions) return 'too many regions';
  if (totalEntries(point) > totals.queueEntries) return 'too many queue entries';
  if (direction === 'loopback' && qps < 2) return 'loopback beside other traffic needs two queue pairs';
  return null;
}

/** The shortest queue that holds the posts of a point: receives are posted by half of it at most. */
export function leastDepth({ batch, opcode }: Pick<Point, 'batch' | 'opcode'>): number {
  return opcode === 'SEND' ? 2 * batch : batch;
}

/** Entries of the send queues of a point, one host. */
function totalEntries({ qps, queueDepth, direction }: Point): number {
  return qps * queueDepth * (direction === 'bi' ? 2 : 1);
}

/** The most queue pairs, on their ladder, that a space has room for with queues as deep as the point's. */
export function mostQueues({ queueDepth, direction }: Point, { numbers, totals }: Space): number {
  return atMost(numbers.qps, totals.queueEntries / (queueDepth * (direction === 'bi' ? 2 : 1)));
}

/** The space without the totals that cost most to set up. */
export function usualSpace(space: Space): Space {
  const { usualRegions, usualQueueEntries } = space.totals;
  const totals = { ...space.totals, regions: usualRegions, queueEntries: usualQueueEntries };
  return { ...space, totals };
}

/** Where to look around a point: within the usual totals where it has them itself. */
export function spaceAround(point: Point, space: Space): Space {
  const usual = usualSpace(space);
  return illegality(point, usual) === null ? usual : space;
}

/**
 * The point in its canonical form, with regions no longer than the space has them or the longest message needs, and no
 * MTU beyond the least of the space that has every message in one packet: a larger one has no effect.
 */
export function fitted(point: Point, space: Space): Point {
  const { ladder } = space.numbers.mrBytes;
  const fit = canonical({ ...point, mrBytes: Math.min(point.mrBytes, ladder[ladder.length - 1]) });
  const longest = longestMessage(fit);
  const enough = space.choices.mtu.values.map(Number).filter((mtu) => mtu >= longest);
  return enough.length === 0 ? fit : { ...fit, mtu: Math.min(fit.mtu, ...enough) };
}

/**
 * The messages of a point with one element each, where lists of messages of the pattern make its requests: each list as one
 * element of its bytes, by the rungs of the ladder. So Collie's search takes elements back (`standard_reqs_sge` in
 * search/space.py of github.com/bytedance/Collie): the bytes of a request stay those of one request.
 */
export function mergedSizes(point: Point, { sizes: { ladder } }: Space): number[] {
  return messageBytes(point).map((bytes) => ladder.findLast((rung) => rung <= bytes) ?? bytes);
}

/** The longest message of a point. */
export function longestMessage(point: Point): number {
  return Math.max(...messageBytes(point));
}

/**
 * The point made legal by lowering what is too much, or null where the space has no legal point near it. Numbers give way
 * to names: what is drawn as UD stays UD.
 */
export function repaired(point: Point, space: Space): Point | null {
  const fixed = { ...point };
  const allowed = (name: ChoiceName) => space.choices[name].values;
  const operations: readonly string[] = OPERATIONS[fixed.transport];
  if (!operations.includes(fixed.opcode)) {
    const other = operations.find((each) => allowed('opcode').includes(each));
    if (other === undefined) return null;
    fixed.opcode = other as Point['opcode'];
  }
  if (fixed.transport === 'UD') shortenDatagrams(fixed);
  const room = fixed.opcode === 'SEND' ? Math.max(1, fixed.queueDepth / 2) : fixed.queueDepth;
  if (fixed.batch > room) fixed.batch = atMost(space.numbers.batch, room);
  fixed.mrs = Math.min(fixed.mrs, atMost(space.numbers.mrs, space.totals.regions / fixed.qps));
  if (fixed.direction === 'loopback' && fixed.qps < 2) fixed.qps = 2;
  const entries = space.totals.queueEntries / (fixed.direction === 'bi' ? 2 : 1);
  fixed.queueDepth = Math.min(
    fixed.queueDepth,
    Math.max(leastDepth(fixed), atMost(space.numbers.queueDepth, entries / fixed.qps)),
  );
  const result = fitted(fixed, space);
  return illegality(result, space) === null ? result : null;
}

/** A datagram has at most one MTU, all its elements together. */
function shortenDatagrams(point: Point): void {
  if (longestMessage(point) <= point.mtu) return;
  const share = point.layout === 'list' ? point.sge : 1;
  const most = 2 ** Math.floor(Math.log2(point.mtu / share));
  point.sizes = point.sizes.map((size) => Math.min(size, most));
}

function atMost({ ladder }: NumberDimension, limit: number): number {
  return ladder.findLast((rung) => rung <= limit) ?? ladder[0];
}

/** An error where a space has no workload at all. */
export function emptySpace(): KelpieError {
  return new KelpieError('SPACE_EMPTY', 'no workload lies within these bounds', {
    allowed: 'UD only SEND up to one MTU, UC no READ, a batch up to the queue depth',
  });
}
