import { KelpieError } from '../error.js';

/** A line of a machine's own output that makes no sense. */
export function badLine(source: string, line: number, given: string, allowed: string): KelpieError {
  const shown = given.length > 120 ? `${given.slice(0, 117)}...` : given;
  return new KelpieError('IMPORT_BAD_LINE', `${source}, line ${line}: this is not what the program prints`, {
    field: `${source}:${line}`,
    given: shown,
    allowed,
  });
}

/** More than this is no machine's output. */
const MAX_CHARACTERS = 32 * 2 ** 20;

/** The lines of a text, refused where it is too long to be what it claims. */
export function linesOf(source: string, text: string): string[] {
  if (text.length > MAX_CHARACTERS) {
    throw new KelpieError('IMPORT_TOO_LONG', `${source} is too long`, {
      field: source,
      given: `${text.length} characters`,
      allowed: `at most ${MAX_CHARACTERS}`,
    });
  }
  return text.split(/\r?\n/);
}
