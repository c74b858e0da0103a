import { noSuch } from '../../schema/index.js';
import { type Attacker, attackers, type Victim, victims } from './suite/index.js';

/** The attacker of this name. */
export function findAttacker(name: string): Attacker {
  return find(attackers, name, 'attacker');
}

/** The victim of this name. */
export function findVictim(name: string): Victim {
  return find(victims, name, 'victim');
}

/** Entries that a list of names and of beginnings of names (`Cache-*`, `all`) chooses, in the suite's order. */
export function choose<T extends { name: string }>(
  entries: readonly T[],
  patterns: string,
  noun: string,
): T[] {
  const wanted = patterns.split(',').map((each) => each.trim());
  for (const pattern of wanted)
    if (!entries.some((entry) => matches(entry.name, pattern))) find(entries, pattern, noun, `${noun}s`);
  return entries.filter((entry) => wanted.some((pattern) => matches(entry.name, pattern)));
}

function matches(name: string, pattern: string): boolean {
  if (pattern === 'all') return true;
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function find<T extends { name: string }>(
  entries: readonly T[],
  name: string,
  noun: string,
  field = noun,
): T {
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  throw noSuch(
    'UNKNOWN_NAME',
    noun,
    name,
    entries.map((entry) => entry.name),
    { field },
  );
}
