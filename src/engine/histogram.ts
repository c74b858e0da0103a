import { KelpieError } from '../error.js';
import { Statistics } from './statistics.js';

const TWO_32 = 2 ** 32;
/** A safe integer has 53 bits. */
const VALUE_BITS = 53;
/** Exact powers of two by doubling; `**` is only approximated by the language's standard. */
const POWERS = new Float64Array(VALUE_BITS + 1).fill(1);
for (let power = 1; power <= VALUE_BITS; power++) POWERS[power] = POWERS[power - 1] * 2;

/** How fine a histogram is. */
export interface HistogramOptions {
  /** Greatest relative error of a percentile, 0.0001 to 0.5; 0.01 unless told. Memory grows with its inverse. */
  relativeError?: number;
}

/**
 * Histogram of integers from 0 to 2^53 - 1 with a bounded relative error, made for latencies.
 *
 * The buckets are log-linear: each power of two is cut into the same number of equal parts, and values below twice
 * that number are exact. Recording is a few integer operations and allocates nothing.
 *
 * @example
 * const latencyNs = new Histogram({ relativeError: 0.01 });
 * latencyNs.record(1850);
 * latencyNs.percentile(99);
 */
export class Histogram {
  /** Bound on how far a percentile lies above the true value, relative to it. */
  readonly relativeError: number;
  private readonly partBits: number;
  private readonly counts: Float64Array;
  private readonly statistics = new Statistics();

  constructor(options: HistogramOptions = {}) {
    const { relativeError = 0.01 } = options;
    if (!(relativeError >= 0.0001 && relativeError <= 0.5)) {
      throw new KelpieError('HISTOGRAM_ERROR', 'a histogram cannot be this fine or coarse', {
        field: 'relativeError',
        given: relativeError,
        allowed: '0.0001 to 0.5',
      });
    }
    let partBits = 1;
    while (1 / POWERS[partBits] > relativeError) partBits++;
    this.partBits = partBits;
    this.relativeError = 1 / POWERS[partBits];
    this.counts = new Float64Array((VALUE_BITS - partBits + 1) * POWERS[partBits]);
  }

  get count(): number {
    return this.statistics.count;
  }

  /** Exact; NaN if nothing was recorded, as are `max` and `mean`. */
  get min(): number {
    return this.statistics.min;
  }

  get max(): number {
    return this.statistics.max;
  }

  get mean(): number {
    return this.statistics.mean;
  }

  get deviation(): number {
    return this.statistics.deviation;
  }

  /** Counts one value. */
  record(value: number): void {
    if (!(value >= 0 && value <= Number.MAX_SAFE_INTEGER && Math.floor(value) === value)) refuseValue(value);
    this.counts[this.bucketOf(value)]++;
    this.statistics.add(value);
  }

  /**
   * The least value that `percent` of the recorded ones do not exceed, at most `relativeError` above the true one;
   * 0 gives the least and 100 the greatest value, both exact. NaN if nothing was recorded.
   */
  percentile(percent: number): number {
    if (!(percent >= 0 && percent <= 100)) {
      throw new KelpieError('HISTOGRAM_PERCENT', 'this is no percentage', {
        field: 'percent',
        given: percent,
        allowed: '0 to 100',
      });
    }
    if (percent === 0) return this.min;
    const rank = Math.ceil((percent * this.count) / 100);
    let seen = 0;
    for (let bucket = 0; bucket < this.counts.length; bucket++) {
      seen += this.counts[bucket];
      if (seen >= rank && seen > 0) return Math.min(this.lastOf(bucket), this.max);
    }
    return Number.NaN;
  }

  /** Takes another's values in; both must be equally fine. */
  merge(other: Histogram): void {
    if (other.partBits !== this.partBits) {
      throw new KelpieError('HISTOGRAM_MISMATCH', 'histograms of different fineness cannot be merged', {
        field: 'relativeError',
        given: other.relativeError,
        allowed: String(this.relativeError),
      });
    }
    for (let bucket = 0; bucket < this.counts.length; bucket++) this.counts[bucket] += other.counts[bucket];
    this.statistics.merge(other.statistics);
  }

  private bucketOf(value: number): number {
    const { partBits } = this;
    const bits = value < TWO_32 ? 32 - Math.clz32(value) : 64 - Math.clz32(value / TWO_32);
    const shift = bits - 1 - partBits;
    if (shift <= 0) return value;
    return (shift << partBits) + Math.floor(value / POWERS[shift]);
  }

  /** The greatest value of a bucket. */
  private lastOf(bucket: number): number {
    const { partBits } = this;
    const shift = Math.max(0, (bucket >>> partBits) - 1);
    return (bucket - (shift << partBits) + 1) * POWERS[shift] - 1;
  }
}

function refuseValue(value: number): never {
  const allowed = `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`;
  throw new KelpieError('HISTOGRAM_VALUE', 'a histogram cannot hold this value', {
    field: 'value',
    given: value,
    allowed,
  });
}
