/**
 * Parts without and with an attack, one after the other: whatever else the machine does meanwhile is in both.
 */
export interface Schedule {
  /** When it begins, in milliseconds of the machine's clock, which all processes share. */
  beginMs: number;
  partMs: number;
  /** Pairs of parts: the attacker aims at a decoy, then at the victim. */
  pairs: number;
}

/** What is the case at this time. */
export function partOf(
  { beginMs, partMs, pairs }: Schedule,
  nowMs: number,
): 'before' | 'calm' | 'attack' | 'over' {
  const part = Math.floor((nowMs - beginMs) / partMs);
  if (part < 0) return 'before';
  if (part >= 2 * pairs) return 'over';
  return part % 2 === 0 ? 'calm' : 'attack';
}
