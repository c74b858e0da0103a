/**
 * CRC-32 of Ethernet (reflected polynomial 0xedb88320), sixteen bytes a step: sixteen tables of 256 words,
 * `table[k][b]` being the effect of byte `b` followed by `k` zero bytes.
 */
const POLYNOMIAL = 0xedb88320;
const SLICES = 16;
const TABLE = buildTables();

function buildTables(): Int32Array {
  const table = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte += 1) {
    let state = byte;
    for (let bit = 0; bit < 8; bit += 1) state = (state & 1) !== 0 ? (state >>> 1) ^ POLYNOMIAL : state >>> 1;
    table[byte] = state;
  }
  for (let at = 256; at < table.length; at += 1) {
    const shorter = table[at - 256];
    table[at] = table[shorter & 0xff] ^ (shorter >>> 8);
  }
  return table;
}

/** The state before the first byte. */
export const CRC32_START = 0xffff_ffff | 0;

/** Runs `bytes[from, to)` through the CRC; takes and returns the raw state, a signed 32-bit integer. */
export function crc32Update(state: number, bytes: Uint8Array, from: number, to: number): number {
  const table = TABLE;
  let crc = state | 0;
  let at = from;
  for (const last = to - SLICES; at <= last; at += SLICES) {
    crc =
      table[0xf00 | (bytes[at] ^ (crc & 0xff))] ^
      table[0xe00 | (bytes[at + 1] ^ ((crc >>> 8) & 0xff))] ^
      table[0xd00 | (bytes[at + 2] ^ ((crc >>> 16) & 0xff))] ^
      table[0xc00 | (bytes[at + 3] ^ (crc >>> 24))] ^
      table[0xb00 | bytes[at + 4]] ^
      table[0xa00 | bytes[at + 5]] ^
      table[0x900 | bytes[at + 6]] ^
      table[0x800 | bytes[at + 7]] ^
      table[0x700 | bytes[at + 8]] ^
      table[0x600 | bytes[at + 9]] ^
      table[0x500 | bytes[at + 10]] ^
      table[0x400 | bytes[at + 11]] ^
      table[0x300 | bytes[at + 12]] ^
      table[0x200 | bytes[at + 13]] ^
      table[0x100 | bytes[at + 14]] ^
      table[bytes[at + 15]];
  }
  for (; at < to; at += 1) crc = table[(crc ^ bytes[at]) & 0xff] ^ (crc >>> 8);
  return crc;
}

/** The CRC-32 of `bytes[from, to)`, as zlib computes it. */
export function crc32(bytes: Uint8Array, from = 0, to = bytes.length): number {
  return ~crc32Update(CRC32_START, bytes, from, to) >>> 0;
}
