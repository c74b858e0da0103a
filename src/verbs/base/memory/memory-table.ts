import { ACCESS_REMOTE, Access } from '../../access.js';
import type { RemoteAddress } from '../../remote-address.js';
import { NO_SLOT } from '../codes.js';
import { grown, NONE } from '../queues/column.js';
import { SlotPool } from '../queues/slots.js';
import { highWord, lowWord, wordDistance } from './address-words.js';
import { KeyIndex, type RandomWords } from './key-index.js';

/** What an entry of the table is. */
export const EntryKind = { FREE: 0, REGION: 1, FAST_REGION: 2, WINDOW: 3 } as const;

/** What a check of a key found. Everything but OK is a refusal. */
export const KeyCheck = {
  OK: 0,
  /** No such key, an old key byte, or a key that is not valid now. */
  BAD_KEY: 1,
  /** A key of another protection domain, or a window that was bound on another queue pair. */
  WRONG_DOMAIN: 2,
  OUT_OF_BOUNDS: 3,
  NO_RIGHT: 4,
} as const;

/** The bits of a key that its owner may choose at a fast registration or a bind. */
export const KEY_BYTE_MASK = 0xff;

/**
 * The regions and windows of a device, found by key in constant time: the key's upper 24 bits name an entry, its low 8
 * bits must equal the entry's key byte (specification 10.6.3.1). All 32 are drawn at random for every entry; the owner
 * of a fast region or a window may choose the low 8.
 *
 * The checks return a {@link KeyCheck}; when it is OK, `found` is the slot and `position` the place in `bytes[found]`
 * of the first byte that was asked for, until the next check.
 */
export class MemoryTable extends SlotPool {
  kind = NONE.uint8;
  /** 1 while the key may be used. */
  valid = NONE.uint8;
  /** The upper 24 bits of the key. */
  keyIndex = NONE.uint32;
  keyByte = NONE.uint8;
  pd = NONE.int32;
  access = NONE.int32;
  /** The first byte's address for local keys. */
  addr = NONE.float64;
  /** The first byte's address for remote keys, as two words. */
  iovaHigh = NONE.uint32;
  iovaLow = NONE.uint32;
  length = NONE.float64;
  /** Where the entry begins in its bytes: 0 but for windows. */
  start = NONE.float64;
  /** Fast regions: the most that a registration may cover. */
  maxBytes = NONE.float64;
  /** Windows: the region, while bound. */
  parent = NONE.int32;
  /** Windows: the queue pair that they were bound on (type 2, specification 10.6.7.2.2). */
  qpNum = NONE.uint32;
  /** Regions: windows bound to it. */
  windows = NONE.int32;
  /** The number of the memory's placement, -1 where it has none. */
  placement = NONE.int16;
  /** The memory of regions and bound windows, null where it has no bytes. */
  bytes: (Uint8Array | null)[] = [];
  /** Whether any entry ever had bytes: where none has, nothing is to be copied. */
  hasBytes = false;

  /** The slot that the last check found. */
  found = NO_SLOT;
  /** The place in `bytes[found]` that the last check found. */
  position = 0;

  private readonly keys: KeyIndex;
  private readonly random: RandomWords;

  constructor(random: RandomWords) {
    super();
    this.random = random;
    this.keys = new KeyIndex(random);
  }

  /** Adds a region that covers memory from now on. */
  addRegion(
    pd: number,
    bytes: Uint8Array | null,
    addr: number,
    iova: RemoteAddress,
    length: number,
    access: number,
    placement: number,
  ): number {
    const slot = this.add(EntryKind.REGION, pd);
    this.cover(slot, bytes, addr, highWord(iova), lowWord(iova), length, access);
    this.placement[slot] = placement;
    return slot;
  }

  /** Adds a region for fast registration; its key is not valid yet. */
  addFastRegion(pd: number, maxBytes: number): number {
    const slot = this.add(EntryKind.FAST_REGION, pd);
    this.maxBytes[slot] = maxBytes;
    return slot;
  }

  /** Adds a window; its key is not valid until it is bound. */
  addWindow(pd: number): number {
    return this.add(EntryKind.WINDOW, pd);
  }

