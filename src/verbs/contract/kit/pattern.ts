/**
 * Fills the bytes with a pattern that depends on the seed and does not repeat within any message, so that a packet
 * in the wrong place, a packet missing and a buffer left alone all look different.
 */
export function fillPattern(bytes: Uint8Array, seed: number): Uint8Array {
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1;
  for (let at = 0; at < bytes.length; at++) {
    // Marsaglia's xorshift32 (13, 17, 5): full period, cheap, the same on every machine.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state >>> 11;
  }
  return bytes;
}

/** A new buffer with the pattern of the seed. */
export function pattern(lengthBytes: number, seed: number): Uint8Array {
  return fillPattern(new Uint8Array(lengthBytes), seed);
}

/** FNV-1a over the bytes, 32 bits: every byte and its place count. */
export function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash >>> 0;
}

/** The 64-bit value at a place in memory, in host order (little-endian). */
export function readWord(bytes: Uint8Array, offset: number): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(offset, true);
}

/** Puts a 64-bit value into memory, in host order (little-endian). */
export function writeWord(bytes: Uint8Array, offset: number, value: bigint): void {
  new DataView(bytes.buffer, bytes.byteOffset).setBigUint64(offset, value, true);
}
