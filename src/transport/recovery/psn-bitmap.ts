import { psnAdd, psnDiff, psnDistance } from '../packet/psn.js';

const WORD_BITS = 32;
const FIRST_WORDS = 4;

/**
 * Bits by PSN, over a window that moves: a ring of words. It takes no memory until the first bit is set, and grows with
 * the widest span of PSNs between the base, below which no bit is set, and the highest bit.
 */
export class PsnBitmap {
  private words = new Int32Array(0);
  /** No bit is set beyond this PSN; those from there on share words with the ones below. */
  private top = 0;
  /** Bits that are set. */
  count = 0;

  /** Bytes that it takes. */
  get bytes(): number {
    return this.words.byteLength;
  }

  test(psn: number): boolean {
    const { words } = this;
    if (this.count === 0 || psnDiff(psn, this.top) > 0) return false;
    return (words[(psn >>> 5) & (words.length - 1)] & (1 << (psn & 31))) !== 0;
  }

  /** Sets a bit; `base` is the lowest PSN that may have one. */
  set(psn: number, base: number): void {
    const span = psnDistance(psn, base) + 1;
    // One word more: the base need not stand at the beginning of a word.
    if (span + WORD_BITS > this.words.length * WORD_BITS) this.grow(span, base);
    if (this.test(psn)) return;
    if (this.count === 0 || psnDiff(psn, this.top) > 0) this.top = psn;
    this.words[(psn >>> 5) & (this.words.length - 1)] |= 1 << (psn & 31);
    this.count++;
  }

  clear(psn: number): void {
    if (!this.test(psn)) return;
    this.words[(psn >>> 5) & (this.words.length - 1)] &= ~(1 << (psn & 31));
    this.count--;
  }

  clearAll(): void {
    if (this.count === 0) return;
    this.words.fill(0);
    this.count = 0;
  }

  private grow(span: number, base: number): void {
    const old = new PsnBitmap();
    old.words = this.words;
    old.count = this.count;
    old.top = this.top;
    let words = FIRST_WORDS;
    while (words * WORD_BITS < span + WORD_BITS) words *= 2;
    this.words = new Int32Array(words);
    this.count = 0;
    const oldBits = old.words.length * WORD_BITS;
    for (let index = 0; index < oldBits && old.count > 0; index++) {
      const psn = psnAdd(base, index);
      if (!old.test(psn)) continue;
      this.words[(psn >>> 5) & (words - 1)] |= 1 << (psn & 31);
      this.count++;
    }
  }
}