  /** The key of a slot, as it is now. */
  keyOf(slot: number): number {
    return ((this.keyIndex[slot] << 8) | this.keyByte[slot]) >>> 0;
  }

  /** The slot that a key names, valid or not; NO_SLOT where there is none or its key byte is another. */
  slotOf(key: number): number {
    const slot = this.keys.find(key >>> 8);
    if (slot === NO_SLOT) return NO_SLOT;
    return this.keyByte[slot] === (key & KEY_BYTE_MASK) ? slot : NO_SLOT;
  }

  /** Where a remote address lies in the entry, from its first byte. */
  positionOf(slot: number, high: number, low: number): number {
    return wordDistance(this.iovaHigh[slot], this.iovaLow[slot], high, low);
  }

  /** Gives a fast region its memory and its key byte; false where it is valid already (specification 10.6.4). */
  fastRegister(
    slot: number,
    key: number,
    bytes: Uint8Array,
    addr: number,
    iova: RemoteAddress,
    access: number,
  ): boolean {
    if (this.valid[slot] === 1) return false;
    this.keyByte[slot] = key & KEY_BYTE_MASK;
    this.cover(slot, bytes, addr, highWord(iova), lowWord(iova), bytes.length, access);
    return true;
  }

  /**
   * Binds a window to a part of a region; `addr` is in the addresses that peers use for the region. False where the
   * region allows no such window or the window is bound already.
   */
  bind(
    window: number,
    key: number,
    region: number,
    addr: RemoteAddress,
    length: number,
    access: number,
    qpNum: number,
  ): boolean {
    if (this.valid[window] === 1 || this.valid[region] === 0) return false;
    const rights = this.access[region];
    if ((rights & Access.MW_BIND) === 0 || this.pd[window] !== this.pd[region]) return false;
    const writes = (access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) !== 0;
    if (writes && (rights & Access.LOCAL_WRITE) === 0) return false;
    const high = highWord(addr);
    const low = lowWord(addr);
    const start = wordDistance(this.iovaHigh[region], this.iovaLow[region], high, low);
    if (start < 0 || start + length > this.length[region]) return false;
    this.keyByte[window] = key & KEY_BYTE_MASK;
    const zeroBased = (access & Access.ZERO_BASED) !== 0;
    this.cover(
      window,
      this.bytes[region],
      this.addr[region] + start,
      zeroBased ? 0 : high,
      zeroBased ? 0 : low,
      length,
      access & ACCESS_REMOTE,
    );
    this.start[window] = this.start[region] + start;
    this.parent[window] = region;
    this.placement[window] = this.placement[region];
    this.qpNum[window] = qpNum;
    this.windows[region]++;
    return true;
  }

  /** Takes the validity from a fast region or a window; false where the key cannot be invalidated in this domain. */
  invalidate(pd: number, key: number): boolean {
    if (!this.canInvalidate(pd, key)) return false;
    this.uncover(this.slotOf(key));
    return true;
  }

  /** Whether {@link invalidate} would succeed: a valid fast region without windows, or a bound window. */
  canInvalidate(pd: number, key: number): boolean {
    const slot = this.slotOf(key);
    if (slot === NO_SLOT || this.valid[slot] === 0 || this.pd[slot] !== pd) return false;
    return (
      this.kind[slot] === EntryKind.WINDOW ||
      (this.kind[slot] === EntryKind.FAST_REGION && this.windows[slot] === 0)
    );
  }

  /** Removes an entry. Its key works again only if the same 32 bits are drawn again. */
  remove(slot: number): void {
    if (this.valid[slot] === 1) this.uncover(slot);
    this.keys.remove(this.keyIndex[slot]);
    this.kind[slot] = EntryKind.FREE;
    this.slots.release(slot);
  }

