import { NONE } from '../../verbs/base/queues/slots.js';
import { psnDistance } from '../packet/psn.js';

/** What {@link ResponderResources.find} returns where nothing fits. */
export const NOT_FOUND = -1;

/**
 * What an RC responder remembers of the last READs and atomics, as many as `maxDestRdAtomic`: enough to answer any that
 * the requester may still ask for again (9.4.4, 9.4.5). READs are executed again; atomics must not be, so their result
 * is kept.
 */
export class ResponderResources {
  firstPsn = NONE.uint32;
  /** PSNs of the response. */
  packets = NONE.uint32;
  atomic = NONE.uint8;
  addrHigh = NONE.uint32;
  addrLow = NONE.uint32;
  bytes = NONE.uint32;
  low = NONE.uint32;
  high = NONE.uint32;
  /** How many there is room for. */
  size = 0;
  private newest = 0;
  private count = 0;

  /** Will keep so many, and forgets all. */
  reset(size: number): void {
    this.count = 0;
    this.newest = 0;
    this.size = size;
  }

  // When the first READ or atomic comes: most connections never see one, and there may be many thousands of them.
  private makeRoom(): void {
    const { size } = this;
    this.firstPsn = new Uint32Array(size);
    this.packets = new Uint32Array(size);
    this.atomic = new Uint8Array(size);
    this.addrHigh = new Uint32Array(size);
    this.addrLow = new Uint32Array(size);
    this.bytes = new Uint32Array(size);
    this.low = new Uint32Array(size);
    this.high = new Uint32Array(size);
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
    if (this.firstPsn.length !== size) this.makeRoom();
    this.newest = (this.newest + 1) % size;
    if (this.count < size) this.count++;
    const slot = this.newest;
    this.firstPsn[slot] = psn;
    this.packets[slot] = packets;
    this.atomic[slot] = atomic ? 1 : 0;
    this.addrHigh[slot] = addrHigh;
    this.addrLow[slot] = addrLow;
    this.bytes[slot] = bytes;
    return slot;
  }

  /** The slot of the request whose response covers a PSN. */
  find(psn: number): number {
    const { size } = this;
    for (let age = 0; age < this.count; age++) {
      const slot = (this.newest - age + size) % size;
      if (psnDistance(psn, this.firstPsn[slot]) < this.packets[slot]) return slot;
    }
    return NOT_FOUND;
  }
}
