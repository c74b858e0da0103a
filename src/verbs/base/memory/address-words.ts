import type { RemoteAddress } from '../../remote-address.js';

/**
 * Remote addresses have 64 bits, which no number holds: tables and packets keep them as two words of 32. Nothing here
 * makes a bigint.
 */
const TWO_32 = 0x1_0000_0000;
const scratch = new DataView(new ArrayBuffer(8));

/** The upper 32 bits of an address. */
export function highWord(address: RemoteAddress): number {
  if (typeof address === 'number') return Math.floor(address / TWO_32);
  scratch.setBigUint64(0, address);
  return scratch.getUint32(0);
}

/** The lower 32 bits of an address. */
export function lowWord(address: RemoteAddress): number {
  if (typeof address === 'number') return address >>> 0;
  scratch.setBigUint64(0, address);
  return scratch.getUint32(4);
}

/**
 * How far one address lies behind another, in bytes: negative where it lies before, exact up to 2^53. The low word may
 * have been added to and be longer than 32 bits.
 */
export function wordDistance(fromHigh: number, fromLow: number, toHigh: number, toLow: number): number {
  return (toHigh - fromHigh) * TWO_32 + (toLow - fromLow);
}

/** What a low word that was added to carries over into the high one. */
export function carryOf(low: number): number {
  return low >= TWO_32 ? 1 : 0;
}
