import { read24, read32, write24, write32 } from '../bytes/bytes.js';
import { requireBits } from '../bytes/field.js';
import type { Refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';
import { EXTENDED_HEADER_BYTES } from './opcode.js';

/** Bytes of a datagram extended transport header (IBTA volume 1, 9.3.2). */
export const DETH_BYTES = EXTENDED_HEADER_BYTES.deth;

const QUEUE_KEY = 0;
const SOURCE_QP = 5;

/** A checked view over a datagram extended transport header. */
export class DethView extends View {
  constructor() {
    super('deth', DETH_BYTES);
  }

  /** Q_Key that the receiving queue pair compares with its own. */
  get queueKey(): number {
    return read32(this.bytes, this.offset + QUEUE_KEY);
  }
  set queueKey(value: number) {
    write32(this.bytes, this.offset + QUEUE_KEY, value);
  }

  /** The 24-bit number of the sending queue pair. */
  get sourceQp(): number {
    return read24(this.bytes, this.offset + SOURCE_QP);
  }
  set sourceQp(value: number) {
    write24(this.bytes, this.offset + SOURCE_QP, value);
  }
}

/** What a datagram extended transport header means. */
export interface Deth {
  /** Q_Key that the receiving queue pair compares with its own. */
  queueKey: number;
  /** The 24-bit number of the sending queue pair. */
  sourceQp: number;
}

/** Reads the meaning of a wrapped view. */
export function parseDeth(view: DethView): Deth | Refusal {
  return { queueKey: view.queueKey, sourceQp: view.sourceQp };
}

const writer = new DethView();

/** Writes the header and returns its 8 bytes. */
export function emitDeth(meaning: Deth, bytes: Uint8Array, offset: number): number {
  requireBits('deth.queueKey', meaning.queueKey, 32);
  requireBits('deth.sourceQp', meaning.sourceQp, 24);
  writer.wrapForWriting(bytes, offset);
  writer.queueKey = meaning.queueKey;
  writer.sourceQp = meaning.sourceQp;
  writer.release();
  return DETH_BYTES;
}
