import type { MemoryWindow } from '../../memory.js';
import { DeviceObject } from './device-object.js';
import type { BaseProtectionDomain } from './protection-domain.js';

/** A memory window of type 2. */
export class BaseMemoryWindow extends DeviceObject implements MemoryWindow {
  protected readonly kind = 'memory window';
  readonly pd: BaseProtectionDomain;
  /** Its slot of the memory table. */
  readonly slot: number;
  rkey: number;

  constructor(pd: BaseProtectionDomain) {
    super(pd.context);
    pd.context.counts.maxMw.acquire();
    this.pd = pd;
    this.slot = pd.context.memory.addWindow(pd.handle);
    this.rkey = pd.context.memory.keyOf(this.slot);
    pd.dependants++;
  }

  dealloc(): void {
    this.retire();
    this.context.memory.remove(this.slot);
    this.pd.dependants--;
    this.context.counts.maxMw.release();
  }
}
