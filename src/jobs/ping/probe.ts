import {
  Access,
  type CompletionQueue,
  type Context,
  connectRcPair,
  type MemoryRegion,
  type QueuePair,
  type Thread,
} from '../../verbs/index.js';
import { type Plan, type ProbePath, pathName } from './plan.js';
import { failedReading, type Reading, readingOf } from './reading.js';

/** How paths are probed. */
export interface ProbeOptions {
  /** Bytes of the small message; 1 by default (Hostping §4.1.1). */
  readonly smallBytes?: number;
  /** Bytes of the large message; 128 KiB by default: 5 us of transfer at 200 Gb/s. */
  readonly largeBytes?: number;
  /** Pairs of a small and a large probe per path that count, besides a first pair that is thrown away; 11 by default. */
  readonly repetitions?: number;
  /** Time between probes, on the provider's clock; none by default. */
  readonly spacingNs?: number;
  /** Adds to the time of a probe: the jitter of a real processor. Drawn once per probe. */
  readonly jitterNs?: () => number;
  /**
   * Bytes of each region in a memory; those of one large message by default. Probes walk through it, so that a window
   * beyond what DMA may fill of the last-level cache shows the memory channels behind it.
   */
  readonly memoryWindowBytes?: number;
  /** The socket that the probing thread runs on; that of the device by default. */
  readonly socket?: number;
}

/** How simulated servers are probed. */
export const SIMULATED_PROBES = {
  /** Probes must reach the path: what is shorter rides in the doorbell. */
  smallBytes: 64,
  /** More than DMA may fill of a last-level cache, so that memory channels are seen behind it. */
  memoryWindowBytes: 64 * 2 ** 20,
} as const satisfies ProbeOptions;

/** What a sweep cost. */
export interface ProbeCost {
  readonly probes: number;
  readonly bytes: number;
  /** Time that a probe was in flight, on the provider's clock. */
  readonly busyNs: number;
  /** From the first probe to the end of the last. */
  readonly elapsedNs: number;
}

/** One sweep: a reading per path of the plan, null where the path was not asked for. */
export interface ProbeSweep {
  readonly readings: readonly (Reading | null)[];
  readonly cost: ProbeCost;
}

const SMALL_BYTES = 1;
const LARGE_BYTES = 128 * 1024;
const REPETITIONS = 11;
const PAGE_BYTES = 4096;
/** A probe that takes longer than this is given up: no path of a host takes a tenth of a second. */
const TIMEOUT_NS = 100e6;

/** What is kept per endpoint of an RNIC: two regions, registered once. */
interface ProbeEnd {
  readonly from: MemoryRegion;
  readonly to: MemoryRegion;
  /** Bytes of each region, and where in them the next probe begins. */
  readonly bytes: number;
  next: number;
}

/** A device with a queue pair connected to a sibling on the same device: nothing that it sends reaches the wire. */
interface Loopback {
  readonly context: Context;
  readonly qp: QueuePair;
  readonly cq: CompletionQueue;
  /** The other end of the loop, on the same device. */
  readonly sibling: QueuePair;
  readonly thread: Thread | null;
  readonly endpoints: Map<string, ProbeEnd>;
}

/**
 * Probes the paths of a host by loopback WRITEs, one in flight on the whole host (Hostping §4.1.1): the RNIC reads from an
 * endpoint, turns the packets round inside, and writes to the same endpoint.
 *
 * @example
 * const prober = new Prober(plan, (rnic) => contexts.get(rnic)!);
 * const { readings, cost } = await prober.sweep();
 */
export class Prober {
  private readonly plan: Plan;
  private readonly loopbacks = new Map<string, Loopback>();
  private readonly contextOf: (rnic: string) => Context;
  private readonly options: ProbeOptions;

  constructor(plan: Plan, contextOf: (rnic: string) => Context, options: ProbeOptions = {}) {
    this.plan = plan;
    this.contextOf = contextOf;
    this.options = options;
  }

  /** Probes all paths, or those that `wanted` names by their index in the plan. */
  async sweep(wanted: (path: number) => boolean = () => true): Promise<ProbeSweep> {
    const { paths } = this.plan;
    const readings: (Reading | null)[] = [];
    const cost = { probes: 0, bytes: 0, busyNs: 0 };
    const clock = this.contextOf(this.plan.rnics[0]).clock;
    const startNs = clock.nowNs;
    for (let path = 0; path < paths.length; path++) {
      readings.push(wanted(path) ? await this.probe(paths[path], cost) : null);
    }
    return { readings, cost: { ...cost, elapsedNs: clock.nowNs - startNs } };
  }

