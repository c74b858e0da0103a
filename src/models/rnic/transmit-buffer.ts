import type { TenantShares } from './tenant-shares.js';

/** The room of packets that are to be sent; where tenants are told apart, a part of it for each. */
export class TransmitBuffer {
  private readonly capacityBytes: number;
  private readonly shares: TenantShares;
  private readonly tenantBytes: Float64Array;
  private bytes = 0;

  constructor(capacityBytes: number, shares: TenantShares) {
    this.capacityBytes = capacityBytes;
    this.shares = shares;
    this.tenantBytes = new Float64Array(shares.count);
  }

  /** Bytes more of a tenant, or less. */
  take(tenant: number, bytes: number): void {
    this.bytes += bytes;
    this.tenantBytes[tenant] += bytes;
  }

  /** Whether so much more of a tenant fits; one packet always does. */
  hasRoom(tenant: number, payloadBytes: number): boolean {
    if (!this.shares.kept) return this.bytes + payloadBytes <= this.capacityBytes || this.bytes === 0;
    const own = this.tenantBytes[tenant];
    return own + payloadBytes <= this.shares.partOf(tenant, this.capacityBytes) || own === 0;
  }
}
