import { KelpieError } from '../error.js';

/** The number that a flag was given, checked; undefined where the flag is absent. */
export function numberFlag(
  options: Readonly<Record<string, unknown>>,
  key: string,
  flag: string,
  range: { min: number; max: number; fraction?: boolean },
): number | undefined {
  const given = options[key];
  if (given === undefined) return undefined;
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : Number.NaN;
  const good =
    value >= range.min && value <= range.max && (range.fraction === true || Number.isInteger(value));
  if (!good) {
    const allowed = `${range.fraction === true ? 'a number' : 'an integer'} from ${range.min} to ${range.max}`;
    throw new KelpieError('BAD_FLAG', 'this flag takes another value', { field: flag, given, allowed });
  }
  return value;
}

/** The seed, from its flag. */
export function seedFlag(options: Readonly<Record<string, unknown>>): number {
  return numberFlag(options, 'seed', '--seed', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 1;
}
