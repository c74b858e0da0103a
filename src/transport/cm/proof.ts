import type { Gid } from '../../wire/ib/gid.js';

/** How long a proof is good for: Linux' RDMA-CM asks again after 4.3 s. */
const PROOF_NS = 10e9;
/** Proofs of one peer that are kept; the oldest makes room. */
const MOST_PROOFS = 64;
const WORDS = 6;

/**
 * Questions that nothing is remembered of, as TCP's SYN cookies (Bernstein 1996): the number that an address must name
 * in its answer is a keyed hash of the address and of its own number, so that it tells by itself what was asked.
 */
export class Questions {
  private readonly random32: () => number;
  private readonly everyNs: number;
  private readonly words = new Uint32Array(WORDS);
  /** Drawn when first needed. */
  private key: readonly [number, number] | null = null;

  /** An answer is good for one to two times `everyNs`. */
  constructor(random32: () => number, everyNs: number) {
    this.random32 = random32;
    this.everyNs = everyNs;
  }

  /** What an address is asked with about its request of this number; never 0. */
  numberFor(address: Gid, id: number, nowNs: number): number {
    return this.hash(address, id, Math.floor(nowNs / this.everyNs));
  }

  /** Whether an address was asked with this number lately. */
  isAnswer(address: Gid, id: number, number: number, nowNs: number): boolean {
    const epoch = Math.floor(nowNs / this.everyNs);
    return number === this.hash(address, id, epoch) || number === this.hash(address, id, epoch - 1);
  }

  private hash(address: Gid, id: number, epoch: number): number {
    const { words } = this;
    this.key ??= [this.random32(), this.random32()];
    for (let word = 0; word < 4; word++)
      words[word] =
        (address[4 * word] << 24) |
        (address[4 * word + 1] << 16) |
        (address[4 * word + 2] << 8) |
        address[4 * word + 3];
    words[4] = id;
    words[5] = epoch;
    return halfSipHash(this.key[0], this.key[1], words) || 1;
  }
}

/** Requests whose address has answered although nothing was remembered of them: they are taken when they come again. */
export class Proofs {
  private readonly untilNs = new Map<number, number>();

  add(id: number, nowNs: number): void {
    this.untilNs.delete(id);
    this.untilNs.set(id, nowNs + PROOF_NS);
    if (this.untilNs.size > MOST_PROOFS) this.untilNs.delete(this.untilNs.keys().next().value as number);
  }

  has(id: number, nowNs: number): boolean {
    return (this.untilNs.get(id) ?? 0) > nowNs;
  }

  /** Uses a proof up; false where there is none. */
  take(id: number, nowNs: number): boolean {
    const good = this.has(id, nowNs);
    this.untilNs.delete(id);
    return good;
  }
}

/** HalfSipHash-2-4 of whole words (Aumasson and Bernstein, INDOCRYPT 2012; the 32-bit variant of their reference code). */
export function halfSipHash(key0: number, key1: number, words: Uint32Array): number {
  const state = [key0 | 0, key1 | 0, 0x6c796765 ^ key0, 0x74656462 ^ key1];
  for (const word of words) {
    state[3] ^= word;
    round(state);
    round(state);
    state[0] ^= word;
  }
  const last = ((4 * words.length) << 24) | 0;
  state[3] ^= last;
  round(state);
  round(state);
  state[0] ^= last;
  state[2] ^= 0xff;
  for (let times = 0; times < 4; times++) round(state);
  return (state[1] ^ state[3]) >>> 0;
}

function round(state: number[]): void {
  let [v0, v1, v2, v3] = state as [number, number, number, number];
  v0 = (v0 + v1) | 0;
  v1 = rotated(v1, 5) ^ v0;
  v0 = rotated(v0, 16);
  v2 = (v2 + v3) | 0;
  v3 = rotated(v3, 8) ^ v2;
  v0 = (v0 + v3) | 0;
  v3 = rotated(v3, 7) ^ v0;
  v2 = (v2 + v1) | 0;
  v1 = rotated(v1, 13) ^ v2;
  v2 = rotated(v2, 16);
  state[0] = v0;
  state[1] = v1;
  state[2] = v2;
  state[3] = v3;
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
