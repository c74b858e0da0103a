import { read32, write32 } from '../bytes/bytes.js';
import { requireBits } from '../bytes/field.js';
import type { Refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';
import { EXTENDED_HEADER_BYTES } from './opcode.js';

/** Bytes of the immediate data header, ImmDt (IBTA volume 1, 9.3.6). */
export const IMMEDIATE_BYTES = EXTENDED_HEADER_BYTES.immediate;

/** A checked view over immediate data. */
export class ImmediateView extends View {
  constructor() {
    super('immediate', IMMEDIATE_BYTES);
  }

  /** The immediate value, read in network byte order. */
  get value(): number {
    return read32(this.bytes, this.offset);
  }
  set value(value: number) {
    write32(this.bytes, this.offset, value);
  }
}

/** What immediate data means. */
export interface Immediate {
  /** The immediate value as a 32-bit number in network byte order. */
  value: number;
}

/** Reads the meaning of a wrapped view. */
export function parseImmediate(view: ImmediateView): Immediate | Refusal {
  return { value: view.value };
}

const writer = new ImmediateView();

/** Writes the header and returns its 4 bytes. */
export function emitImmediate(meaning: Immediate, bytes: Uint8Array, offset: number): number {
  requireBits('immediate.value', meaning.value, 32);
  writer.wrapForWriting(bytes, offset);
  writer.value = meaning.value;
  writer.release();
  return IMMEDIATE_BYTES;
}
