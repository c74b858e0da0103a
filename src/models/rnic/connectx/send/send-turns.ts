import type { Simulation } from '../../../../engine/index.js';
import type { UnitSendConstants } from '../../../../profiles/index.js';
import { FairQueue } from '../../../resource/fair-queue.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import type { TenantShares } from '../../tenants/tenant-shares.js';
import { ReadyRing } from './ready-ring.js';
import type { SendMember } from './send-member.js';
import { UnitRings } from './unit-rings.js';

/**
 * Whose turn it is to have one of the processing units. On a plain device the traffic classes take turns, at each unit by
 * itself where queue pairs are bound to units. On a device that keeps accounts by tenant the tenant that is furthest
 * behind its share is next, and each may have its part of the units.
 */
export class SendTurns {
  /** Units that serve nobody. */
  freeUnits: number;
  private readonly units: number;
  private readonly shares: TenantShares;
  private readonly simulation: Simulation;
  private readonly classes = new ReadyRing();
  /** Null where any free unit serves any queue pair. */
  private readonly bound: UnitRings | null;
  private readonly tenants: FairQueue;
  /** By tenant: until when it is held, and its units at work. */
  private readonly holdUntilPs: Float64Array;
  private readonly unitsOf: Int32Array;

  constructor(simulation: Simulation, shares: TenantShares, constants: UnitSendConstants) {
    const units = constants.processingUnits;
    const isBound = constants.queuePairsBoundToUnits === 1 && !shares.kept;
    this.simulation = simulation;
    this.shares = shares;
    this.units = units;
    this.freeUnits = units;
    this.bound = isBound ? new UnitRings(units) : null;
    this.tenants = new FairQueue(shares.count);
    this.holdUntilPs = new Float64Array(shares.count);
    this.unitsOf = new Int32Array(shares.count);
  }

  /** Entries that wait for their turn. */
  get length(): number {
    return this.shares.kept ? this.tenants.length : (this.bound ?? this.classes).length;
  }

  /** Which of the device's queues is a queue pair's: that of its tenant, or of its class. */
  laneOf(pair: NicQueuePair): number {
    return this.shares.kept ? pair.tenant : pair.priority;
  }

  push({ pair, entry }: SendMember): void {
    if (this.shares.kept) this.tenants.push(pair.tenant, entry);
    else if (this.bound !== null) this.bound.push(this.unitOf(pair), entry, pair.priority);
    else this.classes.push(entry, pair.priority);
  }

  /** Takes the entry whose turn it is; -1 where none may have a unit now. */
  shift(): number {
    if (!this.shares.kept) return this.isHeld(0) ? -1 : (this.bound ?? this.classes).shift();
    const tenant = this.tenants.next(this.mayServe());
    return tenant < 0 ? -1 : this.tenants.shift(tenant);
  }

  /** Whether there is a unit for this queue pair now. */
  isFree(pair: NicQueuePair): boolean {
    return this.bound === null ? this.freeUnits > 0 : this.bound.isFree(this.unitOf(pair));
  }

  isHeld(tenant: number): boolean {
    return this.simulation.now < this.holdUntilPs[tenant];
  }

  /** Stops a tenant until then, and returns for how much longer than it was stopped already. */
  hold(untilPs: number, tenant: number): number {
    const morePs = untilPs - Math.max(this.simulation.now, this.holdUntilPs[tenant]);
    if (morePs <= 0) return 0;
    this.holdUntilPs[tenant] = untilPs;
    return morePs;
  }

  takeUnit(member: SendMember): void {
    const { pair } = member;
    this.freeUnits--;
    this.bound?.take(this.unitOf(pair));
    this.unitsOf[pair.tenant]++;
    this.shares.heard(pair.tenant);
    member.visitSincePs = this.simulation.now;
    member.visitCostPs = 0;
  }

  /** A unit that waited for a miss cost its tenant more than its packets did. */
  giveUnit(member: SendMember): void {
    const { tenant } = member.pair;
    this.freeUnits++;
    this.bound?.give(this.unitOf(member.pair));
    this.unitsOf[tenant]--;
    if (!this.shares.kept) return;
    const unitPs = (this.simulation.now - member.visitSincePs) / this.units;
    const morePs = unitPs - member.visitCostPs;
    if (morePs > 0) this.tenants.charge(tenant, morePs / this.shares.weightOf(tenant));
  }

  /** A packet costs its tenant this much time. */
  charge(member: SendMember, costPs: number): void {
    const { tenant } = member.pair;
    member.visitCostPs += costPs;
    this.tenants.charge(tenant, costPs / this.shares.weightOf(tenant));
  }

  /** Units are given to queue pairs in turn, as these are made. */
  private unitOf(pair: NicQueuePair): number {
    return pair.index % this.units;
  }

  /**
   * Tenants that may have a unit, as bits: of those that are not held, the one that is furthest behind, and any that has
   * fewer than its part of the units.
   */
  private mayServe(): number {
    const behind = this.tenants.next();
    let mask = 0;
    for (let tenant = 0; tenant < this.shares.count; tenant++) {
      const may = tenant === behind || this.unitsOf[tenant] < this.shares.partOf(tenant, this.units);
      if (may && !this.isHeld(tenant)) mask |= 1 << tenant;
    }
    return mask;
  }
}
