const PS_PER_SECOND = 1e12;
const US_PER_SECOND = 1e6;
const PREFIXES: readonly (readonly [number, string])[] = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/**
 * How fast a counter moved, in units that a person reads. Times (`*_ps`) are shares of the run, bytes are Gb/s; a
 * high-water mark is a level and has no rate.
 *
 * @example
 * counterText('engine_stalled_ps', 4.5e11); // engine_stalled 45.0 % of the time
 * counterText('mtt_cache_miss', 5.7e6); // mtt_cache_miss 5.70 M/s
 */
export function counterText(name: string, rate: number): string {
  return `${counterName(name)} ${counterRate(name, rate)}`;
}

/** The name of a counter without the unit that {@link counterRate} says. */
export function counterName(name: string): string {
  return name.includes('high_water') ? name : name.replace(/_(ps|bytes)$/, '');
}

/** How fast a counter of this name moved; in the unit that suits `most`, for figures that stand side by side. */
export function counterRate(name: string, rate: number, most = rate): string {
  if (name.includes('high_water')) return rate > 0 ? 'rose' : 'did not rise';
  if (name.endsWith('_ps')) {
    const share = rate / PS_PER_SECOND;
    // Several units stand still at once: the mean of how many do.
    return most <= PS_PER_SECOND
      ? `${(share * 100).toFixed(1)} % of the time`
      : `${share.toFixed(share > 0 && share < 1 ? 2 : 1)} units at once`;
  }
  // Devices count how long they paused in microseconds.
  if (name.endsWith('_pause_duration'))
    return `${(Math.min(1, rate / US_PER_SECOND) * 100).toFixed(1)} % of the time`;
  if (name.endsWith('_bytes')) return `${((rate * 8) / 1e9).toPrecision(3)} Gb/s`;
  return `${withPrefix(rate)}/s`;
}

function withPrefix(value: number): string {
  if (value === 0) return '0';
  const [size, prefix] = PREFIXES.find(([each]) => value >= each) ?? [1, ''];
  const digits = (value / size).toPrecision(3);
  return prefix === '' ? digits : `${digits} ${prefix}`;
}
