/** Transports of the search space. */
export type PointTransport = 'RC' | 'UC' | 'UD';
/** Operations of the search space. */
export type PointOpcode = 'WRITE' | 'READ' | 'SEND';
/**
 * Where requests go: `uni` from host a to b; `bi` both ways; `loopback` half of the queue pairs from a to b and half from
 * b to itself, so that b receives from the wire and from within (Collie #13).
 */
export type PointDirection = 'uni' | 'bi' | 'loopback';
/**
 * How the message pattern fills scatter-gather lists: `even` cuts each message into elements of equal length; `list` puts
 * as many messages of the pattern as there are elements into one request (Collie §4: n requests of m elements each).
 */
export type PointLayout = 'even' | 'list';

/** One workload of the search space: a value for each dimension of Collie §4. */
export interface Point {
  /** Dimension 1, host topology: where the memory of each host lies. */
  memoryA: string;
  memoryB: string;
  direction: PointDirection;
  /** Dimension 2, memory allocation: regions of a queue pair on each side, and their length. */
  mrs: number;
  mrBytes: number;
  /** Dimension 3, transport. */
  transport: PointTransport;
  opcode: PointOpcode;
  /** Queue pairs per direction. */
  qps: number;
  /** Depth of send and receive queues. */
  queueDepth: number;
  /** Work requests per post, sends and receives. */
  batch: number;
  sge: number;
  layout: PointLayout;
  mtu: number;
  /** Dimension 4, message pattern: the request vector, bytes each. */
  sizes: readonly number[];
}

/** The name of a dimension. */
export type DimensionName = keyof Point;

/** Whether the pattern has messages of one size alone. */
export function isUniform(sizes: readonly number[]): boolean {
  return sizes.every((each) => each === sizes[0]);
}

/**
 * The point without what has no effect: a pattern of one size has one entry; a layout needs two elements and two sizes;
 * a region shorter than the longest message grows to it.
 */
export function canonical(point: Point): Point {
  const sizes = isUniform(point.sizes) ? [point.sizes[0]] : point.sizes;
  const layout = point.sge === 1 || sizes.length === 1 ? 'even' : point.layout;
  const longest = Math.max(...messageBytes({ ...point, sizes, layout }));
  return { ...point, sizes, layout, mrBytes: Math.max(point.mrBytes, longest) };
}

/** A text that is equal for equal points and no others. */
export function keyOf(point: Point): string {
  const { memoryA, memoryB, direction, mrs, mrBytes, transport, opcode } = point;
  const { qps, queueDepth, batch, sge, layout, mtu, sizes } = point;
  return [
    ...[transport, opcode, direction, memoryA, memoryB, qps, mrs, mrBytes],
    ...[queueDepth, batch, sge, layout, mtu, sizes.join('+')],
  ].join('/');
}

/** The messages of a point, each as the lengths of its elements; one length where it is cut evenly. */
export function elementLists({ sizes, sge, layout }: Pick<Point, 'sizes' | 'sge' | 'layout'>): number[][] {
  if (layout === 'even' || sge === 1) return sizes.map((size) => [size]);
  const messages = leastCommonMultiple(sizes.length, sge) / sge;
  return Array.from({ length: messages }, (_, message) =>
    Array.from({ length: sge }, (__, element) => sizes[(message * sge + element) % sizes.length]),
  );
}

/** How long the messages of a point are, all elements together. */
export function messageBytes(point: Pick<Point, 'sizes' | 'sge' | 'layout'>): number[] {
  return elementLists(point).map(sum);
}

/** Memory regions of all queue pairs, one side. */
export function totalRegions({ qps, mrs }: Pick<Point, 'qps' | 'mrs'>): number {
  return qps * mrs;
}

/**
 * An experiment on real machines takes at least 20 s, and 60 s with as many queue pairs or regions as the space has (Collie
 * §5).
 */
const SECONDS = { least: 20, most: 60, queuePairs: 20_000, regions: 200_000 };

/**
 * What an experiment costs on real machines, in seconds: most of what differs is the time to create queue pairs and to
 * register regions (Collie §5), one after the other.
 */
export function hardwareSeconds(point: Point): number {
  const qps = point.qps * (point.direction === 'bi' ? 2 : 1);
  const share = qps / SECONDS.queuePairs + totalRegions(point) / SECONDS.regions;
  return SECONDS.least + (SECONDS.most - SECONDS.least) * Math.min(1, share);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function leastCommonMultiple(a: number, b: number): number {
  const divisor = (x: number, y: number): number => (y === 0 ? x : divisor(y, x % y));
  return (a * b) / divisor(a, b);
}
