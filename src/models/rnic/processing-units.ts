import type { Simulation } from '../../engine/index.js';
import type { DeviceConstants } from '../../profiles/index.js';
import type { FairQueue } from '../resource/fair-queue.js';
import type { NicQueuePair } from './nic-queue-pair.js';
import type { TenantShares } from './tenant-shares.js';

/** The units of the send side: how many are free, who has them, who may have one, and what that costs. */
export class ProcessingUnits {
  free: number;
  private readonly simulation: Simulation;
  private readonly shares: TenantShares;
  private readonly ring: FairQueue;
  private readonly count: number;
  private readonly wqeBytes: number;
  private readonly psPerByte: number;
  /** By tenant: its units at work, and until when it is held. */
  private readonly unitsOf: Int32Array;
  private readonly holdUntilPs: Float64Array;

  /** `ring` is where those stand that wait for a unit; its clocks are moved on by what units cost. */
  constructor(simulation: Simulation, constants: DeviceConstants, shares: TenantShares, ring: FairQueue) {
    this.simulation = simulation;
    this.shares = shares;
    this.ring = ring;
    this.count = constants.processingUnits;
    this.free = this.count;
    this.wqeBytes = constants.wqeBytes;
    this.psPerByte = 8000 / Math.min(constants.portGbps, constants.pcieGbps);
    this.unitsOf = new Int32Array(shares.count);
    this.holdUntilPs = new Float64Array(shares.count);
  }

  /** Gives a tenant no unit until then; returns how much longer that is than before. */
  hold(tenant: number, untilPs: number): number {
    const before = Math.max(this.simulation.now, this.holdUntilPs[tenant]);
    if (untilPs <= before) return 0;
    this.holdUntilPs[tenant] = untilPs;
    return untilPs - before;
  }

  isHeld(tenant: number): boolean {
    return this.simulation.now < this.holdUntilPs[tenant];
  }

  /**
   * Tenants that may have a unit, as bits: of those that are not held, the one that is furthest behind, and any that has
   * fewer than its part of the units.
   */
  eligible(): number {
    const { shares } = this;
    if (!shares.kept) return this.isHeld(0) ? 0 : 1;
    const behind = this.ring.next();
    let mask = 0;
    for (let tenant = 0; tenant < shares.count; tenant++) {
      const may = tenant === behind || this.unitsOf[tenant] < shares.partOf(tenant, this.count);
      if (may && !this.isHeld(tenant)) mask |= 1 << tenant;
    }
    return mask;
  }

  /** A unit begins to serve a member. */
  take(qp: NicQueuePair, member: number): void {
    this.free--;
    this.unitsOf[qp.tenant]++;
    this.shares.heard(qp.tenant);
    qp.visitSincePs[member] = this.simulation.now;
    qp.visitCostPs[member] = 0;
  }

  /** A unit is free again. One that waited for a miss cost its tenant more than its packets did. */
  give(qp: NicQueuePair, member: number): void {
    const { shares } = this;
    this.free++;
    this.unitsOf[qp.tenant]--;
    if (!shares.kept) return;
    const unitPs = (this.simulation.now - qp.visitSincePs[member]) / this.count;
    const morePs = unitPs - qp.visitCostPs[member];
    if (morePs > 0) this.ring.charge(qp.tenant, morePs / shares.weightOf(qp.tenant));
  }

  /** A packet costs its tenant the most of what it takes: of the scheduler's time, or of that of the bus and the port. */
  charge(qp: NicQueuePair, member: number, gapPs: number, wireBytes: number): void {
    if (!this.shares.kept) return;
    const costPs = Math.max(gapPs, (wireBytes + this.wqeBytes) * this.psPerByte);
    qp.visitCostPs[member] += costPs;
    this.ring.charge(qp.tenant, costPs / this.shares.weightOf(qp.tenant));
  }
}
