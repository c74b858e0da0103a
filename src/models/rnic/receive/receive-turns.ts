import { FairQueue } from '../../resource/fair-queue.js';
import type { PacketRouter } from '../rnic-client.js';
import type { TenantShares } from '../tenants/tenant-shares.js';

/**
 * The packets that wait for the receive engine, from the wire and from inside the device: in the order in which they came,
 * since nothing limits loopback traffic (Collie #13) and many short packets of it hold back what arrives (Lamda §2.1.2).
 * Where tenants are told apart, first comes the one that is furthest behind, and its two ways in take turns.
 */
export class ReceiveTurns {
  private readonly shares: TenantShares;
  private readonly router: Pick<PacketRouter, 'findQueuePair'>;
  private readonly pcieGbps: number;
  private readonly wire: FairQueue;
  /** Empty where tenants are not told apart. */
  private readonly loopback: FairQueue;
  private loopbackTurn = false;
  /** Whose the packet taken last was. */
  private tenant = 0;

  constructor(shares: TenantShares, router: Pick<PacketRouter, 'findQueuePair'>, pcieGbps: number) {
    this.shares = shares;
    this.router = router;
    this.pcieGbps = pcieGbps;
    this.wire = new FairQueue(shares.count);
    this.loopback = new FairQueue(shares.count);
  }

  get isEmpty(): boolean {
    return this.wire.length + this.loopback.length === 0;
  }

  /** A packet from the wire. */
  push(packet: number): void {
    this.wire.push(this.tenantOf(packet), packet);
  }

  /** A packet that turned around inside the device. */
  pushLoopback(packet: number): void {
    (this.shares.kept ? this.loopback : this.wire).push(this.tenantOf(packet), packet);
  }

  /** The packet whose turn it is; there must be one. */
  take(): number {
    this.loopbackTurn = this.wire.length === 0 || (this.loopback.length > 0 && this.prefersLoopback());
    const queue = this.loopbackTurn ? this.loopback : this.wire;
    this.tenant = queue.next();
    return queue.shift(this.tenant);
  }

  /**
   * The packet taken last costs its tenant the most of what it takes: of the engine's time, or of the bus's. To be told
   * where tenants are told apart.
   */
  account(costPs: number, bytes: number): void {
    const cost = Math.max(costPs, (bytes * 8000) / this.pcieGbps) / this.shares.weightOf(this.tenant);
    // Both ways in are one engine.
    this.wire.charge(this.tenant, cost);
    this.loopback.charge(this.tenant, cost);
  }

  /** Both ways in have packets: first comes the tenant that is further behind. */
  private prefersLoopback(): boolean {
    const { wire, loopback } = this;
    const [outer, inner] = [wire.next(), loopback.next()];
    return outer === inner ? !this.loopbackTurn : loopback.clockOf(inner) < wire.clockOf(outer);
  }

  /** Whose a packet is; 0 where tenants are not told apart. */
  private tenantOf(packet: number): number {
    const { shares } = this;
    if (!shares.kept) return 0;
    const tenant = this.router.findQueuePair(packet)?.tenant ?? 0;
    shares.heard(tenant);
    return tenant;
  }
}
