import { KelpieError } from '../error.js';

/** The known name that is closest to a misspelt one, if any is close enough to be meant. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  if (given.length > 100) return undefined;
  let best: string | undefined;
  // At least half of a word must be right; the dashes of a flag always are.
  const letters = given.replace(/^-+/, '').length;
  let bestDistance = Math.min(Math.max(2, Math.floor(letters / 3)), Math.floor(letters / 2)) + 1;
  for (const candidate of known) {
    const distance = editDistance(given.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Edits between two words: insertions, deletions, substitutions, and neighbours that changed places. */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const substitution = previous[column - 1] + (from[row - 1] === to[column - 1] ? 0 : 1);
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swap = swapped ? before[column - 2] + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(previous[column] + 1, current[column - 1] + 1, substitution, swap));
    }
    [before, previous] = [previous, current];
  }
  return previous[to.length];
}

/**
 * An error about a word that is not among those that are known; the one that was probably meant is named.
 *
 * @example
 * throw noSuch('BAD_ARGUMENT', 'action', 'shwo', ['show', 'list'], { field: 'action' });
 */
export function noSuch(
  code: string,
  noun: string,
  given: string,
  known: readonly string[],
  { field, allowed = namesNear(given, known) }: { field?: string; allowed?: string } = {},
): KelpieError {
  const meant = nearest(given, known);
  const summary = `there is no such ${noun}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  return new KelpieError(code, summary, { ...(field === undefined ? {} : { field }), given, allowed });
}

/** More names than this are no help: those that begin like the given one are listed, or the first few. */
const MOST_LISTED = 40;
const FEW = 12;

/** What is allowed, in words: all names where they are few. */
export function namesNear(given: string, known: readonly string[]): string {
  if (known.length <= MOST_LISTED) return known.join(', ');
  for (let length = given.length; length > 0; length--) {
    const alike = known.filter((each) => each.toLowerCase().startsWith(given.slice(0, length).toLowerCase()));
    if (alike.length > 0 && alike.length <= FEW)
      return `${alike.join(', ')} and ${known.length - alike.length} others`;
    if (alike.length > FEW) break;
  }
  return `${known.slice(0, FEW).join(', ')} and ${known.length - FEW} others`;
}
