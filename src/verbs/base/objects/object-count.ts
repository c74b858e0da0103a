import type { DeviceAttr } from '../../device.js';
import { VerbsError } from '../../error.js';

/** The limits of a device that count objects. */
export type ObjectLimit = 'maxQp' | 'maxCq' | 'maxMr' | 'maxMw' | 'maxPd' | 'maxAh' | 'maxSrq';

/** How many objects of one kind a device has, and how many it can have. */
export class ObjectCount {
  private readonly limit: ObjectLimit;
  private readonly most: number;
  used = 0;

  constructor(device: DeviceAttr, limit: ObjectLimit) {
    this.limit = limit;
    this.most = device[limit];
  }

  /** Counts one object more, or refuses with LIMIT_REACHED. */
  acquire(): void {
    if (this.used >= this.most) {
      const detail = { field: this.limit, given: this.used + 1, allowed: `up to ${this.most}` };
      throw new VerbsError('LIMIT_REACHED', 'the device has no room for another object of this kind', detail);
    }
    this.used++;
  }

  /** Counts one object less. */
  release(): void {
    this.used--;
  }
}
