/** Samples that a percentile needs: one of them lies beyond it. */
export const SAMPLES_NEEDED = { p50: 2, p99: 100, p999: 1000 } as const;

/** How far samples and Little's law may be apart before the samples are doubted. */
const LITTLE_TOLERANCE = 0.25;

/**
 * Latency in nanoseconds, as a Measurement gives it. A figure that the samples cannot carry is null, and `doubt` says
 * why.
 */
export interface LatencySummary {
  /** Requests that were followed from post to completion. */
  samples: number;
  /** Requests that were followed and had not completed when the run ended. */
  waiting: number;
  min: number | null;
  mean: number | null;
  stdev: number | null;
  p50: number | null;
  p99: number | null;
  p999: number | null;
  max: number | null;
  /** Requests in flight over completions per second: what the mean must be in a steady state. Null where nobody counted. */
  little: number | null;
  /** What is wrong with the figures; null where nothing is. */
  doubt: string | null;
}

/**
 * Summarises completed samples beside some that only have lasted this long yet. Those are taken into account by the
 * estimate of Kaplan and Meier: a run that ends would else know the fast requests alone.
 */
export function summarizeLatencies(done: Float64Array, waiting: Float64Array): LatencySummary | null {
  if (done.length + waiting.length === 0) return null;
  done.sort();
  waiting.sort();
  const last = done.length - 1;
  // Nothing is known beyond a request that has waited longer than any other took.
  const complete = done.length > 0 && (waiting.length === 0 || waiting[waiting.length - 1] <= done[last]);
  const curve = new SurvivalCurve(done, waiting);
  const mean = complete ? curve.mean() : null;
  const percentile = (name: keyof typeof SAMPLES_NEEDED, share: number) =>
    done.length < SAMPLES_NEEDED[name] ? null : curve.quantile(share);
  return {
    samples: done.length,
    waiting: waiting.length,
    min: done.length === 0 ? null : done[0],
    mean,
    stdev: mean === null ? null : deviation(done),
    p50: percentile('p50', 0.5),
    p99: percentile('p99', 0.99),
    p999: percentile('p999', 0.999),
    max: complete ? done[last] : null,
    little: null,
    doubt: doubtOf(done.length, waiting.length, curve.quantile(0.5) === null),
  };
}

/** A summary beside what Little's law says. */
export function heldAgainstLittle(summary: LatencySummary, little: number | null): LatencySummary {
  const { mean, doubt } = summary;
  if (little === null) {
    const none = "no request completed within the measured time: Little's law has nothing to say";
    return { ...summary, doubt: doubt ?? none };
  }
  const words = `by Little's law a request takes ${us(little)} us`;
  if (mean === null) return { ...summary, little, doubt: doubt === null ? words : `${doubt}; ${words}` };
  const apart = mean / little - 1;
  if (Math.abs(apart) <= LITTLE_TOLERANCE) return { ...summary, little };
  const off = `${words}, the samples' mean is ${(apart * 100).toFixed(0)} % from it: this was no steady state`;
  return { ...summary, little, doubt: doubt === null ? off : `${doubt}; ${off}` };
}

function doubtOf(samples: number, waiting: number, noMedian: boolean): string | null {
  if (samples === 0) return `none of ${waiting} requests that were followed completed before the run ended`;
  if (waiting > 0 && noMedian)
    return `${waiting} of ${samples + waiting} requests that were followed outlasted the run`;
  return null;
}

/** The share of requests that take longer than some time. */
class SurvivalCurve {
  private readonly done: Float64Array;
  /** After each completion, the share that takes longer; empty where all are done. */
  private readonly survival: Float64Array;
  /** None waits. */
  private readonly allDone: boolean;

  /** Both sorted. */
  constructor(done: Float64Array, waiting: Float64Array) {
    this.done = done;
    this.survival = new Float64Array(waiting.length === 0 ? 0 : done.length);
    const all = done.length + waiting.length;
    let survival = 1;
    let gone = 0;
    for (let index = 0; index < this.survival.length; index++) {
      while (gone < waiting.length && waiting[gone] < done[index]) gone++;
      survival *= 1 - 1 / (all - index - gone);
      this.survival[index] = survival;
    }
    this.allDone = waiting.length === 0;
  }

  /** The time within which this share of the requests completes; null where it was not seen. */
  quantile(share: number): number | null {
    const { done, survival } = this;
    // The product in closed form, exact where all are done.
    if (this.allDone)
      return done.length === 0 ? null : done[Math.max(0, Math.ceil(share * done.length - 1e-9) - 1)];
    // The curve never rises.
    let low = 0;
    let high = done.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (survival[middle] > 1 - share + 1e-12) low = middle + 1;
      else high = middle;
    }
    return low < done.length ? done[low] : null;
  }

  /** The area below the curve. */
  mean(): number {
    const { done, survival } = this;
    if (this.allDone) return sumOf(done) / done.length;
    let sum = 0;
    let before = 1;
    let since = 0;
    for (let index = 0; index < done.length; index++) {
      sum += before * (done[index] - since);
      before = survival[index];
      since = done[index];
    }
    return sum;
  }
}

function deviation(values: Float64Array): number {
  if (values.length < 2) return 0;
  const mean = sumOf(values) / values.length;
  let squares = 0;
  for (let index = 0; index < values.length; index++)
    squares += (values[index] - mean) * (values[index] - mean);
  return Math.sqrt(squares / (values.length - 1));
}

// A loop: a run has a hundred thousand samples, and a callback would be handed each as an object.
function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index];
  return sum;
}

function us(valueNs: number): string {
  return (valueNs / 1000).toFixed(2);
}
