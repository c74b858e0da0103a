/** Bits of a PSN that are there: 24. */
export const PSN_MASK = 0xffffff;

/** The most PSNs that may be unacknowledged: half the range, so that old and new can be told apart (9.7.2). */
export const PSN_WINDOW = 1 << 23;

/** The PSN `count` further on. */
export function psnAdd(psn: number, count: number): number {
  return (psn + count) & PSN_MASK;
}

/** How far `psn` lies ahead of `from`, from -2^23 to 2^23 - 1. */
export function psnDiff(psn: number, from: number): number {
  return ((psn - from) << 8) >> 8;
}

/** How many PSNs there are from `from` up to `psn`, 0 to 2^24 - 1. */
export function psnDistance(psn: number, from: number): number {
  return (psn - from) & PSN_MASK;
}
