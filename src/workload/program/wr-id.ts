/** Bits of a work request's sequence number that its identifier carries; a send queue is far shorter. */
const SEQUENCE_RANGE = 2 ** 24;

/** Takes a sequence number to what the identifier carries of it. */
export const SEQUENCE_MASK = SEQUENCE_RANGE - 1;

/** The identifier of a work request: who posted it (its position in the worker), of which queue, and its number. */
export function makeWrId(index: number, isReceive: boolean, sequence: number): number {
  return (index * 2 + (isReceive ? 1 : 0)) * SEQUENCE_RANGE + (sequence % SEQUENCE_RANGE);
}

/** The sequence number's low bits. */
export function sequenceOf(wrId: number): number {
  return wrId % SEQUENCE_RANGE;
}

/** Twice the position, plus one for a receive. */
export function ownerOf(wrId: number): number {
  return Math.floor(wrId / SEQUENCE_RANGE);
}
