/**
 * Rounds of three parts: without an attack, with the attack on a decoy, and with it on the victim; a last part without
 * one follows. Whatever else the machine does meanwhile is in all of them.
 */
export interface Schedule {
  /** When it begins, in milliseconds of the machine's clock, which all processes share. */
  beginMs: number;
  partMs: number;
  rounds: number;
}

/** What is the case at a time. */
export type Part = 'before' | 'quiet' | 'decoy' | 'attack' | 'over';

const ROUND = ['quiet', 'decoy', 'attack'] as const;

/** What is the case at this time. */
export function partOf({ beginMs, partMs, rounds }: Schedule, nowMs: number): Part {
  const part = Math.floor((nowMs - beginMs) / partMs);
  if (part < 0) return 'before';
  if (part > ROUND.length * rounds) return 'over';
  return ROUND[part % ROUND.length];
}

/** How many milliseconds of each kind there are. */
export function lengthOf({ partMs, rounds }: Schedule, part: (typeof ROUND)[number]): number {
  return (part === 'quiet' ? rounds + 1 : rounds) * partMs;
}
