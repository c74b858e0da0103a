import { NO_REFERENCE } from '../../../transport/index.js';

/** Bytes of a slot: the largest payload of a packet. */
const SLOT_BYTES = 4096;

/**
 * The bytes of packets in flight. A payload is copied at the time of the sender's DMA, so that a program may change its
 * buffer once its request has completed. Packets of memory that has no bytes need no slot.
 */
export class PayloadSlab {
  bytes = new Uint8Array(64 * SLOT_BYTES);
  private free: number[] = [];
  private slots = 0;

  /** Slots in use. */
  get inUse(): number {
    return this.slots - this.free.length;
  }

  /** Takes a slot. */
  take(): number {
    const free = this.free.pop();
    if (free !== undefined) return free;
    if ((this.slots + 1) * SLOT_BYTES > this.bytes.length) {
      const larger = new Uint8Array(2 * this.bytes.length);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    return this.slots++;
  }

  /** Where a slot begins in `bytes`. */
  at(slot: number): number {
    return slot * SLOT_BYTES;
  }

  /** Gives a slot back; a reference to nothing is allowed. */
  release(slot: number): void {
    if (slot !== NO_REFERENCE) this.free.push(slot);
  }
}
