import { Access } from '../../access.js';
import type { AddressHandle, AddressVector } from '../../address-handle.js';
import { VerbsError } from '../../error.js';
import type { MemoryRegion, MemoryWindow, Registrable, RegMrOptions } from '../../memory.js';
import type { ProtectionDomain } from '../../protection-domain.js';
import type { QpInit, QueuePair } from '../../queue-pair.js';
import type { RemoteAddress } from '../../remote-address.js';
import type { SharedReceiveQueue, SrqOptions } from '../../shared-receive-queue.js';
import { requireAccess } from '../checks/access-check.js';
import { isIova, requireRange } from '../checks/range.js';
import { BaseAddressHandle } from './address-handle.js';
import type { BaseContext } from './context.js';
import { DeviceObject } from './device-object.js';
import { BaseMemoryRegion } from './memory-region.js';
import { BaseMemoryWindow } from './memory-window.js';
import { BaseQueuePair } from './queue-pair.js';
import { BaseSharedReceiveQueue } from './shared-receive-queue.js';

/** A protection domain: a number that regions, windows and queue pairs must share to meet. */
export class BaseProtectionDomain extends DeviceObject implements ProtectionDomain {
  protected readonly kind = 'protection domain';
  /** What the memory table compares. */
  readonly handle: number;

  constructor(context: BaseContext, handle: number) {
    super(context);
    context.counts.maxPd.acquire();
    this.handle = handle;
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
    this.requireAlive();
    const { context } = this;
    requireAccess(access);
    const backed = memory instanceof Uint8Array;
    const lengthBytes = backed ? memory.length : memory.lengthBytes;
    requireRange('lengthBytes', lengthBytes, 1, context.device.maxMrBytes);
    if (!backed && !context.capabilities.unbackedMemory) throw context.unsupported('unbackedMemory');
    const place = options.placement ?? (backed ? undefined : memory.placement);
    const placement = context.placementOf(place, 'placements', 'placement');
    if (placement >= 0) context.carrier.requirePlacement?.(placement);
    const addr = backed ? context.addresses.addressOf(memory) : context.addresses.reserve(lengthBytes);
    const iova = iovaOf(access, options.iova, addr, lengthBytes);
    context.counts.maxMr.acquire();
    const bytes = backed ? memory : null;
    const slot = context.memory.addRegion(this.handle, bytes, addr, iova, lengthBytes, access, placement);
    const region = new BaseMemoryRegion(this, slot, bytes, iova === addr ? null : iova);
    context.carrier.regionAdded?.(slot);
    return region;
  }

  allocMr(maxBytes: number): MemoryRegion<RemoteAddress> {
    this.requireAlive();
    this.context.requireCapability('fastRegistration');
    requireRange('maxBytes', maxBytes, 1, this.context.device.maxMrBytes);
    this.context.counts.maxMr.acquire();
    return new BaseMemoryRegion(this, this.context.memory.addFastRegion(this.handle, maxBytes), null, 0);
  }

  allocMw(): MemoryWindow {
    this.requireAlive();
    this.context.requireCapability('memoryWindows');
    return new BaseMemoryWindow(this);
  }

  createQp(init: QpInit): QueuePair {
    this.requireAlive();
    return new BaseQueuePair(this, init);
  }

  createSrq(options: SrqOptions): SharedReceiveQueue {
    this.requireAlive();
    this.context.requireCapability('srq');
    return new BaseSharedReceiveQueue(this, options);
  }

  createAh(address: AddressVector): AddressHandle {
    this.requireAlive();
    return new BaseAddressHandle(this, address);
  }

  dealloc(): void {
    this.retire();
    this.context.counts.maxPd.release();
  }
}

/** The address that peers use for a region's first byte: asked for, zero, or the memory's own. */
function iovaOf(
  access: number,
  asked: RemoteAddress | undefined,
  addr: number,
  lengthBytes: number,
): RemoteAddress {
  const zeroBased = (access & Access.ZERO_BASED) !== 0;
  if (asked === undefined) return zeroBased ? 0 : addr;
  if (isIova(asked, lengthBytes) && (!zeroBased || Number(asked) === 0)) return asked;
  throw new VerbsError('OUT_OF_RANGE', 'this is not an address for the first byte of a region', {
    field: 'iova',
    given: asked,
    allowed: zeroBased
      ? '0, or left out'
      : 'a safe integer from 0 on or a bigint, and the region ends at 2^64 at the latest',
  });
}
