/** Random 32-bit words: seeded in a simulation, from the system where strangers could guess keys. */
export type RandomWords = () => number;

const HALF_BITS = 12;
const HALF_MASK = (1 << HALF_BITS) - 1;
const ROUNDS = 4;

/**
 * Spreads the indices of a memory table over the 24 index bits of its keys and back: a Feistel network keyed at random.
 * Two tables number their first region differently, and a key says nothing about its neighbours. It keeps strangers
 * from guessing by counting; it is no cipher to protect a secret with.
 */
export class KeyCipher {
  private readonly roundKeys = new Uint32Array(ROUNDS);

  constructor(random: RandomWords) {
    for (let round = 0; round < ROUNDS; round++) this.roundKeys[round] = random();
  }

  /** The index bits of the key of a slot. */
  encrypt(index: number): number {
    let left = index >>> HALF_BITS;
    let right = index & HALF_MASK;
    for (let round = 0; round < ROUNDS; round++) {
      const mixed = left ^ this.mix(right, round);
      left = right;
      right = mixed;
    }
    return (left << HALF_BITS) | right;
  }

  /** The slot of a key's index bits. */
  decrypt(bits: number): number {
    let left = bits >>> HALF_BITS;
    let right = bits & HALF_MASK;
    for (let round = ROUNDS - 1; round >= 0; round--) {
      const mixed = right ^ this.mix(left, round);
      right = left;
      left = mixed;
    }
    return (left << HALF_BITS) | right;
  }

  private mix(half: number, round: number): number {
    const product = Math.imul(half + 1, 0x9e3779b1) ^ this.roundKeys[round];
    return (Math.imul(product ^ (product >>> 15), 0x85ebca6b) >>> 18) & HALF_MASK;
  }
}
