import { addressKey } from '../../transport/cm/index.js';

const NONE = -1;

/** What waits of one peer, oldest first. */
interface Line {
  readonly key: string;
  first: number;
  last: number;
  count: number;
}

/**
 * Datagrams that wait, by the address that they came from. Addresses take turns, so that whoever sends much waits for
 * itself. What has no room is dropped: a datagram may be lost.
 */
export class FairQueue {
  /** What was taken last: the first `length` bytes, and who sent them. */
  readonly bytes: Uint8Array;
  readonly source = new Uint8Array(16);
  length = 0;
  private readonly slotBytes: number;
  private readonly most: number;
  private readonly mostPerPeer: number;
  private readonly slots: Uint8Array;
  private readonly lengths: Int32Array;
  private readonly next: Int32Array;
  private readonly sources: Uint8Array;
  private free = 0;
  private count = 0;
  private readonly lines = new Map<string, Line>();

  constructor(most: number, mostPerPeer: number, slotBytes: number) {
    this.most = most;
    this.mostPerPeer = mostPerPeer;
    this.slotBytes = slotBytes;
    this.bytes = new Uint8Array(slotBytes);
    this.slots = new Uint8Array(most * slotBytes);
    this.sources = new Uint8Array(most * 16);
    this.lengths = new Int32Array(most);
    this.next = Int32Array.from({ length: most }, (_, slot) => (slot + 1 < most ? slot + 1 : NONE));
  }

  get size(): number {
    return this.count;
  }

  /** Copies a datagram to the end of its sender's line; false where that is too long already. */
  push(bytes: Uint8Array, offset: number, end: number, source: Uint8Array): boolean {
    const key = addressKey(source);
    let line = this.lines.get(key);
    const waiting = line?.count ?? 0;
    // No sender has more than there is room for others: the last places are for who has none yet.
    if (waiting >= Math.min(this.mostPerPeer, this.most - this.count) || end - offset > this.slotBytes)
      return false;
    const slot = this.free;
    this.free = this.next[slot];
    this.next[slot] = NONE;
    this.slots.set(bytes.subarray(offset, end), slot * this.slotBytes);
    this.lengths[slot] = end - offset;
    this.sources.set(source, slot * 16);
    this.count++;
    if (line === undefined) {
      line = { key, first: slot, last: slot, count: 1 };
      this.lines.set(key, line);
      return true;
    }
    this.next[line.last] = slot;
    line.last = slot;
    line.count++;
    return true;
  }

  /** Takes the oldest of the sender whose turn it is; false where nothing waits. */
  shift(): boolean {
    const line = this.lines.values().next().value;
    if (line === undefined) return false;
    const slot = line.first;
    this.length = this.lengths[slot];
    this.bytes.set(this.slots.subarray(slot * this.slotBytes, slot * this.slotBytes + this.length));
    this.source.set(this.sources.subarray(slot * 16, slot * 16 + 16));
    // A map keeps the order of insertion: whoever had its turn goes to the end.
    this.lines.delete(line.key);
    line.first = this.next[slot];
    line.count--;
    this.count--;
    if (line.count > 0) this.lines.set(line.key, line);
    this.next[slot] = this.free;
    this.free = slot;
    return true;
  }
}
