import { Op } from '../codes.js';

/**
 * Does a compare-and-swap or a fetch-and-add on eight bytes in host (little-endian) order and leaves the old value in
 * `result`. Works on 32-bit words, so that no bigint is made. Memory without bytes reads as zero.
 *
 * `operands` at `operandsAt` holds the words of `compareAdd` and `swap`, low word first.
 */
export function executeAtomic(
  op: number,
  bytes: Uint8Array | null,
  at: number,
  operands: Uint32Array,
  operandsAt: number,
  result: Uint8Array,
): void {
  if (bytes === null) {
    result.fill(0);
    return;
  }
  for (let index = 0; index < 8; index++) result[index] = bytes[at + index];
  const low = readWord(result, 0);
  const high = readWord(result, 4);
  const compareLow = operands[operandsAt];
  const compareHigh = operands[operandsAt + 1];
  if (op === Op.ATOMIC_FETCH_AND_ADD) {
    const sum = low + compareLow;
    writeWord(bytes, at, sum);
    writeWord(bytes, at + 4, high + compareHigh + (sum > 0xffffffff ? 1 : 0));
  } else if (low === compareLow && high === compareHigh) {
    writeWord(bytes, at, operands[operandsAt + 2]);
    writeWord(bytes, at + 4, operands[operandsAt + 3]);
  }
}

function readWord(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

function writeWord(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value / 0x100;
  bytes[at + 2] = value / 0x1_0000;
  bytes[at + 3] = value / 0x100_0000;
}
