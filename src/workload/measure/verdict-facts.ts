import { routesOf } from '../description/description.js';
import type { Place } from '../program/places.js';
import type { TenantRig } from '../program/rig.js';
import { DOORBELL_STALLS, HELD, NO_RECEIVE, RECEIVE_WAITS, REFUSED } from './device-counters.js';
import type { Findings } from './findings.js';
import { littleNs } from './latency-log.js';
import { type Losses, lossesOf } from './losses.js';
import type { DeviceMeasurement, DirectionRates, HostMeasurement, TenantMeasurement } from './measurement.js';
import {
  type DeviceBounds,
  type NicUse,
  type PortUse,
  type RequestKind,
  type RouteFacts,
  UNHINDERED,
  type VerdictFacts,
} from './verdict.js';

/** Preamble and gap of a frame. */
const GAP_BYTES = 20;
/** Requests that a device has a rate of its own for. */
const KINDS: ReadonlySet<string> = new Set(['READ', 'COMPARE_SWAP', 'FETCH_ADD'] satisfies RequestKind[]);

/** What the verdict looks at, from what was measured. */
export function verdictFacts(
  findings: Findings,
  directions: readonly DirectionRates[],
  hosts: readonly HostMeasurement[],
  tenants: readonly TenantMeasurement[],
): VerdictFacts {
  const { measuredNs } = findings;
  return {
    hosts: hosts.flatMap(({ devices, busyShare }) =>
      devices.map((device) => ({
        ...device,
        busyShare,
        unpostedShare: unpostedShare(device, measuredNs),
        heldShare: (device.counters[HELD] ?? 0) / (measuredNs * 1000),
      })),
    ),
    routes: new RouteReader(findings, directions, hosts, tenants).read(),
  };
}

/** What the devices can do at best: of the first where they differ, each having its own for its part of the facts. */
export function boundsOf({ places }: Findings): DeviceBounds | null {
  return places.all[0].device.bounds;
}

/** Reads the facts of each pair of devices between which requests go. */
class RouteReader {
  private readonly findings: Findings;
  private readonly directions: readonly DirectionRates[];
  private readonly tenants: readonly TenantMeasurement[];
  private readonly devices: ReadonlyMap<string, DeviceMeasurement>;
  private readonly hosts: ReadonlyMap<string, HostMeasurement>;
  /** The routes of each tenant, on this testbed. */
  private readonly routes: ReadonlyMap<TenantRig, readonly { from: Place; to: Place; qps: number }[]>;
  /** Null where no packet was lost on the way. */
  private readonly losses: Losses | null;

  constructor(
    findings: Findings,
    directions: readonly DirectionRates[],
    hosts: readonly HostMeasurement[],
    tenants: readonly TenantMeasurement[],
  ) {
    this.findings = findings;
    this.tenants = tenants;
    this.directions = directions;
    this.devices = new Map(hosts.flatMap((host) => host.devices).map((device) => [device.name, device]));
    this.hosts = new Map(hosts.map((host) => [host.name, host]));
    this.losses = lossesOf(findings);
    const { places, rigs } = findings;
    this.routes = new Map(
      rigs.map((rig) => [
        rig,
        routesOf(rig.tenant).map(({ from, to, qps }) => ({
          from: places.find(from),
          to: places.find(to),
          qps,
        })),
      ]),
    );
  }

  read(): RouteFacts[] {
    const rigsByRoute = new Map<string, { from: Place; to: Place; rigs: TenantRig[] }>();
    for (const rig of this.findings.rigs) {
      for (const { from, to } of this.routes.get(rig)!) {
        const key = JSON.stringify([from.name, to.name]);
        const route = rigsByRoute.get(key) ?? { from, to, rigs: [] };
        route.rigs.push(rig);
        rigsByRoute.set(key, route);
      }
    }
    return [...rigsByRoute.values()].map(({ from, to, rigs }) => this.route(from, to, rigs));
  }

