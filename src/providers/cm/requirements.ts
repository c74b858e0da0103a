import { VerbsError } from '../../verbs/index.js';

/** Refuses with OUT_OF_RANGE what is not an integer from `low` to `high`. */
export function requireInteger(field: string, given: number, low: number, high: number): number {
  if (Number.isInteger(given) && given >= low && given <= high) return given;
  throw new VerbsError('OUT_OF_RANGE', 'a choice about a connection is out of range', {
    field,
    given,
    allowed: `an integer from ${low} to ${high}`,
  });
}

/** Refuses with OUT_OF_RANGE what is not at most this many bytes; nothing at all is fine. */
export function requireBytes(field: string, given: Uint8Array | undefined, most: number): void {
  if (given === undefined || (given instanceof Uint8Array && given.length <= most)) return;
  throw new VerbsError('OUT_OF_RANGE', 'the message has no room for that much private data', {
    field,
    given: given instanceof Uint8Array ? given.length : typeof given,
    allowed: `a Uint8Array of up to ${most} bytes`,
  });
}
