import { KelpieError } from '../../../error.js';
import type { FlowTable } from '../nic/flow-table.js';
import type { WatchdogEvent } from '../switching/watchdog-options.js';
import type { FabricSpec } from './fabric-spec.js';
import { FabricState } from './fabric-state.js';
import { Domain } from './parts/domain.js';
import type { Exchange } from './parts/exchange.js';
import { type GuestSide, Guests } from './parts/guests.js';
import { type Partition, partitionOf } from './parts/partition.js';
import { type HeldPort, heldPorts } from './ports/held-ports.js';
import { PauseLog } from './ports/pause-log.js';
import { PORT, RECORD_SHIFT, type Records } from './records.js';
import type { RunningFabric } from './running-fabric.js';
import { type FabricTotals, totalsOf } from './totals.js';

/**
 * A packet-level RDMA fabric: light NICs, switches with shared buffers, PFC, ECN and ECMP, and a congestion control.
 *
 * @example
 * const fabric = new Fabric(spec);
 * fabric.run(1e9);
 * for (const flow of fabric.finished) console.log(fabric.flows.endNs[flow] - fabric.flows.startNs[flow]);
 */
export class Fabric implements RunningFabric {
  readonly spec: FabricSpec;
  readonly state: FabricState;
  readonly partition: Partition;
  readonly domains: readonly Domain[];
  /** The door to those who drive the guests; null if there are none. */
  readonly guests: Guests | null;
  /** The end of what was run of all domains. */
  private ranNs = 0;

  /** `guestSide` drives the guests, if there are any. */
  constructor(spec: FabricSpec, guestSide?: GuestSide) {
    const partitions = spec.partitions ?? 1;
    requireCanonical(spec, partitions);
    this.spec = spec;
    this.state = new FabricState(spec);
    this.partition = partitionOf(spec.topology, this.state.plan, partitions);
    const domains: Domain[] = [];
    const exchange = new LocalExchange(domains, this.state, this.partition);
    for (let index = 0; index < partitions; index++)
      domains.push(new Domain(this.state, this.partition, index, exchange));
    this.domains = domains;
    this.guests = exchange.guests = this.openGuests(guestSide);
    for (const domain of domains) domain.guests = this.guests;
  }

  get flows(): FlowTable {
    return this.state.flows;
  }

  /** When the last event was. */
  get nowNs(): number {
    return this.domains.reduce((latest, { lastNs }) => Math.max(latest, lastNs), 0);
  }

  /** Events that were handled. */
  get events(): number {
    return this.domains.reduce((sum, { events }) => sum + events, 0);
  }

  /** Whether nothing is under way or planned any more. */
  get isIdle(): boolean {
    return this.domains.every(({ wheel }) => wheel.nextNs() === Infinity);
  }

  /** Counters of all domains together. */
  get totals(): FabricTotals {
    return totalsOf(this.domains, this.state.loss, this.guests);
  }

  get finishedFlows(): number {
    return this.domains.reduce((sum, { finished }) => sum + finished.length, 0);
  }

  /** Flows that are done, in order of completion. */
  get finished(): readonly number[] {
    if (this.domains.length === 1) return this.domains[0].finished;
    const { endNs } = this.flows;
    return this.domains.flatMap(({ finished }) => finished).sort((a, b) => endNs[a] - endNs[b] || a - b);
  }

  /** Pauses and resumes in order of time. */
  get pauseLog(): PauseLog {
    if (this.domains.length === 1) return this.domains[0].pauseLog;
    return PauseLog.merged(this.domains.map(({ pauseLog }) => pauseLog));
  }

  /** Storms that watchdogs found and saw end, in order of time. */
  get watchdogEvents(): readonly WatchdogEvent[] {
    const events = this.domains.flatMap(({ watchdog }) => watchdog?.events ?? []);
    return events.sort((a, b) => a.timeNs - b.timeNs || a.port - b.port || a.trafficClass - b.trafficClass);
  }

  heldPorts(): HeldPort[] {
    const { domains, state } = this;
    const { partOf } = this.partition;
    return heldPorts(state, (node) => domains[partOf[node]].records);
  }

  end(): void {}

  private openGuests(side: GuestSide | undefined): Guests | null {
    const { spec, domains } = this;
    const { plan, lanes, guestWays: ways } = this.state;
    const hosts = spec.guests;
    if (hosts === undefined || ways === null) return null;
    if (side === undefined)
      throw new KelpieError('FABRIC_GUEST', 'nobody drives the guests', {
        field: 'guests',
        given: hosts.nodes.length,
        allowed: '0, or a side that drives them',
      });
    const domainOf = (node: number) => domains[this.partition.partOf[node]];
    return new Guests({ hosts, plan, lanes, ways, side, flows: this.flows, domainOf });
  }

  /** Runs up to and including `untilNs`, or about `maxEvents` events of it; true if all of it was run. */
  run(untilNs: number, maxEvents = Infinity): boolean {
    const { domains } = this;
    if (domains.length === 1) return domains[0].run(untilNs, maxEvents);
    const { windowNs } = this.partition;
    let left = maxEvents;
    while (left > 0) {
      const nextNs = domains.reduce((next, { wheel }) => Math.min(next, wheel.nextNs()), Infinity);
      if (nextNs > untilNs) return true;
      this.ranNs = Math.min(untilNs, Math.max(this.ranNs, nextNs) + windowNs - 1);
      for (const domain of domains) {
        const before = domain.events;
        domain.run(this.ranNs);
        left -= domain.events - before;
      }
    }
    return false;
  }
}

/** Copies records between domains of one thread, and hands those of guests over. */
class LocalExchange implements Exchange {
  guests: Guests | null = null;
  private readonly domains: readonly Domain[];
  private readonly domainOf: Int32Array;

  constructor(domains: readonly Domain[], { plan }: FabricState, { partOf }: Partition) {
    this.domains = domains;
    this.domainOf = Int32Array.from(plan.node, (node) => partOf[node]);
  }

  carry(records: Records, record: number, port: number, arrivalNs: number): void {
    if (this.guests?.has(port) === true) {
      this.guests.leave(records, record, port, arrivalNs);
      return;
    }
    const { records: target, wheel } = this.domains[this.domainOf[port]];
    const copy = target.take();
    target.copyFrom(copy, records, record);
    target.words[(copy << RECORD_SHIFT) + PORT] = port;
    wheel.after(arrivalNs - wheel.nowNs, copy);
  }
}

/** Refuses what an order of events cannot do. */
export function requireCanonical({ order, rng, flows, guests }: FabricSpec, partitions: number): void {
  if (order === 'ns3' && flows.some(({ after = [] }) => after.length > 0))
    throw new KelpieError('FABRIC_ORDER', "ns-3's order knows no flows that wait for others", {
      field: 'order',
      given: order,
      allowed: 'canonical',
    });
  if (guests !== undefined && order === 'ns3')
    throw new KelpieError('FABRIC_ORDER', "ns-3's order knows no guests", {
      field: 'order',
      given: order,
      allowed: 'canonical',
    });
  if (partitions === 1 || (order === 'canonical' && rng === 'own')) return;
  throw new KelpieError('FABRIC_ORDER', 'only a canonical order can be divided', {
    field: 'partitions',
    given: partitions,
    allowed: "1, or order 'canonical' with random numbers 'own'",
  });
}