  private route(from: Place, to: Place, rigs: readonly TenantRig[]): RouteFacts {
    const operations = rigs.flatMap((rig) => rig.plan.operations);
    const answered = rigs.some(({ tenant }) => tenant.mode === 'pingPong');
    const ways: [Place, Place][] = [];
    if (answered || operations.some((operation) => operation !== 'READ')) ways.push([from, to]);
    if (answered || operations.includes('READ')) ways.push([to, from]);
    const ports = ways.flatMap(([source, sink]) => [
      this.port(source, sink, 'sent'),
      this.port(sink, source, 'received'),
    ]);
    return {
      from: from.name,
      to: to.name,
      ports,
      lines: [
        ...[this.port(from, to, 'sent'), this.port(to, from, 'received')],
        ...[this.port(to, from, 'sent'), this.port(from, to, 'received')],
      ],
      nics: [this.nic(from, to), this.nic(to, from)],
      reads: operations.every((operation) => operation === 'READ'),
      kind: kindOf(rigs),
      generator: {
        busyShare: Math.max(this.busyShare(from), this.busyShare(to)),
        meanBusyShare: Math.max(this.meanBusyShare(from), this.meanBusyShare(to)),
        idleShare: this.idleShare(from),
        receiveWaitShare: this.receiveWaitShare(from),
        residence: Math.max(...rigs.map((rig) => this.residence(rig))),
        rateLimited: rigs.every(({ tenant }) => tenant.rateLimit !== null || tenant.mode === 'pingPong'),
      },
      losses:
        this.losses === null
          ? null
          : {
              lostShare: this.losses.lostShare,
              uselessShare: 1 - Math.min(this.takenShare(from.name), this.takenShare(to.name)),
              waitShare: ports.every(({ deliveredL2Gbps }) => deliveredL2Gbps === 0)
                ? 1
                : Math.max(...rigs.map((rig) => this.lossWaitShare(rig, from))),
            },
    };
  }

  private port({ name, device }: Place, peer: Place, side: PortUse['side']): PortUse {
    const end = side === 'sent' ? 'from' : 'to';
    const through = this.directions.filter((way) => way[end] === name);
    const sum = (ways: readonly DirectionRates[]) => ways.reduce((all, way) => all + way.wireGbps, 0);
    return {
      host: name,
      side,
      ...(device.bounds === null ? {} : { lineRateGbps: device.bounds.lineRateGbps }),
      deliveredL2Gbps: sum(through),
      loopedL2Gbps: sum(through.filter((way) => way.from === way.to)),
      deliveredLineGbps: Math.max(
        through.reduce((all, way) => all + onTheLine(way.wireGbps, way.packetsPerSecond), 0),
        this.carried(name, peer, side),
      ),
    };
  }

  /** What a port carried of all kinds, requests and answers too, less what was dropped or refused on arrival. */
  private carried(name: string, peer: Place, side: PortUse['side']): number {
    const port = this.devices.get(name)?.port;
    if (port === undefined || port === null) return 0;
    return side === 'sent'
      ? onTheLine(port.txGbps, port.txPacketsPerSecond) * this.takenShare(peer.name)
      : onTheLine(port.rxGbps, port.rxPacketsPerSecond) * this.takenShare(name);
  }

  /** The greater of what a NIC sent to this peer or received, less what was dropped or refused on arrival. */
  private nic(place: Place, peer: Place): NicUse {
    const { name, device } = place;
    const port = this.devices.get(name)?.port;
    return {
      packetsPerSecond: Math.max(
        (port?.txPacketsPerSecond ?? this.along(name, 'from')) * this.takenShare(peer.name),
        (port?.rxPacketsPerSecond ?? this.along(name, 'to')) * this.takenShare(name),
      ),
      qps: Math.max(this.senders(place), this.receiving(place)),
      ...(device.bounds === null ? {} : { bounds: device.bounds }),
    };
  }

  /** From deliveries, where the device counts no packets. */
  private along(name: string, end: 'from' | 'to'): number {
    const ways = this.directions.filter((way) => way[end] === name);
    return ways.reduce((sum, way) => sum + way.packetsPerSecond, 0);
  }

  /** The share of its arrivals that a NIC took; all of them where nobody counts. */
  private takenShare(name: string): number {
    const device = this.devices.get(name);
    if (device === undefined || device.port === null || device.port.rxPacketsPerSecond === 0) return 1;
    const arrived = (device.port.rxPacketsPerSecond * this.findings.measuredNs) / 1e9;
    const dropped = Object.values(device.dropped).reduce((sum, packets) => sum + packets, 0);
    const refused = REFUSED.reduce((sum, counter) => sum + (device.counters[counter] ?? 0), 0);
    return Math.max(0, 1 - (dropped + refused) / arrived);
  }

