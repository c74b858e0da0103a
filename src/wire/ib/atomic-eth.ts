import { read64Exact, write64Exact } from '../bytes/bytes.js';
import { requireBits, requireBits64 } from '../bytes/field.js';
import type { Refusal } from '../bytes/refusal.js';
import { EXTENDED_HEADER_BYTES } from './opcode.js';
import { RemoteMemoryView } from './remote-memory.js';

/** Bytes of an atomic extended transport header (IBTA volume 1, 9.3.4). */
export const ATOMIC_ETH_BYTES = EXTENDED_HEADER_BYTES.atomicEth;

const SWAP_OR_ADD = 12;
const COMPARE = 20;

/** A checked view over an atomic extended transport header. */
export class AtomicEthView extends RemoteMemoryView {
  constructor() {
    super('atomicEth', ATOMIC_ETH_BYTES);
  }

  /** The value to swap in, or to add. */
  get swapOrAdd(): bigint {
    return read64Exact(this.bytes, this.offset + SWAP_OR_ADD);
  }
  set swapOrAdd(value: bigint) {
    write64Exact(this.bytes, this.offset + SWAP_OR_ADD, value);
  }

  /** The value to compare with; FETCH ADD ignores it. */
  get compare(): bigint {
    return read64Exact(this.bytes, this.offset + COMPARE);
  }
  set compare(value: bigint) {
    write64Exact(this.bytes, this.offset + COMPARE, value);
  }
}

/** What an atomic extended transport header means. */
export interface AtomicEth {
  /** The remote virtual address. */
  virtualAddress: bigint;
  /** R_Key. */
  remoteKey: number;
  /** The value to swap in, or to add. */
  swapOrAdd: bigint;
  /** The value to compare with; FETCH ADD ignores it. */
  compare: bigint;
}

/** Reads the meaning of a wrapped view. */
export function parseAtomicEth(view: AtomicEthView): AtomicEth | Refusal {
  return {
    virtualAddress: view.virtualAddress,
    remoteKey: view.remoteKey,
    swapOrAdd: view.swapOrAdd,
    compare: view.compare,
  };
}

const writer = new AtomicEthView();

/** Writes the header and returns its 28 bytes. */
export function emitAtomicEth(meaning: AtomicEth, bytes: Uint8Array, offset: number): number {
  requireBits64('atomicEth.virtualAddress', meaning.virtualAddress);
  requireBits('atomicEth.remoteKey', meaning.remoteKey, 32);
  requireBits64('atomicEth.swapOrAdd', meaning.swapOrAdd);
  requireBits64('atomicEth.compare', meaning.compare);
  writer.wrapForWriting(bytes, offset);
  writer.virtualAddress = meaning.virtualAddress;
  writer.remoteKey = meaning.remoteKey;
  writer.swapOrAdd = meaning.swapOrAdd;
  writer.compare = meaning.compare;
  writer.release();
  return ATOMIC_ETH_BYTES;
}
