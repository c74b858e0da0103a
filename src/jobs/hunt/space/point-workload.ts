import {
  type MeasureOptions,
  placementOf,
  resolveWorkload,
  type Tenant,
  type Workload,
} from '../../../workload/index.js';
import { canonical, elementLists, messageBytes, type Point } from './point.js';

/** How long an experiment measures: points of the search shortly, what is reported longer, what starts slowly longest. */
export type ExperimentLength = 'short' | 'full' | 'long';

const MEASURE: Readonly<Record<ExperimentLength, MeasureOptions>> = {
  // A verdict needs a rate only roughly; what is mild enough to escape is of the mildest.
  short: { sliceNs: 5000, minNs: 50_000, maxNs: 200_000, relativeError: 0.12 },
  full: { sliceNs: 10_000, minNs: 160_000, maxNs: 320_000, relativeError: 0.03 },
  // Hundreds of queue pairs with long posts take up to a millisecond to get their first WQEs onto the chip.
  long: { sliceNs: 40_000, minNs: 1_600_000, maxNs: 2_000_000, relativeError: 0.02 },
};

/** How long a request keeps a device of some hundred Gb/s busy: 40 million short ones per second, 200 Gb/s of long ones. */
const REQUEST = { leastNs: 25, byteNs: 0.04 };

/** How a point is run. */
export interface WorkloadOptions {
  length: ExperimentLength;
  /** How long to measure, relative to what suits a device of some hundred Gb/s; 1 unless set. */
  timeScale?: number;
  name?: string;
  description?: string;
  /** Host settings over those of the subsystem. */
  settings?: Readonly<Record<string, string>>;
}

/**
 * The workload of a point, ready to be run.
 *
 * @example
 * const measurement = await runWorkload(workloadOf(point, { length: 'full' }), testbed, { seed: 1 });
 */
export function workloadOf(point: Point, options: WorkloadOptions): Workload {
  return resolveWorkload(workloadInputOf(point, options));
}

/** The same as a person would write it in a file: only what is not a default. */
export function workloadInputOf(
  point: Point,
  { length, timeScale = 1, name = 'hunt', description, settings = {} }: WorkloadOptions,
) {
  const { memoryA, memoryB, qps, direction } = point;
  const memory = memoryA === '' ? {} : { memory: { a: memoryA, b: memoryB } };
  const sameHost = Math.floor(qps / 2);
  const way =
    direction === 'loopback'
      ? {
          direction: 'nToOne' as const,
          to: 'b',
          senders: { sameHost, otherHost: qps - sameHost, hosts: 1 },
        }
      : { direction, qps };
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(Object.keys(settings).length === 0 ? {} : { settings: { ...settings } }),
    transport: point.transport,
    opcode: point.opcode,
    ...way,
    ...memory,
    mrs: point.mrs,
    mrBytes: point.mrBytes,
    sendQueueDepth: point.queueDepth,
    receiveQueueDepth: point.queueDepth,
    batch: point.batch,
    sge: point.sge,
    sizes: elementLists(point).map((lengths) => (lengths.length === 1 ? lengths[0] : lengths)),
    mtu: point.mtu as Tenant['mtu'],
    measure: measureFor(point, length, timeScale),
  };
}

/** No look is longer than its kind may be: millions of requests are not waited for. */
function measureFor(point: Point, length: ExperimentLength, timeScale: number): MeasureOptions {
  const { sliceNs, minNs, maxNs, relativeError } = MEASURE[length];
  return {
    sliceNs: Math.max(100, sliceNs * timeScale),
    minNs:
      Math.min(maxNs, point.opcode === 'READ' ? Math.max(minNs, firstPostsNs(point)) : minNs) * timeScale,
    maxNs: maxNs * timeScale,
    relativeError,
  };
}

/**
 * How long the first post of every queue pair takes at least: until then only what lay ready goes out, and nothing that has
 * been posted since. READs of hundreds of queue pairs begin to pause after that alone, since their answers have to come
 * back first; what else goes wrong shows at once.
 */
function firstPostsNs(point: Point): number {
  const lengths = messageBytes(point);
  const bytes = lengths.reduce((sum, each) => sum + each, 0) / lengths.length;
  return point.qps * point.batch * Math.max(REQUEST.leastNs, bytes * REQUEST.byteNs);
}

/**
 * The point nearest to a tenant of a user's workload: queues and posts by the deeper side where both matter, mixes by
 * their largest share.
 */
export function pointOf(tenant: Tenant, usualPlace: string): Point {
  const operation =
    typeof tenant.opcode === 'string'
      ? tenant.opcode
      : tenant.opcode.reduce((most, each) => (each.share > most.share ? each : most)).opcode;
  const opcode = operation.startsWith('SEND') ? 'SEND' : operation.startsWith('WRITE') ? 'WRITE' : 'READ';
  const twoSided = opcode === 'SEND' || operation === 'WRITE_WITH_IMM';
  const lists = tenant.sizes.map((entry) => (typeof entry === 'number' ? [entry] : [...entry]));
  const listed = lists.some((list) => list.length > 1);
  const place = (host: string) => placementOf(tenant, host) ?? usualPlace;
  const loops = tenant.direction === 'loopback' || (tenant.senders?.sameHost ?? 0) > 0;
  return canonical({
    memoryA: place(tenant.from),
    memoryB: place(tenant.to),
    direction: loops ? 'loopback' : tenant.direction === 'bi' ? 'bi' : 'uni',
    mrs: regionsOfQp(tenant),
    mrBytes: tenant.mrBytes,
    transport: tenant.transport,
    opcode,
    qps: tenant.qps,
    queueDepth: Math.max(tenant.sendQueueDepth, twoSided ? tenant.receiveQueueDepth : 1),
    batch: Math.max(tenant.batch, twoSided ? tenant.receiveBatch : 1),
    sge: tenant.sge,
    layout: listed ? 'list' : 'even',
    mtu: tenant.mtu,
    sizes: lists.flat(),
  });
}

/** Regions that one queue pair's messages go to. */
function regionsOfQp({ mrs, mrScope, qps, threads }: Tenant): number {
  if (mrScope === 'qp') return mrs;
  const sharers = mrScope === 'thread' ? qps / threads : qps;
  return Math.max(1, Math.round(mrs / sharers));
}
