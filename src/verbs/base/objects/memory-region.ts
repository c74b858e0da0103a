import { VerbsError } from '../../error.js';
import type { MemoryRegion } from '../../memory.js';
import type { RemoteAddress } from '../../remote-address.js';
import { DeviceObject } from './device-object.js';
import type { BaseProtectionDomain } from './protection-domain.js';

type RegionFacts = Pick<MemoryRegion, 'addr' | 'lengthBytes' | 'access' | 'lkey'>;

/** A region as the program sees it; the device's view of it is its slot of the memory table. */
export class BaseMemoryRegion extends DeviceObject implements MemoryRegion<RemoteAddress> {
  readonly pd: BaseProtectionDomain;
  /** Its slot of the memory table. */
  readonly slot: number;
  memory: Uint8Array | null;
  /** The address for peers, as the program gave it, number or bigint; null: that of the memory. */
  private chosenIova: RemoteAddress | null;
  /** What the table said, once its slot may be another's. */
  private last: RegionFacts | null = null;

  constructor(pd: BaseProtectionDomain, slot: number, memory: Uint8Array | null, iova: RemoteAddress | null) {
    super(pd.context);
    this.pd = pd;
    this.slot = slot;
    this.memory = memory;
    this.chosenIova = iova;
    pd.dependants++;
  }

  protected get kind(): string {
    return 'memory region';
  }

  // All this is in the table: there may be a million regions, and numbers of this size take memory of their own.

  get addr(): number {
    return this.last === null ? this.context.memory.addr[this.slot] : this.last.addr;
  }

  get lengthBytes(): number {
    return this.last === null ? this.context.memory.length[this.slot] : this.last.lengthBytes;
  }

  get access(): number {
    return this.last === null ? this.context.memory.access[this.slot] : this.last.access;
  }

  get lkey(): number {
    return this.last === null ? this.context.memory.keyOf(this.slot) : this.last.lkey;
  }

  /** The same key serves for both directions. */
  get rkey(): number {
    return this.lkey;
  }

  get iova(): RemoteAddress {
    return this.chosenIova ?? this.addr;
  }

  /** A fast registration gave it memory. */
  cover(memory: Uint8Array, iova: RemoteAddress): void {
    this.memory = memory;
    this.chosenIova = iova;
  }

  dereg(): void {
    this.requireAlive();
    const { memory } = this.context;
    if (memory.windows[this.slot] > 0) {
      const detail = { field: 'windows', given: memory.windows[this.slot], allowed: '0' };
      throw new VerbsError('OBJECT_BUSY', 'memory windows are bound to the region', detail);
    }
    this.retire();
    const { addr, lengthBytes, access, lkey } = this;
    this.last = { addr, lengthBytes, access, lkey };
    this.context.carrier.regionRemoved?.(this.slot);
    memory.remove(this.slot);
    this.pd.dependants--;
    this.context.counts.maxMr.release();
  }
}
