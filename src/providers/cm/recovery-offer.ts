/**
 * How two devices agree on selective repeat. Who has it says so in the last bytes of the private data of a REQ, where the
 * program leaves room for that, and who takes it up says so in the REP. A peer that knows nothing of it does not answer it,
 * and the connection has go-back-N.
 */
const OFFER = Uint8Array.of(0x4b, 0x53, 0x52, 1);

/** The whole field of private data with an offer at its end; null where the program's bytes leave no room. */
export function withOffer(given: Uint8Array | undefined, fieldBytes: number): Uint8Array | null {
  const bytes = given ?? new Uint8Array(0);
  if (bytes.length > fieldBytes - OFFER.length) return null;
  const field = new Uint8Array(fieldBytes);
  field.set(bytes);
  field.set(OFFER, fieldBytes - OFFER.length);
  return field;
}

/** Whether a field of private data ends in an offer. */
export function hasOffer(field: Uint8Array): boolean {
  const at = field.length - OFFER.length;
  return at >= 0 && OFFER.every((byte, index) => field[at + index] === byte);
}

/** A copy of a field of private data as the program of the peer wrote it. */
export function withoutOffer(field: Uint8Array): Uint8Array {
  const bytes = field.slice();
  if (hasOffer(bytes)) bytes.fill(0, bytes.length - OFFER.length);
  return bytes;
}