  /** Whether a local key covers the range, and for `write` lets the device write there. */
  checkLocal(pd: number, lkey: number, addr: number, length: number, write: boolean): number {
    const slot = this.slotOf(lkey);
    if (slot === NO_SLOT || this.valid[slot] === 0 || this.kind[slot] === EntryKind.WINDOW)
      return KeyCheck.BAD_KEY;
    if (this.pd[slot] !== pd) return KeyCheck.WRONG_DOMAIN;
    const offset = addr - this.addr[slot];
    if (offset < 0 || offset + length > this.length[slot]) return KeyCheck.OUT_OF_BOUNDS;
    if (write && (this.access[slot] & Access.LOCAL_WRITE) === 0) return KeyCheck.NO_RIGHT;
    this.found = slot;
    this.position = offset;
    return KeyCheck.OK;
  }

  /**
   * Whether a remote key that arrived on a queue pair covers the range with these rights. The low word of the address
   * may have been added to.
   */
  checkRemote(
    pd: number,
    qpNum: number,
    rkey: number,
    addrHigh: number,
    addrLow: number,
    length: number,
    rights: number,
  ): number {
    const slot = this.slotOf(rkey);
    if (slot === NO_SLOT || this.valid[slot] === 0) return KeyCheck.BAD_KEY;
    if (this.pd[slot] !== pd) return KeyCheck.WRONG_DOMAIN;
    if (this.kind[slot] === EntryKind.WINDOW && this.qpNum[slot] !== qpNum) return KeyCheck.WRONG_DOMAIN;
    const offset = wordDistance(this.iovaHigh[slot], this.iovaLow[slot], addrHigh, addrLow);
    if (offset < 0 || offset + length > this.length[slot]) return KeyCheck.OUT_OF_BOUNDS;
    if ((this.access[slot] & rights) !== rights) return KeyCheck.NO_RIGHT;
    this.found = slot;
    this.position = this.start[slot] + offset;
    return KeyCheck.OK;
  }

  protected override growColumns(capacity: number): void {
    this.kind = grown(this.kind, capacity);
    this.valid = grown(this.valid, capacity);
    this.keyIndex = grown(this.keyIndex, capacity);
    this.keyByte = grown(this.keyByte, capacity);
    this.pd = grown(this.pd, capacity);
    this.access = grown(this.access, capacity);
    this.addr = grown(this.addr, capacity);
    this.iovaHigh = grown(this.iovaHigh, capacity);
    this.iovaLow = grown(this.iovaLow, capacity);
    this.length = grown(this.length, capacity);
    this.start = grown(this.start, capacity);
    this.maxBytes = grown(this.maxBytes, capacity);
    this.parent = grown(this.parent, capacity);
    this.qpNum = grown(this.qpNum, capacity);
    this.windows = grown(this.windows, capacity);
    this.placement = grown(this.placement, capacity);
    const bytes = new Array<Uint8Array | null>(capacity).fill(null);
    for (let slot = 0; slot < this.bytes.length; slot++) bytes[slot] = this.bytes[slot];
    this.bytes = bytes;
  }

  private add(kind: number, pd: number): number {
    const slot = this.slots.allocate();
    this.kind[slot] = kind;
    this.valid[slot] = 0;
    this.pd[slot] = pd;
    this.access[slot] = 0;
    this.addr[slot] = 0;
    this.iovaHigh[slot] = 0;
    this.iovaLow[slot] = 0;
    this.length[slot] = 0;
    this.start[slot] = 0;
    this.parent[slot] = NO_SLOT;
    this.windows[slot] = 0;
    this.placement[slot] = -1;
    this.keyIndex[slot] = this.keys.add(slot);
    this.keyByte[slot] = this.random();
    return slot;
  }

  private cover(
    slot: number,
    bytes: Uint8Array | null,
    addr: number,
    iovaHigh: number,
    iovaLow: number,
    length: number,
    access: number,
  ): void {
    this.bytes[slot] = bytes;
    if (bytes !== null) this.hasBytes = true;
    this.addr[slot] = addr;
    this.iovaHigh[slot] = iovaHigh;
    this.iovaLow[slot] = iovaLow;
    this.length[slot] = length;
    this.access[slot] = access;
    this.valid[slot] = 1;
  }

  private uncover(slot: number): void {
    this.valid[slot] = 0;
    this.bytes[slot] = null;
    if (this.parent[slot] !== NO_SLOT) this.windows[this.parent[slot]]--;
    this.parent[slot] = NO_SLOT;
  }
}
