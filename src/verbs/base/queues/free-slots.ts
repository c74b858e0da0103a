import { NO_SLOT } from '../codes.js';
import { grown, NONE } from './column.js';

/** What the slots belong to. */
export interface SlotOwner {
  /** No slot is free: calls `grow` with room for more. */
  enlarge(): void;
}

/**
 * Which slots of a pool are free. It is an object of its own, the same for all pools, so that the engine knows its shape
 * where a slot is taken or given back: that happens several times a packet, for pools of five classes.
 */
export class FreeSlots {
  /** Links free slots; the link of a slot in use is its user's. */
  next = NONE.int32;
  /** Slots in use. */
  used = 0;
  private readonly owner: SlotOwner;
  private head = NO_SLOT;
  /** The first slot that was never used: it and those behind it are not linked. */
  private firstUnused = 0;

  constructor(owner: SlotOwner) {
    this.owner = owner;
  }

  /** Takes a slot. */
  allocate(): number {
    this.used++;
    const slot = this.head;
    if (slot === NO_SLOT) return this.allocateUnused();
    const { next } = this;
    this.head = next[slot];
    next[slot] = NO_SLOT;
    return slot;
  }

  /** Gives a slot back. */
  release(slot: number): void {
    this.next[slot] = this.head;
    this.head = slot;
    this.used--;
  }

  /** There is room for this many slots. */
  grow(capacity: number): void {
    this.next = grown(this.next, capacity);
  }

  private allocateUnused(): number {
    const slot = this.firstUnused++;
    if (slot === this.next.length) this.owner.enlarge();
    this.next[slot] = NO_SLOT;
    return slot;
  }
}
