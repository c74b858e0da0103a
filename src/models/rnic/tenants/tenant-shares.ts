import type { Simulation } from '../../../engine/index.js';
import type { SlotServer } from '../../resource/slot-server.js';

/** A tenant that was not heard of for this long leaves its share to the others. */
const IDLE_PS = 50_000_000;

/**
 * Who shares a device, and how: a device that accounts by tenant serves each by its own use of time, cache lines and
 * buffers. A device that does not has one tenant, number 0, and everything here is then as though it were not there.
 */
export class TenantShares {
  /** Tenants: the functions of the device, or one. */
  readonly count: number;
  private readonly shares: Float64Array;
  private readonly heardPs: Float64Array;
  private readonly simulation: Simulation;

  /** `shares` by function; null where the device keeps no accounts. */
  constructor(simulation: Simulation, shares: readonly number[] | null) {
    this.simulation = simulation;
    this.count = shares === null ? 1 : shares.length;
    this.shares = Float64Array.from(shares ?? [1]);
    this.heardPs = new Float64Array(this.count).fill(Number.NEGATIVE_INFINITY);
  }

  /** Whether tenants are told apart. */
  get kept(): boolean {
    return this.count > 1;
  }

  /** The tenant of a function. */
  tenantOf(functionNumber: number): number {
    return functionNumber < this.count ? functionNumber : 0;
  }

  /** A tenant does something. */
  heard(tenant: number): void {
    this.heardPs[tenant] = this.simulation.now;
  }

  /** By tenant. */
  get weights(): readonly number[] {
    return [...this.shares];
  }

  weightOf(tenant: number): number {
    return this.shares[tenant];
  }

  /** The part of something that a tenant may have now: its share among those that are active, all where it is alone. */
  partOf(tenant: number, total: number): number {
    return (total * this.shares[tenant]) / this.activeShares(tenant, this.count);
  }

  /** Where that part begins, if the parts of the active tenants lie one behind the other. */
  startOf(tenant: number, total: number): number {
    const before = this.activeShares(tenant, tenant) - this.shares[tenant];
    return (total * before) / this.activeShares(tenant, this.count);
  }

  /** The shares of a tenant and of those others below `end` that are active. */
  private activeShares(tenant: number, end: number): number {
    const since = this.simulation.now - IDLE_PS;
    let active = this.shares[tenant];
    for (let other = 0; other < end; other++)
      if (other !== tenant && this.heardPs[other] >= since) active += this.shares[other];
    return active;
  }
}

/** The quota of a cache's entries by tenant, as an option of the cache; nothing where tenants are not told apart. */
export function tenantQuotas(shares: TenantShares, entries: number): { quota?: (tenant: number) => number } {
  return shares.kept ? { quota: (tenant) => shares.partOf(tenant, entries) } : {};
}

/** Books one of a few servers; where tenants are told apart and several are active, one of the tenant's own. */
export function bookShare(
  server: SlotServer,
  shares: TenantShares | null,
  tenant: number,
  nowPs: number,
  servicePs: number,
): number {
  if (shares === null || !shares.kept) return server.book(nowPs, servicePs);
  const { slots } = server;
  const own = Math.max(1, Math.floor(shares.partOf(tenant, slots)));
  if (own >= slots) return server.book(nowPs, servicePs);
  const first = Math.min(Math.floor(shares.startOf(tenant, slots)), slots - own);
  return server.bookSome(nowPs, servicePs, first, own);
}
