import type { Duration } from './description.js';

const UNITS_NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
/** About 104 days: picoseconds of it are still whole numbers. */
export const MAX_DURATION_NS = 9e15;
/** A number with its unit. */
export const DURATION = /^(\d{1,15}(?:\.\d{1,9})?) ?(ns|us|ms|s)$/;

/** What a length of time looks like, for messages. */
export const DURATION_IN_WORDS = "nanoseconds, or a number with ns, us, ms or s, as in '20us'";

/** Nanoseconds of a length of time; undefined if it is none. */
export function durationNs(given: Duration): number | undefined {
  if (typeof given === 'number') return given >= 0 && given <= MAX_DURATION_NS ? given : undefined;
  const match = DURATION.exec(given);
  if (match === null) return undefined;
  const ns = Number(match[1]) * UNITS_NS[match[2]];
  return ns <= MAX_DURATION_NS ? ns : undefined;
}
