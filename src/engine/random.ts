import { KelpieError } from '../error.js';

/** Rounds between two absorbed words: sfc32's authors ask for 12 to spread a seed over the whole state. */
const ROUNDS = 12;
const TWO_32 = 2 ** 32;
const INVERSE_TWO_53 = 2 ** -53;
const SQRT_HALF = Math.SQRT1_2;
/** Separates a name from the key before it. */
const NAME_MARK = 0x6e616d65;

/**
 * Seeded random numbers (sfc32: 128 bits of 32-bit state) that split by component name.
 *
 * A split depends on the seed and on the names that led to it, not on any draw: a component that draws once more
 * changes nobody else's numbers. Every result is bit-identical on every machine and engine: integers are modulo 2^32,
 * and floating point uses +, -, *, / and the square root alone, which IEEE 754 fixes. `Math.log` and its like are only
 * approximated, each engine in its own way, and are not used.
 *
 * @example
 * const random = new Random(1).split('nic0/icm');
 * random.nextInt(6); // the same on every run
 */
export class Random {
  private readonly key: Uint32Array;
  private s0 = 0;
  private s1 = 0;
  private s2 = 0;
  private s3 = 1;
  private spareNormal = Number.NaN;

  /** The seed is a safe integer, not negative. */
  constructor(seed: number) {
    if (!Number.isSafeInteger(seed) || seed < 0) {
      const allowed = `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`;
      throw new KelpieError('RANDOM_SEED', 'this cannot seed a generator', {
        field: 'seed',
        given: seed,
        allowed,
      });
    }
    this.absorb(seed % TWO_32);
    this.absorb(Math.floor(seed / TWO_32));
    this.key = Uint32Array.of(this.s0, this.s1, this.s2, this.s3);
  }

  /** A generator of its own for the component of this name. */
  split(name: string): Random {
    const child = new Random(0);
    const { key } = this;
    for (let index = 0; index < 4; index++) child.absorb(key[index]);
    child.absorb(NAME_MARK);
    for (let index = 0; index < name.length; index++) child.absorb(name.charCodeAt(index));
    child.absorb(name.length);
    child.key.set([child.s0, child.s1, child.s2, child.s3]);
    return child;
  }

  /** Another generator that goes on from here alike. */
  copy(): Random {
    const twin = new Random(0);
    twin.key.set(this.key);
    twin.s0 = this.s0;
    twin.s1 = this.s1;
    twin.s2 = this.s2;
    twin.s3 = this.s3;
    twin.spareNormal = this.spareNormal;
    return twin;
  }

  /** 32 random bits. */
  nextUint32(): number {
    const { s1, s2, s3 } = this;
    const sum = (this.s0 + s1 + s3) | 0;
    this.s3 = (s3 + 1) | 0;
    this.s0 = s1 ^ (s1 >>> 9);
    this.s1 = (s2 + (s2 << 3)) | 0;
    this.s2 = (((s2 << 21) | (s2 >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Uniform in [0, 1), 53 bits. */
  nextFloat(): number {
    const high = this.nextUint32() >>> 6;
    const low = this.nextUint32() >>> 5;
    return (high * 2 ** 27 + low) * INVERSE_TWO_53;
  }

  /** Uniform integer in [0, n), n from 1 to 2^32. Draws that would favour small results are thrown away. */
  nextInt(n: number): number {
    if (!(n >= 1 && n <= TWO_32 && Math.floor(n) === n)) {
      throw new KelpieError('RANDOM_RANGE', 'no integer can be drawn from this range', {
        field: 'n',
        given: n,
        allowed: 'an integer from 1 to 2^32',
      });
    }
    if (n === TWO_32) return this.nextUint32();
    // Of the 2^32 draws, the first 2^32 mod n are one too many for some results. All stays within 32 bits.
    const range = n >>> 0;
    const surplus = (-range >>> 0) % range;
    let drawn = this.nextUint32();
    while (drawn < surplus) drawn = this.nextUint32();
    return drawn % range;
  }

  /** Exponentially distributed with this mean. */
  nextExponential(mean: number): number {
    // 1 - u lies in (0, 1], so the logarithm is finite.
    return -mean * naturalLogarithm(1 - this.nextFloat());
  }

  /** Normally distributed, by Marsaglia's polar method; mean 0 and deviation 1 unless set. */
  nextNormal(mean = 0, deviation = 1): number {
    let standard = this.spareNormal;
    if (!Number.isNaN(standard)) {
      this.spareNormal = Number.NaN;
    } else {
      let x = 0;
      let y = 0;
      let square = 0;
      do {
        x = 2 * this.nextFloat() - 1;
        y = 2 * this.nextFloat() - 1;
        square = x * x + y * y;
      } while (square >= 1 || square === 0);
      const factor = Math.sqrt((-2 * naturalLogarithm(square)) / square);
      this.spareNormal = y * factor;
      standard = x * factor;
    }
    return mean + deviation * standard;
  }

  /** Shuffles in place, every order equally likely (Fisher and Yates), and returns the same array. */
  shuffle<T extends { [index: number]: unknown; readonly length: number }>(items: T): T {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.nextInt(last + 1);
      const held = items[last];
      items[last] = items[other];
      items[other] = held;
    }
    return items;
  }

  /** One of the items, each equally likely. */
  pick<T>(items: ArrayLike<T>): T {
    if (items.length === 0) {
      throw new KelpieError('RANDOM_RANGE', 'nothing can be picked from an empty list', {
        field: 'items.length',
        given: 0,
        allowed: '1 or more',
      });
    }
    return items[this.nextInt(items.length)];
  }

  private absorb(word: number): void {
    this.s0 ^= word;
    for (let round = 0; round < ROUNDS; round++) this.nextUint32();
  }
}

/**
 * Natural logarithm of x in (0, 1], the same bits everywhere: x = m * 2^-e with m near 1, and
 * ln m = 2 artanh((m - 1) / (m + 1)) by its power series. |s| <= 0.172, so that the twelfth term is below 1e-19.
 */
function naturalLogarithm(x: number): number {
  let m = x;
  let halvings = 0;
  while (m < SQRT_HALF) {
    m *= 2;
    halvings++;
  }
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let series = 0;
  for (let odd = 23; odd >= 1; odd -= 2) series = series * z + 1 / odd;
  return 2 * s * series - halvings * Math.LN2;
}
