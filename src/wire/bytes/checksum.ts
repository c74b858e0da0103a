/** The Internet checksum (RFC 1071), as IPv4 and UDP use it. */

/** Adds the 16-bit words of `[from, to)` to a running sum; an odd last byte counts as the high half of a word. */
export function addWords(sum: number, bytes: Uint8Array, from: number, to: number): number {
  let total = sum;
  const even = to - ((to - from) & 1);
  for (let at = from; at < even; at += 2) total += (bytes[at] << 8) | bytes[at + 1];
  if (even !== to) total += bytes[even] << 8;
  return total;
}

/** Folds a running sum to 16 bits, with end-around carry. Sums up to 2^53 - 1 are exact. */
export function fold(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded % 0x1_0000) + Math.floor(folded / 0x1_0000);
  return folded;
}
