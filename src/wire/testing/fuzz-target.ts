import type { Random } from '../../engine/random.js';
import type { Refusal } from '../bytes/refusal.js';
import type { View } from '../bytes/view.js';

/**
 * One row of the fuzz: a decoder, how to make valid bytes for it, and how to write back what it read.
 *
 * A new decoder joins the fuzz by a row in `fuzz-targets.ts`.
 */
export interface FuzzTarget<Meaning = unknown> {
  /** Names the row in the report. */
  readonly name: string;
  /** Writes valid bytes at `offset` (there is room for {@link LARGEST_SAMPLE_BYTES}) and returns how many. */
  sample(random: Random, bytes: Uint8Array, offset: number): number;
  /** Decodes `bytes[offset, end)`. It must not throw, and must not look at bytes outside. */
  decode(bytes: Uint8Array, offset: number, end: number): Meaning | Refusal;
  /** Writes a decoded meaning at `offset` and returns its bytes; absent where there is nothing to write back. */
  emit?(meaning: Meaning, bytes: Uint8Array, offset: number): number;
  /** Mends checksums after a mutation, so that what lies behind them is reached. The bytes may be anything. */
  repair?(bytes: Uint8Array, offset: number, end: number): void;
}

/** The most bytes that a sample takes. */
export const LARGEST_SAMPLE_BYTES = 1024;

/** The row of one header with a view, a parse, an emit, and a maker of random meanings. */
export function headerTarget<V extends View, Meaning>(
  name: string,
  view: V,
  parse: (view: V) => Meaning | Refusal,
  emit: (meaning: Meaning, bytes: Uint8Array, offset: number) => number,
  make: (random: Random) => Meaning,
  /** Bytes to add behind the header of a sample, where its length field counts a payload. */
  payloadBytes: (meaning: Meaning) => number = () => 0,
): FuzzTarget<Meaning> {
  return {
    name,
    sample(random, bytes, offset) {
      const meaning = make(random);
      const size = emit(meaning, bytes, offset);
      const payload = payloadBytes(meaning);
      bytes.fill(0, offset + size, offset + size + payload);
      return size + payload;
    },
    decode: (bytes, offset, end) => view.wrap(bytes, offset, end) ?? parse(view),
    emit: (meaning, bytes, offset) => {
      const size = emit(meaning, bytes, offset);
      const payload = payloadBytes(meaning);
      bytes.fill(0, offset + size, offset + size + payload);
      return size + payload;
    },
  };
}
