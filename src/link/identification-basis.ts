import { crc32Update } from '../wire/bytes/crc32.js';

/** Bits of the second word of an IPv4 header: identification above, flags and fragment offset below. */
const WORD_BITS = 32;
const BITS = 16;
/** Lengths of RoCEv2 datagrams are multiples of four up to a path MTU of 4096 and its headers. */
const MOST_LENGTHS = 2048;
/** Header bytes behind that word: time to live to addresses (12), UDP (8). */
const BEHIND_BYTES = 20;

/** What each bit of the IPv4 header's second word does to the ICRC of a datagram of one length. */
class Basis {
  /** The change of the ICRC by bit. */
  readonly effects = new Uint32Array(WORD_BITS);
  /**
   * Those of the identification in echelon form: row `i` alone has a one at `pivots[i]`, and stands for the identification
   * `masks[i]`.
   */
  readonly rows = new Uint32Array(BITS);
  readonly pivots = new Uint8Array(BITS);
  readonly masks = new Uint16Array(BITS);

  constructor(datagramBytes: number) {
    // The ICRC itself is not covered.
    const behind = zeroBytes(BEHIND_BYTES + datagramBytes - 4);
    for (let bit = 0; bit < WORD_BITS; bit++) this.effects[bit] = effectOf(bit, behind);
    this.reduce();
  }

  private reduce(): void {
    const { rows, masks, pivots } = this;
    for (let bit = 0; bit < BITS; bit++) {
      let row = this.effects[bit + WORD_BITS - BITS];
      let mask = 1 << bit;
      for (let above = 0; above < bit; above++) {
        if (((row >>> pivots[above]) & 1) === 0) continue;
        row = (row ^ rows[above]) >>> 0;
        mask ^= masks[above];
      }
      const pivot = 31 - Math.clz32(row);
      for (let above = 0; above < bit; above++) {
        if (((rows[above] >>> pivot) & 1) === 0) continue;
        rows[above] = (rows[above] ^ row) >>> 0;
        masks[above] ^= mask;
      }
      rows[bit] = row;
      masks[bit] = mask;
      pivots[bit] = pivot;
    }
  }
}

const POLYNOMIAL = 0xedb88320;
/** The polynomial 1, and x, in the reflected order of a CRC's state. */
const ONE = 0x80000000;
const X = 0x40000000;

/** The product of two polynomials modulo that of the CRC. */
function multiply(left: number, right: number): number {
  let product = 0;
  let shifted = right;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((left & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) !== 0 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product >>> 0;
}

/** x to the power of eight times this many bytes: what that many zero bytes multiply a state by. */
function zeroBytes(bytes: number): number {
  let result = ONE;
  let square = multiply(multiply(X, X), multiply(X, X));
  square = multiply(square, square);
  for (let rest = bytes; rest > 0; rest >>>= 1) {
    if ((rest & 1) !== 0) result = multiply(result, square);
    square = multiply(square, square);
  }
  return result;
}

/** A CRC without its first and last inversions is linear: one set bit, then the bytes behind it as zeros. */
function effectOf(bit: number, behind: number): number {
  const word = new Uint8Array(4);
  word[3 - (bit >> 3)] = 1 << (bit & 7);
  return multiply(crc32Update(0, word, 0, 4) >>> 0, behind);
}

/**
 * The part that the IPv4 identification has in an ICRC. A UDP socket does not show the identification of what it
 * received, but a CRC is linear in it: of the 2^32 differences between the ICRC that a packet carries and the one
 * that it would carry with identification 0, exactly 2^16 are explained by an identification. The other 16 bits still
 * check the packet.
 *
 * @example
 * const identifications = new IdentificationBasis();
 * const id = identifications.solve(received ^ computedWithZero, datagramBytes); // -1: the packet is damaged
 */
export class IdentificationBasis {
  private readonly byLength = new Map<number, Basis>();
  private last: Basis | null = null;
  private lastBytes = -1;

  /** The identification that explains a difference of ICRCs, -1 where none does. */
  solve(difference: number, datagramBytes: number): number {
    const { rows, pivots, masks } = this.of(datagramBytes);
    let rest = difference >>> 0;
    let identification = 0;
    for (let row = 0; row < BITS; row++) {
      if (((rest >>> pivots[row]) & 1) === 0) continue;
      rest = (rest ^ rows[row]) >>> 0;
      identification ^= masks[row];
    }
    return rest === 0 ? identification : -1;
  }

  /**
   * What a change of the header's second word (identification above, flags and fragment offset below) changes in the
   * ICRC of a datagram of this length.
   */
  effect(wordChange: number, datagramBytes: number): number {
    if (wordChange === 0) return 0;
    const { effects } = this.of(datagramBytes);
    let change = 0;
    for (let rest = wordChange | 0; rest !== 0; rest &= rest - 1) {
      change ^= effects[31 - Math.clz32(rest & -rest)];
    }
    return change >>> 0;
  }

  private of(datagramBytes: number): Basis {
    if (this.last !== null && this.lastBytes === datagramBytes) return this.last;
    let basis = this.byLength.get(datagramBytes);
    if (basis === undefined) {
      // A stranger may send any length: the memory for them is bounded.
      if (this.byLength.size >= MOST_LENGTHS) this.byLength.clear();
      basis = new Basis(datagramBytes);
      this.byLength.set(datagramBytes, basis);
    }
    this.last = basis;
    this.lastBytes = datagramBytes;
    return basis;
  }
}
