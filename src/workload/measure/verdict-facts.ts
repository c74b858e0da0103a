import { routesOf } from '../description/description.js';
import type { TenantRig } from '../program/rig.js';
import type { Findings } from './assemble.js';
import { NO_RECEIVE, REFUSED } from './device-counters.js';
import type { DirectionRates, HostMeasurement } from './measurement.js';
import type { NicUse, PortUse, RouteFacts, VerdictFacts } from './verdict.js';

/** What the verdict looks at, from what was measured. */
export function verdictFacts(
  findings: Findings,
  directions: readonly DirectionRates[],
  hosts: readonly HostMeasurement[],
): VerdictFacts {
  const { measuredNs } = findings;
  return {
    hosts: hosts.map((host) => ({ ...host, unpostedShare: unpostedShare(host, measuredNs) })),
    routes: new RouteReader(findings, directions, hosts).read(),
  };
}

/** Reads the facts of each pair of hosts between which requests go. */
class RouteReader {
  private readonly findings: Findings;
  private readonly directions: readonly DirectionRates[];
  private readonly hosts: ReadonlyMap<string, HostMeasurement>;

  constructor(findings: Findings, directions: readonly DirectionRates[], hosts: readonly HostMeasurement[]) {
    this.findings = findings;
    this.directions = directions;
    this.hosts = new Map(hosts.map((host) => [host.name, host]));
  }

  read(): RouteFacts[] {
    const rigsByRoute = new Map<string, { from: string; to: string; rigs: TenantRig[] }>();
    for (const rig of this.findings.rigs) {
      for (const { from, to } of routesOf(rig.tenant)) {
        const key = JSON.stringify([from, to]);
        const route = rigsByRoute.get(key) ?? { from, to, rigs: [] };
        route.rigs.push(rig);
        rigsByRoute.set(key, route);
      }
    }
    return [...rigsByRoute.values()].map(({ from, to, rigs }) => this.route(from, to, rigs));
  }

  private route(from: string, to: string, rigs: readonly TenantRig[]): RouteFacts {
    const operations = rigs.flatMap((rig) => rig.plan.operations);
    const answered = rigs.some(({ tenant }) => tenant.mode === 'pingPong');
    const ways: [string, string][] = [];
    if (answered || operations.some((operation) => operation !== 'READ')) ways.push([from, to]);
    if (answered || operations.includes('READ')) ways.push([to, from]);
    return {
      from,
      to,
      ports: ways.flatMap(([source, sink]) => [this.port(source, 'sent'), this.port(sink, 'received')]),
      nics: [this.nic(from, to), this.nic(to, from)],
      reads: operations.every((operation) => operation === 'READ'),
      generator: {
        busyShare: Math.max(this.busyShare(from), this.busyShare(to)),
        idleShare: this.idleShare(from),
        rateLimited: rigs.every(({ tenant }) => tenant.rateLimit !== null || tenant.mode === 'pingPong'),
      },
    };
  }

  private port(host: string, side: PortUse['side']): PortUse {
    const end = side === 'sent' ? 'from' : 'to';
    const through = this.directions.filter((way) => way[end] === host);
    const sum = (ways: readonly DirectionRates[]) => ways.reduce((all, way) => all + way.wireGbps, 0);
    return {
      host,
      side,
      deliveredL2Gbps: sum(through),
      loopedL2Gbps: sum(through.filter((way) => way.from === way.to)),
    };
  }

  /** The greater of what a NIC sent to this peer or received, less what was dropped or refused on arrival. */
  private nic(name: string, peer: string): NicUse {
    return {
      packetsPerSecond: Math.max(
        (this.hosts.get(name)?.port?.txPacketsPerSecond ?? this.along(name, 'from')) * this.takenShare(peer),
        (this.hosts.get(name)?.port?.rxPacketsPerSecond ?? this.along(name, 'to')) * this.takenShare(name),
      ),
      qps: Math.max(this.senders(name), this.receiving(name)),
    };
  }

  /** From deliveries, where the device counts no packets. */
  private along(name: string, end: 'from' | 'to'): number {
    const ways = this.directions.filter((way) => way[end] === name);
    return ways.reduce((sum, way) => sum + way.packetsPerSecond, 0);
  }

  /** The share of its arrivals that a NIC took; all of them where nobody counts. */
  private takenShare(name: string): number {
    const host = this.hosts.get(name);
    if (host === undefined || host.port === null || host.port.rxPacketsPerSecond === 0) return 1;
    const arrived = (host.port.rxPacketsPerSecond * this.findings.measuredNs) / 1e9;
    const dropped = Object.values(host.dropped).reduce((sum, packets) => sum + packets, 0);
    const refused = REFUSED.reduce((sum, counter) => sum + (host.counters[counter] ?? 0), 0);
    return Math.max(0, 1 - (dropped + refused) / arrived);
  }

  /** Queue pairs that send from a host. */
  private senders(name: string): number {
    const on = (rig: TenantRig) => rig.senders.filter(({ worker }) => worker.host === name).length;
    return this.findings.rigs.reduce((sum, rig) => sum + on(rig), 0);
  }

  /** Queue pairs whose requests come to a host. */
  private receiving(name: string): number {
    const routes = this.findings.rigs.flatMap((rig) => routesOf(rig.tenant));
    return routes.filter(({ to }) => to === name).reduce((sum, { qps }) => sum + qps, 0);
  }

  private busyShare(name: string): number {
    return this.hosts.get(name)?.busyShare ?? 0;
  }

  private idleShare(name: string): number {
    const { testbed, before, after } = this.findings;
    const place = testbed.hosts.findIndex((host) => host.name === name);
    const senders = this.senders(name);
    if (senders === 0) return 0;
    const idleNs = after.idleNs[place] - before.idleNs[place];
    return Math.min(1, idleNs / (senders * (after.timeNs - before.timeNs)));
  }
}

/** Arrivals that found no receive posted, of all; 0 where nobody counts them. */
function unpostedShare({ dropped, port }: HostMeasurement, measuredNs: number): number {
  const unposted = dropped[NO_RECEIVE] ?? 0;
  if (unposted === 0 || port === null) return 0;
  return (unposted * 1e9) / (port.rxPacketsPerSecond * measuredNs);
}
