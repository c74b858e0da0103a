import { NONE } from '../../verbs/base/queues/column.js';
import { psnDistance } from '../packet/psn.js';

/** What {@link ResponderResources.find} returns where nothing fits. */
export const NOT_FOUND = -1;

/** Words of a row. */
const ROW = 8;
const FIRST_PSN = 0;
const PACKETS = 1;
const ATOMIC = 2;
const ADDRESS_HIGH = 3;
const ADDRESS_LOW = 4;
const BYTES = 5;
const LOW = 6;
const HIGH = 7;

/**
 * What an RC responder remembers of the last READs and atomics, as many as `maxDestRdAtomic`: enough to answer any that
 * the requester may still ask for again (9.4.4, 9.4.5). READs are executed again; atomics must not be, so their result
 * is kept. One array holds all, as there may be many thousands of responders.
 */
export class ResponderResources {
  /** How many there is room for. */
  size = 0;
  private words = NONE.uint32;
  private newest = 0;
  private count = 0;

  /** Will keep this many, and forgets all. */
  reset(size: number): void {
    this.count = 0;
    this.newest = 0;
    this.size = size;
  }

  /** Remembers a request in place of the oldest and returns its slot. */
  add(
    psn: number,
    packets: number,
    atomic: boolean,
    addrHigh: number,
    addrLow: number,
    bytes: number,
  ): number {
    const { size } = this;
    // When the first READ or atomic comes: most connections never see one.
    if (this.words.length !== ROW * size) this.words = new Uint32Array(ROW * size);
    this.newest = (this.newest + 1) % size;
    if (this.count < size) this.count++;
    const { words } = this;
    const slot = ROW * this.newest;
    words[slot + FIRST_PSN] = psn;
    words[slot + PACKETS] = packets;
    words[slot + ATOMIC] = atomic ? 1 : 0;
    words[slot + ADDRESS_HIGH] = addrHigh;
    words[slot + ADDRESS_LOW] = addrLow;
    words[slot + BYTES] = bytes;
    return slot;
  }

  /** The slot of the request whose response covers a PSN. */
  find(psn: number): number {
    const { size, words } = this;
    for (let age = 0; age < this.count; age++) {
      const slot = ROW * ((this.newest - age + size) % size);
      if (psnDistance(psn, words[slot + FIRST_PSN]) < words[slot + PACKETS]) return slot;
    }
    return NOT_FOUND;
  }

  firstPsn(slot: number): number {
    return this.words[slot + FIRST_PSN];
  }

  isAtomic(slot: number): boolean {
    return this.words[slot + ATOMIC] !== 0;
  }

  addressHigh(slot: number): number {
    return this.words[slot + ADDRESS_HIGH];
  }

  addressLow(slot: number): number {
    return this.words[slot + ADDRESS_LOW];
  }

  bytes(slot: number): number {
    return this.words[slot + BYTES];
  }

  /** Keeps the result of an atomic. */
  keepResult(slot: number, low: number, high: number): void {
    this.words[slot + LOW] = low;
    this.words[slot + HIGH] = high;
  }

  resultLow(slot: number): number {
    return this.words[slot + LOW];
  }

  resultHigh(slot: number): number {
    return this.words[slot + HIGH];
  }
}
