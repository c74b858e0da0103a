import { KelpieError } from '../error.js';

/**
 * Named invariants of a simulation. A check that holds costs a comparison and a count; one that fails ends the run.
 *
 * @example
 * const checker = new Checker();
 * checker.check(credits >= 0, 'credits never negative', 'credits', credits, '0 or more');
 */
export class Checker {
  /** How many checks have held so far: a test asserts that it is not 0. */
  passed = 0;

  /** Throws INVARIANT_BROKEN unless the condition holds; the rest names what was seen and what would have been right. */
  check(condition: boolean, name: string, field?: string, given?: unknown, allowed?: unknown): void {
    if (condition) {
      this.passed++;
      return;
    }
    throw new KelpieError('INVARIANT_BROKEN', `invariant broken: ${name}`, {
      field,
      given,
      allowed: allowed === undefined ? undefined : String(allowed),
    });
  }
}
