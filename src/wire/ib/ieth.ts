import { read32, write32 } from '../bytes/bytes.js';
import { requireBits } from '../bytes/field.js';
import type { Refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';
import { EXTENDED_HEADER_BYTES } from './opcode.js';

/** Bytes of an invalidate extended transport header (IBTA volume 1, 9.3.7). */
export const IETH_BYTES = EXTENDED_HEADER_BYTES.ieth;

/** A checked view over an invalidate extended transport header. */
export class IethView extends View {
  constructor() {
    super('ieth', IETH_BYTES);
  }

  /** The R_Key that the receiver is to invalidate. */
  get remoteKey(): number {
    return read32(this.bytes, this.offset);
  }
  set remoteKey(value: number) {
    write32(this.bytes, this.offset, value);
  }
}

/** What an invalidate extended transport header means. */
export interface Ieth {
  /** The R_Key that the receiver is to invalidate. */
  remoteKey: number;
}

/** Reads the meaning of a wrapped view. */
export function parseIeth(view: IethView): Ieth | Refusal {
  return { remoteKey: view.remoteKey };
}

const writer = new IethView();

/** Writes the header and returns its 4 bytes. */
export function emitIeth(meaning: Ieth, bytes: Uint8Array, offset: number): number {
  requireBits('ieth.remoteKey', meaning.remoteKey, 32);
  writer.wrapForWriting(bytes, offset);
  writer.remoteKey = meaning.remoteKey;
  writer.release();
  return IETH_BYTES;
}
