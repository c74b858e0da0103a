import { read64Exact, write64Exact } from '../bytes/bytes.js';
import { requireBits64 } from '../bytes/field.js';
import type { Refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';
import { EXTENDED_HEADER_BYTES } from './opcode.js';

/** Bytes of an atomic acknowledge extended transport header (IBTA volume 1, 9.5.3). */
export const ATOMIC_ACK_ETH_BYTES = EXTENDED_HEADER_BYTES.atomicAckEth;

/** A checked view over an atomic acknowledge extended transport header. */
export class AtomicAckEthView extends View {
  constructor() {
    super('atomicAckEth', ATOMIC_ACK_ETH_BYTES);
  }

  /** What the memory held before the operation. */
  get original(): bigint {
    return read64Exact(this.bytes, this.offset);
  }
  set original(value: bigint) {
    write64Exact(this.bytes, this.offset, value);
  }
}

/** What an atomic acknowledge extended transport header means. */
export interface AtomicAckEth {
  /** What the memory held before the operation. */
  original: bigint;
}

/** Reads the meaning of a wrapped view. */
export function parseAtomicAckEth(view: AtomicAckEthView): AtomicAckEth | Refusal {
  return { original: view.original };
}

const writer = new AtomicAckEthView();

/** Writes the header and returns its 8 bytes. */
export function emitAtomicAckEth(meaning: AtomicAckEth, bytes: Uint8Array, offset: number): number {
  requireBits64('atomicAckEth.original', meaning.original);
  writer.wrapForWriting(bytes, offset);
  writer.original = meaning.original;
  writer.release();
  return ATOMIC_ACK_ETH_BYTES;
}
