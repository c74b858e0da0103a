import { read32, read64Exact, write32, write64Exact } from '../bytes/bytes.js';
import { View } from '../bytes/view.js';

const VIRTUAL_ADDRESS = 0;
const REMOTE_KEY = 8;

/** A checked view over a header that begins with remote memory: RETH and AtomicETH (IBTA volume 1, 9.3.3 and 9.3.4). */
export abstract class RemoteMemoryView extends View {
  /** The remote virtual address. Alignment is the responder's business. */
  get virtualAddress(): bigint {
    return read64Exact(this.bytes, this.offset + VIRTUAL_ADDRESS);
  }
  set virtualAddress(value: bigint) {
    write64Exact(this.bytes, this.offset + VIRTUAL_ADDRESS, value);
  }

  /** Its upper 32 bits: where no bigint is to be made. */
  get virtualAddressHigh(): number {
    return read32(this.bytes, this.offset + VIRTUAL_ADDRESS);
  }
  set virtualAddressHigh(value: number) {
    write32(this.bytes, this.offset + VIRTUAL_ADDRESS, value);
  }

  /** Its lower 32 bits. */
  get virtualAddressLow(): number {
    return read32(this.bytes, this.offset + VIRTUAL_ADDRESS + 4);
  }
  set virtualAddressLow(value: number) {
    write32(this.bytes, this.offset + VIRTUAL_ADDRESS + 4, value);
  }

  /** R_Key. */
  get remoteKey(): number {
    return read32(this.bytes, this.offset + REMOTE_KEY);
  }
  set remoteKey(value: number) {
    write32(this.bytes, this.offset + REMOTE_KEY, value);
  }
}
