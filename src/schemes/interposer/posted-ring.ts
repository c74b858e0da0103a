/** What a request that went to the device is to its tenant. */
export const Part = {
  /** The whole of a tenant's request, or the last part of one. */
  LAST: 0,
  /** A part of a tenant's request that is not its last. */
  PIECE: 1,
  /** The interposer's own. */
  OWN: 2,
  /** Own: takes a token of a semaphore (a WAIT). */
  ACQUIRE: 3,
  /** Own: gives it back (an ENABLE). */
  RELEASE: 4,
} as const;

/**
 * The requests that one send queue of the device holds, in order: which request of the tenant each belongs to and how.
 * A request is known by its number, which is also the wrId that the device gets; the numbers never start again.
 */
export class PostedRing {
  /** Numbers given so far, and those whose places in the device's queue are free again. */
  posted = 0;
  released = 0;
  /** Requests in it that no tenant may see complete. */
  hidden = 0;
  private mask = 63;
  private kinds = new Uint8Array(64);
  private requests = new Float64Array(64);

  /** Requests in the device's queue. */
  get outstanding(): number {
    return this.posted - this.released;
  }

  /** Adds one and returns its number. */
  push(kind: number, request: number): number {
    if (this.outstanding > this.mask) this.grow();
    const number = this.posted++;
    this.kinds[number & this.mask] = kind;
    this.requests[number & this.mask] = request;
    if (kind !== Part.LAST) this.hidden++;
    return number;
  }

  kindOf(number: number): number {
    return this.kinds[number & this.mask];
  }

  /** The tenant's request that it belongs to. */
  requestOf(number: number): number {
    return this.requests[number & this.mask];
  }

  /** This one and all before it have left the device's queue. */
  release(number: number): void {
    while (this.released <= number) {
      if (this.kindOf(this.released) !== Part.LAST) this.hidden--;
      this.released++;
    }
  }

  private grow(): void {
    const size = 2 * (this.mask + 1);
    const kinds = new Uint8Array(size);
    const requests = new Float64Array(size);
    for (let number = this.released; number < this.posted; number++) {
      kinds[number & (size - 1)] = this.kindOf(number);
      requests[number & (size - 1)] = this.requestOf(number);
    }
    this.mask = size - 1;
    this.kinds = kinds;
    this.requests = requests;
  }

  /** Forgets all that are in it. */
  clear(): void {
    this.release(this.posted - 1);
  }
}
