import { read32, read64, write32, write64 } from './bytes.js';
import { requireBits } from './field.js';
import { EXTENDED_HEADER_BYTES } from './opcode.js';
import { type Refusal, refusal } from './refusal.js';
import { View } from './view.js';

/** Bytes of an RDMA extended transport header (IBTA volume 1, 9.3.3). */
export const RETH_BYTES = EXTENDED_HEADER_BYTES.reth;

const VIRTUAL_ADDRESS = 0;
const REMOTE_KEY = 8;
const DMA_BYTES = 12;

const UNSUPPORTED_ADDRESS = refusal('reth', 'unsupported-address');

/** A checked view over an RDMA extended transport header. */
export class RethView extends View {
  constructor() {
    super('reth', RETH_BYTES);
  }

  protected override check(): Refusal | null {
    return Number.isSafeInteger(this.virtualAddress) ? null : UNSUPPORTED_ADDRESS;
  }

  /** The remote virtual address; `wrap` refuses those above 2^53 - 1. */
  get virtualAddress(): number {
    return read64(this.bytes, this.offset + VIRTUAL_ADDRESS);
  }
  set virtualAddress(value: number) {
    write64(this.bytes, this.offset + VIRTUAL_ADDRESS, value);
  }

  /** R_Key. */
  get remoteKey(): number {
    return read32(this.bytes, this.offset + REMOTE_KEY);
  }
  set remoteKey(value: number) {
    write32(this.bytes, this.offset + REMOTE_KEY, value);
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
  /** The remote virtual address, a safe integer. */
  virtualAddress: number;
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
  requireBits('reth.virtualAddress', meaning.virtualAddress, 53);
  requireBits('reth.remoteKey', meaning.remoteKey, 32);
  requireBits('reth.dmaBytes', meaning.dmaBytes, 32);
  writer.wrapForWriting(bytes, offset);
  writer.virtualAddress = meaning.virtualAddress;
  writer.remoteKey = meaning.remoteKey;
  writer.dmaBytes = meaning.dmaBytes;
  writer.release();
  return RETH_BYTES;
}
