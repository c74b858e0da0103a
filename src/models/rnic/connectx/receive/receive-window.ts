import type { Random } from '../../../../engine/index.js';

const EMPTY = -1;

/**
 * The few chunks of one receive queue that a device keeps of what its posts left for later: a store with random
 * replacement, so that entries are lost gradually as the ring outgrows it.
 */
export class ReceiveWindow {
  private readonly chunks: Float64Array;
  private readonly random: Random;
  /** The chunk that messages are being served from. */
  private current = EMPTY;

  /** `places`: the chunks that it holds. */
  constructor(places: number, random: Random) {
    this.chunks = new Float64Array(places).fill(EMPTY);
    this.random = random;
  }

  /** Puts a chunk in; a random other gives way where none is free. */
  put(chunk: number): void {
    const { chunks } = this;
    if (chunks.includes(chunk)) return;
    const free = chunks.indexOf(EMPTY);
    chunks[free >= 0 ? free : this.random.nextInt(chunks.length)] = chunk;
  }

  /** Serves an entry of a chunk; false where the chunk was pushed out and had to be read again. */
  serve(chunk: number): boolean {
    if (chunk === this.current) return true;
    this.current = chunk;
    const place = this.chunks.indexOf(chunk);
    if (place >= 0) this.chunks[place] = EMPTY;
    return place >= 0;
  }
}
