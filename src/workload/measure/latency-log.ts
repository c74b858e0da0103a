/** Samples kept at most; then every other one is dropped and only every other new one is taken, and so on. */
const CAPACITY = 1 << 17;

/** Latency in nanoseconds, as a Measurement gives it. */
export interface LatencySummary {
  samples: number;
  min: number;
  mean: number;
  stdev: number;
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

/**
 * Latencies with the times at which they were seen: which of them belong to the warm-up is known only afterwards. Memory
 * is bounded by thinning evenly.
 */
export class LatencyLog {
  private times = new Float64Array(1024);
  private latencies = new Float64Array(1024);
  private count = 0;
  private stride = 1;
  private skipped = 0;

  record(nowNs: number, latencyNs: number): void {
    if (++this.skipped < this.stride) return;
    this.skipped = 0;
    if (this.count === this.times.length) this.makeRoom();
    this.times[this.count] = nowNs;
    this.latencies[this.count++] = latencyNs;
  }

  /** What was seen after `fromNs` and not after `toNs`; null if nothing was. */
  summarize(fromNs: number, toNs: number): LatencySummary | null {
    const kept = this.latencies
      .slice(0, this.count)
      .filter((_, index) => this.times[index] > fromNs && this.times[index] <= toNs);
    if (kept.length === 0) return null;
    kept.sort();
    const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
    const squares = kept.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
    const rank = (percent: number) => kept[Math.max(0, Math.ceil((percent * kept.length) / 100) - 1)];
    return {
      samples: kept.length,
      min: kept[0],
      mean,
      stdev: kept.length < 2 ? 0 : Math.sqrt(squares / (kept.length - 1)),
      p50: rank(50),
      p99: rank(99),
      p999: rank(99.9),
      max: kept[kept.length - 1],
    };
  }

  private makeRoom(): void {
    if (this.count < CAPACITY) {
      this.times = grown(this.times);
      this.latencies = grown(this.latencies);
      return;
    }
    this.count = CAPACITY / 2;
    for (let index = 0; index < this.count; index++) {
      this.times[index] = this.times[2 * index + 1];
      this.latencies[index] = this.latencies[2 * index + 1];
    }
    this.stride *= 2;
  }
}

function grown(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(array.length * 2);
  larger.set(array);
  return larger;
}
