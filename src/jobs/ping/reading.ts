/** What the probes of one path gave. */
export interface Reading {
  /** Median time of the small message, in nanoseconds; null where the path cannot be used. */
  readonly latencyNs: number | null;
  /** Bandwidth of the path, from the difference between the large and the small message. */
  readonly gbps: number | null;
  /** Median absolute deviation of each, over the repetitions. */
  readonly latencyDeviationNs: number;
  readonly gbpsDeviation: number;
  /** How many repetitions stand behind the medians. */
  readonly samples: number;
  /** Why there is no number. */
  readonly failure?: string;
}

/** A path that could not be probed at all, such as a GPU whose memory cannot be registered. */
export function failedReading(failure: string): Reading {
  return { latencyNs: null, gbps: null, latencyDeviationNs: 0, gbpsDeviation: 0, samples: 0, failure };
}

/**
 * Bandwidth and latency of a path out of the times of small and large probes (Hostping §4.1.1): the small message takes
 * processing and a round trip; what the large one takes more is its transfer.
 */
export function readingOf(
  smallNs: readonly number[],
  largeNs: readonly number[],
  sizes: { smallBytes: number; largeBytes: number },
): Reading {
  const samples = Math.min(smallNs.length, largeNs.length);
  const latencyNs = median(smallNs);
  const bits = 8 * (sizes.largeBytes - sizes.smallBytes);
  const transferNs = median(largeNs) - latencyNs;
  if (samples === 0 || !(transferNs > 0))
    return failedReading('the large message took no longer than the small one');
  const rates = largeNs.slice(0, samples).map((large, probe) => bits / Math.max(1, large - smallNs[probe]));
  return {
    latencyNs,
    gbps: bits / transferNs,
    latencyDeviationNs: medianDeviation(smallNs),
    gbpsDeviation: medianDeviation(rates),
    samples,
  };
}

/** The middle value; the mean of the two middle ones where there are two. NaN of nothing. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median absolute deviation from the median: a spread that one outlier does not move. */
export function medianDeviation(values: readonly number[]): number {
  const centre = median(values);
  return median(values.map((value) => Math.abs(value - centre)));
}
