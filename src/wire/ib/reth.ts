import { read32, write32 } from '../bytes/bytes.js';
import { requireBits, requireBits64 } from '../bytes/field.js';
import type { Refusal } from '../bytes/refusal.js';
import { EXTENDED_HEADER_BYTES } from './opcode.js';
import { RemoteMemoryView } from './remote-memory.js';

/** Bytes of an RDMA extended transport header (IBTA volume 1, 9.3.3). */
export const RETH_BYTES = EXTENDED_HEADER_BYTES.reth;

const DMA_BYTES = 12;

/** A checked view over an RDMA extended transport header. */
export class RethView extends RemoteMemoryView {
  constructor() {
    super('reth', RETH_BYTES);
  }

  /** Bytes of the whole RDMA operation. */
  get dmaBytes(): number {
    return read32(this.bytes, this.offset + DMA_BYTES);
  }
  set dmaBytes(value: number) {
    write32(this.bytes, this.offset + DMA_BYTES, value);
  }
}

/** What an RDMA extended transport header means. */
export interface Reth {
  /** The remote virtual address. */
  virtualAddress: bigint;
  /** R_Key. */
  remoteKey: number;
  /** Bytes of the whole RDMA operation. */
  dmaBytes: number;
}

/** Reads the meaning of a wrapped view. */
export function parseReth(view: RethView): Reth | Refusal {
  return { virtualAddress: view.virtualAddress, remoteKey: view.remoteKey, dmaBytes: view.dmaBytes };
}

const writer = new RethView();

/** Writes the header and returns its 16 bytes. */
export function emitReth(meaning: Reth, bytes: Uint8Array, offset: number): number {
  requireBits64('reth.virtualAddress', meaning.virtualAddress);
  requireBits('reth.remoteKey', meaning.remoteKey, 32);
  requireBits('reth.dmaBytes', meaning.dmaBytes, 32);
  writer.wrapForWriting(bytes, offset);
  writer.virtualAddress = meaning.virtualAddress;
  writer.remoteKey = meaning.remoteKey;
  writer.dmaBytes = meaning.dmaBytes;
  writer.release();
  return RETH_BYTES;
}
