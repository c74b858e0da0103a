import type {
  AddressHandle,
  AddressVector,
  MemoryRegion,
  MemoryWindow,
  ProtectionDomain,
  QpInit,
  QueuePair,
  Registrable,
  RegMrOptions,
  RemoteAddress,
  SharedReceiveQueue,
  SrqOptions,
} from '../../verbs/index.js';
import type { InterposedContext } from './context.js';
import { Interposed } from './interposed.js';
import { InterposedAddressHandle, InterposedMemoryRegion, InterposedMemoryWindow } from './memory.js';
import { InterposedQueuePair } from './queue-pair.js';
import { InterposedSharedReceiveQueue } from './shared-receive-queue.js';

/** A protection domain as a tenant sees it: everything that is made in it is interposed too. */
export class InterposedProtectionDomain extends Interposed<ProtectionDomain> implements ProtectionDomain {
  /** Regions of `regMr` by their local key, which is also how work requests name them. */
  readonly regions = new Map<number, InterposedMemoryRegion>();

  constructor(context: InterposedContext) {
    super(context, context.inner.allocPd());
  }

  regMr(memory: Registrable, access: number, options?: RegMrOptions): MemoryRegion;
  regMr<Iova extends RemoteAddress>(
    memory: Registrable,
    access: number,
    options: RegMrOptions<Iova>,
  ): MemoryRegion<Iova>;
  regMr(
    memory: Registrable,
    access: number,
    options: RegMrOptions<RemoteAddress> = {},
  ): MemoryRegion<RemoteAddress> {
    const region = new InterposedMemoryRegion(this, this.open.regMr(memory, access, options));
    this.regions.set(region.lkey, region);
    return this.context.own(region, () => region.dereg());
  }

  allocMr(maxBytes: number): MemoryRegion<RemoteAddress> {
    const region = new InterposedMemoryRegion(this, this.open.allocMr(maxBytes));
    return this.context.own(region, () => region.dereg());
  }

  allocMw(): MemoryWindow {
    const window = new InterposedMemoryWindow(this, this.open.allocMw());
    return this.context.own(window, () => window.dealloc());
  }

  createQp(init: QpInit): QueuePair {
    this.context.requireOpen();
    const qp = new InterposedQueuePair(this, init);
    return this.context.own(qp, () => qp.destroy());
  }

  createSrq(options: SrqOptions): SharedReceiveQueue {
    const srq = new InterposedSharedReceiveQueue(this, this.open.createSrq(options));
    this.context.events.know(srq.inner, this.context, srq);
    return this.context.own(srq, () => srq.destroy());
  }

  createAh(address: AddressVector): AddressHandle {
    const handle = new InterposedAddressHandle(this, this.open.createAh(address));
    return this.context.own(handle, () => handle.destroy());
  }

  dealloc(): void {
    this.open.dealloc();
    this.context.disown(this);
  }

  /** A region is deregistered. */
  forget(region: InterposedMemoryRegion): void {
    for (const [key, each] of this.regions) {
      if (each !== region) continue;
      this.regions.delete(key);
      break;
    }
    this.context.disown(region);
  }
}
