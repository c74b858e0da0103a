const PS_PER_SECOND = 1e12;
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
  if (name.includes('high_water')) return `${name} rose`;
  if (name.endsWith('_ps')) {
    const share = rate / PS_PER_SECOND;
    const plain = name.slice(0, -'_ps'.length);
    // Several units stand still at a time.
    return share <= 1
      ? `${plain} ${(share * 100).toFixed(1)} % of the time`
      : `${plain} ${share.toFixed(1)} s/s of all units together`;
  }
  if (name.endsWith('_bytes'))
    return `${name.slice(0, -'_bytes'.length)} ${((rate * 8) / 1e9).toPrecision(3)} Gb/s`;
  return `${name} ${withPrefix(rate)}/s`;
}

function withPrefix(value: number): string {
  const [size, prefix] = PREFIXES.find(([each]) => value >= each) ?? [1, ''];
  const digits = (value / size).toPrecision(3);
  return prefix === '' ? digits : `${digits} ${prefix}`;
}
