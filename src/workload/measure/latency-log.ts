import { type LatencySummary, summarizeLatencies } from './latency-summary.js';

/** Samples kept at most; then every other one is dropped and only every other new one is taken, and so on. */
const CAPACITY = 1 << 17;

/** How many requests were in flight until some moment, for Little's law. */
export interface InFlight {
  /** Requests times nanoseconds. */
  areaNs: number;
  /** Requests that had completed. */
  completed: number;
}

/**
 * Latencies of one tenant, each with the time at which its request was posted: which of them belong to the warm-up is
 * known only afterwards. Memory is bounded by thinning evenly. Beside the samples it keeps count of all requests that
 * ask for a completion, so that the samples can be held against Little's law.
 */
export class LatencyLog {
  private postTimes = new Float64Array(1024);
  private latencies = new Float64Array(1024);
  private count = 0;
  private stride = 1;
  private skipped = 0;
  private opened = 0;
  private closed = 0;
  /** Sum of the times at which requests completed, less that of the times at which they were posted. */
  private timesNs = 0;
  private leastNs = Number.POSITIVE_INFINITY;
  /** What one nanosecond in flight is worth as latency: a ping-pong's is half a round trip. */
  private readonly scale: number;

  constructor(scale = 1) {
    this.scale = scale;
  }

  /** A request was posted that will complete. */
  open(postedNs: number): void {
    this.opened++;
    this.timesNs -= postedNs;
  }

  /** One of them completed. */
  close(nowNs: number): void {
    this.closed++;
    this.timesNs += nowNs;
  }

  /** A request that was chosen to be followed completed; `tookNs` after it was posted. */
  record(postedNs: number, tookNs: number): void {
    if (tookNs < this.leastNs) this.leastNs = tookNs;
    if (++this.skipped < this.stride) return;
    this.skipped = 0;
    if (this.count === this.postTimes.length) this.makeRoom();
    this.postTimes[this.count] = postedNs;
    this.latencies[this.count++] = tookNs * this.scale;
  }

  /** What the quickest of all took, at whatever time: hardly anything held it up. Infinity: none completed. */
  get quickestNs(): number {
    return this.leastNs * this.scale;
  }

  /** Requests in flight until now, summed over time. */
  inFlight(nowNs: number): InFlight {
    const areaNs = (this.opened - this.closed) * nowNs + this.timesNs;
    return { areaNs: areaNs * this.scale, completed: this.closed };
  }

  /**
   * What requests posted from `fromNs` to `toNs` took; null if none was followed. `waiting` has the post times of those
   * that are still followed, and `nowNs` says how long they have waited.
   */
  summarize(
    fromNs: number,
    toNs: number,
    waiting: readonly number[] = [],
    nowNs = toNs,
  ): LatencySummary | null {
    const within = (postedNs: number) => postedNs >= fromNs && postedNs <= toNs;
    const { postTimes, latencies, count } = this;
    const done = new Float64Array(count);
    let kept = 0;
    for (let index = 0; index < count; index++) if (within(postTimes[index])) done[kept++] = latencies[index];
    // Thinned as the samples were.
    const ages = waiting
      .filter(within)
      .filter((_, index) => index % this.stride === 0)
      .map((postedNs) => (nowNs - postedNs) * this.scale);
    return summarizeLatencies(done.subarray(0, kept), Float64Array.from(ages));
  }

  private makeRoom(): void {
    if (this.count < CAPACITY) {
      this.postTimes = grown(this.postTimes);
      this.latencies = grown(this.latencies);
      return;
    }
    this.count = CAPACITY / 2;
    for (let index = 0; index < this.count; index++) {
      this.postTimes[index] = this.postTimes[2 * index + 1];
      this.latencies[index] = this.latencies[2 * index + 1];
    }
    this.stride *= 2;
  }
}

/**
 * What Little's law makes of two moments: the mean time that a request between them was in flight; null if none completed.
 */
export function littleNs(before: InFlight, after: InFlight): number | null {
  const completed = after.completed - before.completed;
  return completed <= 0 ? null : (after.areaNs - before.areaNs) / completed;
}

function grown(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(array.length * 2);
  larger.set(array);
  return larger;
}
