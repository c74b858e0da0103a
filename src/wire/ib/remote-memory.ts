import { read32, read64, write32, write64 } from '../bytes/bytes.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

const VIRTUAL_ADDRESS = 0;
const REMOTE_KEY = 8;

/** A checked view over a header that begins with remote memory: RETH and AtomicETH (IBTA volume 1, 9.3.3 and 9.3.4). */
export abstract class RemoteMemoryView extends View {
  private readonly unsupportedAddress: Refusal;

  constructor(header: 'reth' | 'atomicEth', minimumBytes: number) {
    super(header, minimumBytes);
    this.unsupportedAddress = refusal(header, 'unsupported-address');
  }

  protected override check(): Refusal | null {
    return Number.isSafeInteger(this.virtualAddress) ? null : this.unsupportedAddress;
  }

  /** The remote virtual address; `wrap` refuses those above 2^53 - 1. Alignment is the responder's business. */
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
}
