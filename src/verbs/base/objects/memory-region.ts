import { VerbsError } from '../../error.js';
import type { MemoryRegion } from '../../memory.js';
import type { RemoteAddress } from '../../remote-address.js';
import { DeviceObject } from './device-object.js';
import type { BaseProtectionDomain } from './protection-domain.js';

/** A region as the program sees it; the device's view of it is its slot of the memory table. */
export class BaseMemoryRegion extends DeviceObject implements MemoryRegion<RemoteAddress> {
  protected readonly kind = 'memory region';
  readonly pd: BaseProtectionDomain;
  /** Its slot of the memory table. */
  readonly slot: number;
  // Set by the constructor and by `refresh`.
  declare addr: number;
  declare lengthBytes: number;
  declare lkey: number;
  /** As the program gave it: number or bigint. */
  declare iova: RemoteAddress;
  declare access: number;
  memory: Uint8Array | null;

  constructor(pd: BaseProtectionDomain, slot: number, memory: Uint8Array | null, iova: RemoteAddress) {
    super(pd.context);
    this.pd = pd;
    this.slot = slot;
    this.memory = memory;
    this.iova = iova;
    pd.dependants++;
    this.refresh();
  }

  /** The same key serves for both directions. */
  get rkey(): number {
    return this.lkey;
  }

  /** Shows what the table says now. */
  refresh(): void {
    const { memory } = this.context;
    this.addr = memory.addr[this.slot];
    this.lengthBytes = memory.length[this.slot];
    this.access = memory.access[this.slot];
    this.lkey = memory.keyOf(this.slot);
  }

  dereg(): void {
    this.requireAlive();
    const { memory } = this.context;
    if (memory.windows[this.slot] > 0) {
      const detail = { field: 'windows', given: memory.windows[this.slot], allowed: '0' };
      throw new VerbsError('OBJECT_BUSY', 'memory windows are bound to the region', detail);
    }
    this.retire();
    this.context.carrier.regionRemoved?.(this.slot);
    memory.remove(this.slot);
    this.pd.dependants--;
    this.context.release('maxMr');
  }
}
