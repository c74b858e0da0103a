import { KelpieError } from '../../error.js';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time from a flag, in milliseconds: `30s`, `5m`, `24h`, `92d`. */
export function timeFlag(flag: string, given: string, range: { minMs: number; maxMs: number }): number {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)([smhd])$/.exec(given);
  const ms = match === null ? Number.NaN : Number(match[1]) * UNITS_MS[match[2]];
  if (ms >= range.minMs && ms <= range.maxMs) return ms;
  throw new KelpieError('BAD_FLAG', 'this flag takes a duration', {
    field: flag,
    given,
    allowed: `a number with s, m, h or d, from ${range.minMs / 1000}s to ${range.maxMs / UNITS_MS['d']}d`,
  });
}