  private async probe(
    path: ProbePath,
    cost: { probes: number; bytes: number; busyNs: number },
  ): Promise<Reading> {
    const { smallBytes = SMALL_BYTES, largeBytes = LARGE_BYTES, repetitions = REPETITIONS } = this.options;
    let endpoint: ProbeEnd;
    const loopback = this.loopbackOf(path.rnic);
    try {
      endpoint = this.endpointOf(loopback, path, largeBytes);
    } catch (error) {
      return failedReading(`${path.endpoint} cannot be registered: ${(error as Error).message}`);
    }
    const sizes = Array.from({ length: 2 * (repetitions + 1) }, (_, probe) =>
      probe % 2 === 0 ? smallBytes : largeBytes,
    );
    const timesNs = await this.timed(loopback, endpoint, sizes);
    if (typeof timesNs === 'string') {
      // A queue pair that failed is of no more use; the next probe of this RNIC makes another.
      this.loopbacks.delete(path.rnic);
      return failedReading(`${pathName(path)}: ${timesNs}`);
    }
    cost.probes += sizes.length;
    cost.bytes += sizes.reduce((sum, bytes) => sum + bytes, 0);
    cost.busyNs += timesNs.reduce((sum, ns) => sum + ns, 0);
    const counted = timesNs.slice(2);
    const small = counted.filter((_, probe) => probe % 2 === 0);
    const large = counted.filter((_, probe) => probe % 2 === 1);
    return readingOf(small, large, { smallBytes, largeBytes });
  }

  /**
   * Posts WRITEs of these sizes one after the other and takes the time of each; a sentence where one fails or never ends.
   */
  private async timed(
    loopback: Loopback,
    endpoint: ProbeEnd,
    sizes: readonly number[],
  ): Promise<number[] | string> {
    const { context, qp, cq, thread } = loopback;
    const { from, to } = endpoint;
    const { clock } = context;
    const { spacingNs = 0, jitterNs = () => 0 } = this.options;
    const timesNs: number[] = [];
    let startedNs = 0;
    let dueNs = clock.nowNs;
    let waiting = false;
    let failure: string | null = null;
    const step = (): void => {
      if (waiting) {
        const [completion] = cq.poll(1);
        if (completion === undefined) return;
        if (completion.status !== 'SUCCESS') failure = completion.status;
        timesNs.push(clock.nowNs - startedNs + jitterNs());
        waiting = false;
        // In whole nanoseconds, so that a thread that wakes then is not early by a rounding.
        dueNs = spacingNs === 0 ? clock.nowNs : Math.ceil(clock.nowNs + spacingNs);
      }
      if (failure !== null || timesNs.length === sizes.length) return;
      if (clock.nowNs < dueNs) {
        thread?.wakeAtNs(dueNs);
        return;
      }
      const length = sizes[timesNs.length];
      const offset = endpoint.next + length <= endpoint.bytes ? endpoint.next : 0;
      // The next one begins on a page that this one did not touch, as memory of programs does.
      endpoint.next = Math.ceil((offset + length) / PAGE_BYTES) * PAGE_BYTES;
      startedNs = clock.nowNs;
      waiting = true;
      qp.postSend({
        opcode: 'RDMA_WRITE',
        wrId: timesNs.length,
        sgList: [{ addr: from.addr + offset, length, lkey: from.lkey }],
        // A region whose address nobody chose has a number.
        remoteAddr: Number(to.iova) + offset,
        rkey: to.rkey,
        signaled: true,
      });
    };
    thread?.run(step);
    while (timesNs.length < sizes.length && failure === null) {
      const before = timesNs.length;
      const untilNs = clock.nowNs + TIMEOUT_NS + spacingNs;
      if (thread === null) step();
      while (timesNs.length === before && failure === null && clock.nowNs < untilNs) {
        await clock.sleep(thread === null ? 1000 : 10_000 + spacingNs);
        if (thread === null) step();
      }
      if (timesNs.length === before && failure === null) return `no completion within ${TIMEOUT_NS / 1e6} ms`;
    }
    return failure ?? timesNs;
  }

  private loopbackOf(rnic: string): Loopback {
    const known = this.loopbacks.get(rnic);
    if (known !== undefined) return known;
    const context = this.contextOf(rnic);
    const [end, sibling] = connectRcPair(context, context, { cap: { maxSendWr: 16, maxRecvWr: 1 } });
    const { socket } = this.options;
    const thread =
      context.createThread?.({ name: 'ping', ...(socket === undefined ? {} : { socket }) }) ?? null;
    thread?.watch(end.sendCq);
    const made = {
      context,
      qp: end.qp,
      cq: end.sendCq,
      sibling: sibling.qp,
      thread,
      endpoints: new Map<string, ProbeEnd>(),
    };
    this.loopbacks.set(rnic, made);
    return made;
  }

  private endpointOf(
    { context, qp, sibling, endpoints }: Loopback,
    { endpoint: name, endpointKind }: ProbePath,
    largeBytes: number,
  ): ProbeEnd {
    const known = endpoints.get(name);
    if (known !== undefined) return known;
    const { memoryWindowBytes = largeBytes } = this.options;
    const bytes = endpointKind === 'memory' ? Math.max(largeBytes, memoryWindowBytes) : largeBytes;
    const memory = context.capabilities.unbackedMemory
      ? { lengthBytes: bytes, placement: name }
      : new Uint8Array(bytes);
    const access = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
    const made = { from: qp.pd.regMr(memory, access), to: sibling.pd.regMr(memory, access), bytes, next: 0 };
    endpoints.set(name, made);
    return made;
  }
}
