import type {
  AddressHandle,
  AddressVector,
  MemoryRegion,
  MemoryWindow,
  ProtectionDomain,
  RemoteAddress,
} from '../../verbs/index.js';
import { Interposed } from './interposed.js';
import type { InterposedProtectionDomain } from './protection-domain.js';

/** A memory region as a tenant sees it: the device's, in the tenant's own protection domain. */
export class InterposedMemoryRegion
  extends Interposed<MemoryRegion<RemoteAddress>>
  implements MemoryRegion<RemoteAddress>
{
  readonly pd: InterposedProtectionDomain;

  constructor(pd: InterposedProtectionDomain, inner: MemoryRegion<RemoteAddress>) {
    super(pd.context, inner);
    this.pd = pd;
  }

  get addr(): number {
    return this.inner.addr;
  }

  get lengthBytes(): number {
    return this.inner.lengthBytes;
  }

  get lkey(): number {
    return this.inner.lkey;
  }

  get rkey(): number {
    return this.inner.rkey;
  }

  get iova(): RemoteAddress {
    return this.inner.iova;
  }

  get access(): number {
    return this.inner.access;
  }

  get memory(): Uint8Array | null {
    return this.inner.memory;
  }

  dereg(): void {
    this.open.dereg();
    this.pd.forget(this);
  }
}

/** A memory window as a tenant sees it. */
export class InterposedMemoryWindow extends Interposed<MemoryWindow> implements MemoryWindow {
  readonly pd: ProtectionDomain;

  constructor(pd: InterposedProtectionDomain, inner: MemoryWindow) {
    super(pd.context, inner);
    this.pd = pd;
  }

  get rkey(): number {
    return this.inner.rkey;
  }

  dealloc(): void {
    this.open.dealloc();
    this.context.disown(this);
  }
}

/** An address handle as a tenant sees it. */
export class InterposedAddressHandle extends Interposed<AddressHandle> implements AddressHandle {
  readonly pd: ProtectionDomain;

  constructor(pd: InterposedProtectionDomain, inner: AddressHandle) {
    super(pd.context, inner);
    this.pd = pd;
  }

  get address(): Readonly<AddressVector> {
    return this.inner.address;
  }

  destroy(): void {
    this.open.destroy();
    this.context.disown(this);
  }
}
