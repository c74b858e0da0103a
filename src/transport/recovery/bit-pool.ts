import { KelpieError } from '../../error.js';

/**
 * Bits that the connections of a device share: one per packet that is known out of order. Where none is left it is as if
 * the packet had not come (MELO, APNet 2017); a response that is in its place already is noted all the same.
 */
export class BitPool {
  readonly bits: number;
  used = 0;

  constructor(bits: number) {
    if (!(Number.isInteger(bits) && bits >= 1 && bits <= 2 ** 31)) {
      throw new KelpieError('TRANSPORT_OPTION_OUT_OF_RANGE', 'a pool has a whole number of bits', {
        field: 'poolBits',
        given: bits,
        allowed: '1 to 2^31',
      });
    }
    this.bits = bits;
  }

  get hasRoom(): boolean {
    return this.used < this.bits;
  }

  /** Takes a bit. */
  take(): void {
    this.used++;
  }

  /** Gives bits back. */
  give(count: number): void {
    this.used -= count;
  }
}
