/** What the run decided about its own length. */
export interface SteadyState {
  /** Whether the confidence intervals closed before the time ran out. */
  steady: boolean;
  /** A sentence. */
  reason: string;
  /** Left out of the rates: from the start of the run. */
  warmupNs: number;
  measuredNs: number;
  slices: number;
  sliceNs: number;
}

/** One quantity, a value per slice. */
export interface Series {
  name: string;
  values: readonly number[];
  /** An interval narrower than this is narrow enough, whatever the mean. */
  absoluteError: number;
  relativeError: number;
  /** A run in which it is 0 is not steady: it waits for something, such as the timer of receives that were not there. */
  flows?: boolean;
}

/** What was found in the series so far. */
export interface SteadyStateFinding {
  /** Slices that belong to the warm-up. */
  truncated: number;
  steady: boolean;
  reason: string;
}

/** Fewer slices after the warm-up say nothing about their spread. */
const MIN_SLICES = 8;
/** Batches whose means the confidence interval is made of: few enough that neighbours are nearly independent. */
const BATCHES = 8;
/** Student's t, 97.5 %, for BATCHES - 1 degrees of freedom. */
const STUDENT_T = 2.365;

/**
 * How many first values to leave out: the marginal standard error rule (White's MSER; the slices are its batches). The
 * cut that makes the mean of the rest most certain is the one; it never takes more than half, where the rule is known to
 * be fooled by the last few values.
 *
 * @example
 * truncationPoint([0, 40, 90, 100, 101, 99, 100, 100]); // 3
 */
export function truncationPoint(values: readonly number[]): number {
  const { length } = values;
  let sum = 0;
  let squares = 0;
  let best = 0;
  let bestError = Number.POSITIVE_INFINITY;
  for (let cut = length - 1; cut >= 0; cut--) {
    const value = values[cut];
    sum += value;
    squares += value * value;
    const count = length - cut;
    if (cut > length / 2) continue;
    const spread = squares - (sum * sum) / count;
    // Below this it is the rounding of the sums, not a spread.
    const error = spread <= 1e-9 * squares ? 0 : spread / (count * count);
    // Ties go to the earlier cut: a constant series has no warm-up.
    if (error <= bestError) {
      bestError = error;
      best = cut;
    }
  }
  return best;
}

/** Mean and half width of its 95 % confidence interval, by batch means. */
export function confidence(values: readonly number[]): { mean: number; halfWidth: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < BATCHES) return { mean, halfWidth: Number.POSITIVE_INFINITY };
  let squares = 0;
  for (let batch = 0; batch < BATCHES; batch++) {
    const start = Math.floor((batch * values.length) / BATCHES);
    const end = Math.floor(((batch + 1) * values.length) / BATCHES);
    let sum = 0;
    for (let index = start; index < end; index++) sum += values[index];
    const apart = sum / (end - start) - mean;
    squares += apart * apart;
  }
  return { mean, halfWidth: STUDENT_T * Math.sqrt(squares / (BATCHES - 1) / BATCHES) };
}

/** Looks for the end of the warm-up in all series and whether what follows is certain enough. */
export function findSteadyState(series: readonly Series[]): SteadyStateFinding {
  const slices = series[0].values.length;
  const truncated = Math.max(...series.map((each) => truncationPoint(each.values)));
  if (slices - truncated < MIN_SLICES)
    return { truncated, steady: false, reason: `only ${slices - truncated} slices after the warm-up` };
  for (const { name, values, absoluteError, relativeError, flows = false } of series) {
    const { mean, halfWidth } = confidence(values.slice(truncated));
    if (flows && mean === 0)
      return { truncated, steady: false, reason: `there is no ${name} to be certain of` };
    const allowed = Math.max(absoluteError, relativeError * Math.abs(mean));
    if (halfWidth > allowed)
      return {
        truncated,
        steady: false,
        reason: `the mean of ${name} is uncertain by ${describe(halfWidth, mean)}`,
      };
  }
  const words = series.map(({ name, values }) => {
    const { mean, halfWidth } = confidence(values.slice(truncated));
    return `${name} within ${describe(halfWidth, mean)}`;
  });
  return { truncated, steady: true, reason: `${words.join(', ')}, at 95 % confidence` };
}

function describe(halfWidth: number, mean: number): string {
  return mean === 0 ? String(halfWidth) : `${((100 * halfWidth) / Math.abs(mean)).toFixed(2)} %`;
}
