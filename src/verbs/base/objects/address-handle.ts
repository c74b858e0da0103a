import type { AddressHandle, AddressVector } from '../../address-handle.js';
import { checkAddress } from '../checks/address-vector.js';
import { DeviceObject } from './device-object.js';
import type { BaseProtectionDomain } from './protection-domain.js';

/** A checked way to a peer. */
export class BaseAddressHandle extends DeviceObject implements AddressHandle {
  protected readonly kind = 'address handle';
  readonly pd: BaseProtectionDomain;
  readonly address: Readonly<Required<AddressVector>>;
  /** The bytes of the peer's GID. */
  readonly gid: Uint8Array;

  constructor(pd: BaseProtectionDomain, given: AddressVector) {
    super(pd.context);
    this.pd = pd;
    this.address = Object.freeze(checkAddress(pd.context, given, ''));
    this.gid = pd.context.parseGid(given.dgid);
    pd.context.counts.maxAh.acquire();
    pd.dependants++;
  }

  destroy(): void {
    this.retire();
    this.pd.dependants--;
    this.context.counts.maxAh.release();
  }
}
