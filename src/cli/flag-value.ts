import { KelpieError } from '../error.js';
import { type KeyOf, keyOf } from './option.js';

/** The values that a flag takes. */
export interface Range {
  min: number;
  max: number;
  fraction?: boolean;
}

/** The number that a flag was given, checked; undefined where the flag is absent. */
export function numberFlag<
  const Flag extends string,
  Options extends { readonly [Key in KeyOf<Flag>]?: unknown },
>(
  options: Options,
  flag: Flag,
  range: Range,
): Options extends { readonly [Key in KeyOf<Flag>]: string } ? number : number | undefined;
export function numberFlag(
  options: Readonly<Record<string, unknown>>,
  flag: string,
  range: Range,
): number | undefined {
  const given = options[keyOf(flag)];
  if (given === undefined) return undefined;
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : Number.NaN;
  const good =
    value >= range.min && value <= range.max && (range.fraction === true || Number.isInteger(value));
  if (!good) {
    const allowed = `${range.fraction === true ? 'a number' : 'an integer'} from ${range.min} to ${range.max}`;
    throw new KelpieError('BAD_FLAG', 'this flag does not take that value', { field: flag, given, allowed });
  }
  return value;
}

const UNITS: Readonly<Record<string, number>> = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** A number of bytes, which may end in K, M or G: 64K is 65536. */
export function sizeFlag(options: { readonly size?: string }, range: Range): number | undefined {
  const match = /^(\d+)([kmg])$/i.exec(options.size ?? '');
  if (match === null) return numberFlag(options, '--size', range);
  return numberFlag({ size: String(Number(match[1]) * UNITS[match[2].toLowerCase()]) }, '--size', range);
}

/** The seed, from its flag. */
export function seedFlag(options: { readonly seed?: string }): number {
  return numberFlag(options, '--seed', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 1;
}

/** Runs something whose fields are flags here: an error about one of them names the flag. It gets the code unless null. */
export function asFlags<Result>(
  flags: Readonly<Record<string, string>>,
  code: string | null,
  run: () => Result,
): Result {
  try {
    return run();
  } catch (error) {
    const flag = error instanceof KelpieError && error.field !== undefined ? flags[error.field] : undefined;
    if (!(error instanceof KelpieError) || flag === undefined) throw error;
    const { summary, given, allowed } = error;
    throw new KelpieError(code ?? error.code, summary, {
      field: flag,
      given,
      ...(allowed === undefined ? {} : { allowed }),
      cause: error,
    });
  }
}