  /** Queue pairs that send from a device. */
  private senders(place: Place): number {
    const on = (rig: TenantRig) => rig.senders.filter(({ worker }) => worker.place === place).length;
    return this.findings.rigs.reduce((sum, rig) => sum + on(rig), 0);
  }

  /** Queue pairs whose requests come to a device. */
  private receiving(place: Place): number {
    return [...this.routes.values()]
      .flat()
      .filter(({ to }) => to === place)
      .reduce((sum, { qps }) => sum + qps, 0);
  }

  private busyShare({ host }: Place): number {
    return this.hosts.get(host)?.busyShare ?? 0;
  }

  /** Of the cores that post for a host. What they wait for the NIC to take their doorbells is not their own work. */
  private meanBusyShare({ host }: Place): number {
    const { rigs, before, after, measuredNs } = this.findings;
    let cores = 0;
    let busyNs = -(this.hosts.get(host)?.counters[DOORBELL_STALLS] ?? 0) / 1000;
    for (const [index, { place }] of rigs.flatMap((rig) => rig.workers).entries()) {
      if (place.host !== host) continue;
      cores++;
      busyNs += after.busyNs[index] - before.busyNs[index];
    }
    return cores === 0 ? 0 : Math.min(1, Math.max(0, busyNs) / (cores * measuredNs));
  }

  /** How many times as long as its quickest request a tenant's requests take on average; Infinity where nobody knows. */
  private residence(rig: TenantRig): number {
    const { rigs, before, after } = this.findings;
    const place = rigs.indexOf(rig);
    const meanNs = littleNs(before.inFlight[place], after.inFlight[place]);
    return meanNs === null ? Number.POSITIVE_INFINITY : meanNs / rig.latency.quickestNs;
  }

  /**
   * The part of its requests' time that a tenant loses to losses: few requests that wait for long make the mean, which
   * Little's law knows even of those that never end, far greater than the median.
   */
  private lossWaitShare(rig: TenantRig, from: Place): number {
    const latency = this.tenants[this.findings.rigs.indexOf(rig)].latencyNs;
    if (latency === null || latency.little === null) return 0;
    const waits = (usualNs: number) => Math.max(0, 1 - (UNHINDERED * usualNs) / latency.little!);
    // Without a median the quickest stands for it, if queues that have nothing to send hold nothing up.
    return latency.p50 === null ? this.idleShare(from) * waits(rig.latency.quickestNs) : waits(latency.p50);
  }

  private idleShare(place: Place): number {
    const { places, before, after } = this.findings;
    const index = places.all.indexOf(place);
    const senders = this.senders(place);
    if (senders === 0) return 0;
    const idleNs = after.idleNs[index] - before.idleNs[index];
    return Math.min(1, idleNs / (senders * (after.timeNs - before.timeNs)));
  }

  /** 0 where the device does not count it. */
  private receiveWaitShare(place: Place): number {
    const senders = this.senders(place);
    if (senders === 0) return 0;
    const waitedPs = this.devices.get(place.name)?.counters[RECEIVE_WAITS] ?? 0;
    return Math.min(1, waitedPs / (senders * this.findings.measuredNs * 1000));
  }
}

/** The kind that all requests are of, where each is one packet, as is its answer; null where there is no such kind. */
function kindOf(rigs: readonly TenantRig[]): RouteFacts['kind'] {
  const [kind, ...others] = new Set(rigs.flatMap((rig) => rig.plan.operations));
  if (others.length > 0 || !KINDS.has(kind)) return null;
  const alike = rigs.every(
    ({ plan, tenant }) =>
      plan.longestBytes <= plan.mtu && tenant.direction !== 'bi' && tenant.mode === 'stream',
  );
  return alike ? (kind as RouteFacts['kind']) : null;
}

/** What packets take up on a line: with the preamble and gap of each. */
function onTheLine(l2Gbps: number, packetsPerSecond: number): number {
  return l2Gbps + (packetsPerSecond * GAP_BYTES * 8) / 1e9;
}

/** Arrivals that found no receive posted, of all; 0 where nobody counts them. */
function unpostedShare({ dropped, port }: DeviceMeasurement, measuredNs: number): number {
  const unposted = dropped[NO_RECEIVE] ?? 0;
  if (unposted === 0 || port === null) return 0;
  return (unposted * 1e9) / (port.rxPacketsPerSecond * measuredNs);
}
