import type { AddressHandle, AddressVector } from './address-handle.js';
import type { Context } from './context.js';
import type { MemoryRegion, MemoryWindow, Registrable, RegMrOptions } from './memory.js';
import type { QpInit, QueuePair } from './queue-pair.js';
import type { RemoteAddress } from './remote-address.js';
import type { SharedReceiveQueue, SrqOptions } from './shared-receive-queue.js';

/** The fence around a tenant's objects: memory and queue pairs of different domains never meet. */
export interface ProtectionDomain {
  readonly context: Context;
  /**
   * Registers memory. REMOTE_WRITE and REMOTE_ATOMIC require LOCAL_WRITE (manual of ibv_reg_mr); anything else is refused
   * with BAD_ACCESS_FLAGS.
   */
  regMr(memory: Registrable, access: number, options?: RegMrOptions): MemoryRegion;
  regMr<Iova extends RemoteAddress>(
    memory: Registrable,
    access: number,
    options: RegMrOptions<Iova>,
  ): MemoryRegion<Iova>;
  /** A region without memory, to be given some by REG_MR work requests; its key is invalid until then. */
  allocMr(maxBytes: number): MemoryRegion<RemoteAddress>;
  /** A memory window of type 2. */
  allocMw(): MemoryWindow;
  createQp(init: QpInit): QueuePair;
  createSrq(options: SrqOptions): SharedReceiveQueue;
  createAh(address: AddressVector): AddressHandle;
  /** Refused with OBJECT_BUSY while it still has regions, windows, queue pairs, SRQs or address handles. */
  dealloc(): void;
}
