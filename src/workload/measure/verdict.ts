/** Collie §5.2: a NIC that pauses its peer for more than this share of the time is an anomaly. */
export const PAUSE_THRESHOLD = 0.001;
/** Collie §5.2: as is one that stays below this share of both its bounds. */
export const THROUGHPUT_SHARE = 0.8;
/** A port with this share of its line rate delivered is full: the rest is acknowledgements, preambles and gaps. */
const FULL_SHARE = 0.9;
/** With preambles and gaps counted, a port is full from here on. */
const TAKEN_UP_SHARE = 0.95;
/** A posting core this busy is what limits the workload. */
export const BUSY_SHARE = 0.95;
/** Send queues that are empty, or wait for receives, for longer than this, on average, are the programs' doing. */
const IDLE_SHARE = 0.1;
/** Requests that take no longer than this many times the quickest wait for hardly anything: too few are in flight. */
export const UNHINDERED = 1.5;
/** Pauses are the program's doing where arrivals without a receive held the NIC for this share of their time. */
const HELD_SHARE = 0.5;
/** Arrivals without a receive count from this share on: as small as the share of pauses that counts. */
const UNPOSTED_SHARE = 0.001;

/** What a device can do at best. */
export interface DeviceBounds {
  lineRateGbps: number;
  /** Small packets of the whole device. */
  packetsPerSecond: number;
  /** Small packets of one queue pair. */
  packetsPerSecondPerQp: number;
  /** Small READs of one queue pair. */
  readsPerSecondPerQp: number;
  /** Requests of a kind that the whole device is slower with than with others; none where it is not known to be. */
  requestsPerSecond?: Readonly<Partial<Record<RequestKind, number>>>;
}

/** A kind of requests, all of one packet, that a device has a rate of its own for. */
export type RequestKind = 'READ' | 'COMPARE_SWAP' | 'FETCH_ADD';

/** One side of a host's port, with everything that was delivered through it. */
export interface PortUse {
  host: string;
  side: 'sent' | 'received';
  /** What it can carry; what the verdict is given for all devices unless set. */
  lineRateGbps?: number;
  /** With all headers and FCS. Data that the device loops back to its own host counts on both sides. */
  deliveredL2Gbps: number;
  /** How much of it never left the device. */
  loopedL2Gbps: number;
  /** All that it carried and that was taken, as it takes up the line: with the preamble and gap of every packet. */
  deliveredLineGbps: number;
}

/** Packets that a NIC sent or received, and that were not dropped on arrival. */
export interface NicUse {
  packetsPerSecond: number;
  /** Queue pairs that send through it in the direction that has most. */
  qps: number;
  /** What it can do; what the verdict is given for all devices unless set. */
  bounds?: DeviceBounds;
}

/** Requests that go from one host to another, or to itself. */
export interface RouteFacts {
  from: string;
  to: string;
  /** The sides of ports that its payload passes. */
  ports: readonly PortUse[];
  /** The sides of ports that its packets of any kind pass, requests and acknowledgements too. */
  lines: readonly PortUse[];
  /** The NICs at both its ends. */
  nics: readonly NicUse[];
  /** All its requests are READs. */
  reads: boolean;
  /** Set where all its requests are of this kind and go one way, answered by one packet each. */
  kind: RequestKind | null;
  generator: {
    /** Busiest posting core of both ends. */
    busyShare: number;
    /** How busy the posting cores are on average, at the end where they are busier. */
    meanBusyShare: number;
    /**
     * Mean over the requesters' send queues of the share of time in which they had nothing to send, or no receive to send it
     * to.
     */
    idleShare: number;
    /** The part of it in which they waited for a receive of the peer. */
    receiveWaitShare: number;
    /** How many times as long as the quickest its requests take, by Little's law; Infinity where nobody knows. */
    residence: number;
    /** The workload asks for less than the device could do. */
    rateLimited: boolean;
  };
  /** What losses on the way cost it; null where no packet was lost, or nobody counts packets. */
  losses: {
    /** Packets that were lost, of all that were sent. */
    lostShare: number;
    /** Packets that arrived for nothing, out of order or again, at the end where there are more of them. */
    uselessShare: number;
    /** The part of the time of its requests in which they waited for what was lost to be sent again. */
    waitShare: number;
  } | null;
}

/** Requests that wait for what was lost, or arrivals of no use, from this share on, are what losses cost a run. */
export const LOSS_SHARE = 0.1;

/** What the verdict looks at. */
export interface VerdictFacts {
  hosts: readonly {
    name: string;
    /** Share of the time in which its NIC told the peer to pause; null where the provider does not say. */
    pauseRatio: number | null;
    /** Its busiest posting core. */
    busyShare: number;
    /** Arrivals that found no receive posted, of all. */
    unpostedShare: number;
    /** Share of the time in which such an arrival held everything that arrived. */
    heldShare: number;
  }[];
  routes: readonly RouteFacts[];
}

/** What keeps a workload from going faster. */
export type Limit = 'pause' | 'line' | 'packets' | 'generator' | 'subsystem' | 'unknown';

/** Collie's question answered: is this an anomaly, and why. */
export interface Verdict {
  anomaly: boolean;
  symptom: 'pause' | 'throughput' | null;
  limited: Limit;
  /** A sentence with the numbers. */
  why: string;
  /** The numbers that the facts were held against; null where the device has no bounds. */
  bounds: { lineRateGbps: number; packetsPerSecond: number } | null;
}

/**
 * Collie's definition (§5.2): pause share above 0.1 % on a NIC, unless arrivals wait there for receives that the program
 * posts late; or the delivered rate more than 20 % below the line and the packet rate more than 20 % below what
 * the device can do for this transport and number of queue pairs, unless the generator asked for no more.
 *
 * Rates are judged route by route, against the ports and NICs that the route uses together with others: two hosts that
 * share a third one's port have what they can have when that port is full. A route that has less than it could have is
 * an anomaly, however fast others are. Delivered is what the receiver took: what it dropped does not count.
 *
 * @example
 * const { anomaly, why } = judge(facts, bounds);
 */
export function judge(facts: VerdictFacts, device: DeviceBounds | null): Verdict {
  const routes = facts.routes.map((route) => judgeRoute(route, device));
  const bounds =
    device === null
      ? null
      : {
          lineRateGbps: device.lineRateGbps,
          packetsPerSecond: Math.max(0, ...routes.map((route) => route.packetBound)),
        };
  const pausing = facts.hosts.filter(({ pauseRatio }) => (pauseRatio ?? 0) > PAUSE_THRESHOLD);
  const paused = worstPause(pausing.filter((host) => !isLate(host)));
  if (paused !== null) {
    const why = `the NIC of host ${paused.name} paused its peer for ${percent(paused.pauseRatio!)} of the time, above ${percent(PAUSE_THRESHOLD)}`;
    return { anomaly: true, symptom: 'pause', limited: 'pause', why, bounds };
  }
  const late = worstPause(pausing);
  const clean = (limited: Limit, why: string): Verdict => {
    return { anomaly: false, symptom: null, limited, why, bounds };
  };
  if (late !== null) return clean('generator', lateReason(late));
  const slow = leastOf(routes.filter(({ limited }) => limited === 'subsystem'));
  if (slow !== null)
    return { anomaly: true, symptom: 'throughput', limited: 'subsystem', why: slow.why, bounds };
  for (const limited of ['line', 'packets', 'generator', 'unknown'] as const) {
    const best = routes.filter((route) => route.limited === limited);
    if (best.length > 0)
      return clean(limited, best.reduce((most, each) => (each.share > most.share ? each : most)).why);
  }
  return clean('generator', 'no traffic was asked for');
}

/** One route's outcome. */
interface RouteVerdict {
  limited: Limit;
  why: string;
  /** The greater of its shares of line rate and packet rate. */
  share: number;
  packetBound: number;
}

function judgeRoute(route: RouteFacts, device: DeviceBounds | null): RouteVerdict {
  const reason = generatorReason(route);
  if (device === null) {
    const [limited, why]: [Limit, string] =
      reason === null ? ['unknown', 'this device has no bounds to fall short of'] : ['generator', reason];
    return { limited, why, share: 0, packetBound: 0 };
  }
  const shareOf = ({ deliveredL2Gbps, lineRateGbps = device.lineRateGbps }: PortUse) =>
    deliveredL2Gbps / lineRateGbps;
  const port = route.ports.reduce<PortUse | null>(
    (most, each) => (most === null || shareOf(each) > shareOf(most) ? each : most),
    null,
  );
  const delivered = port?.deliveredL2Gbps ?? 0;
  const lineShare = port === null ? 0 : shareOf(port);
  const nics = route.nics.map(({ packetsPerSecond, qps, bounds = device }) => {
    const bound = packetBound(qps, route, bounds);
    return { packetsPerSecond, bound, share: bound > 0 ? packetsPerSecond / bound : 0 };
  });
  const nic = nics.reduce((most, each) => (each.share > most.share ? each : most));
  const facts = { share: Math.max(lineShare, nic.share), packetBound: nic.bound };
  if (port !== null && lineShare >= THROUGHPUT_SHARE)
    return { limited: 'line', why: lineReason(port, lineShare), ...facts };
  // Of short packets a full line carries less than that: the rest is preambles and gaps.
  const takenUp = ({ deliveredLineGbps, lineRateGbps = device.lineRateGbps }: PortUse) =>
    deliveredLineGbps / lineRateGbps;
  const full = route.lines.find((each) => takenUp(each) >= TAKEN_UP_SHARE);
  if (full !== undefined) {
    const taken = takenUp(full);
    const why = `host ${full.host}'s port is full: ${gbps(full.deliveredL2Gbps)} ${full.side} in short packets take up ${percent(taken)} of the line with preambles and gaps`;
    return { limited: 'line', why, ...facts };
  }
  if (nic.share >= THROUGHPUT_SHARE) {
    const why = `${mega(nic.packetsPerSecond)} packets/s is ${percent(nic.share)} of the rate that the device is held to here`;
    return { limited: 'packets', why, ...facts };
  }
  if (reason !== null) {
    const nothing = facts.share > 0 ? '' : 'nothing was delivered in the measured time: ';
    return { limited: 'generator', why: `${nothing}${reason}`, ...facts };
  }
  // The cores are a bound like line and packet rate. Where all they could ask for is below what the device is held to,
  // they are what limits, if the workload has as much of that as of any other bound.
  const { meanBusyShare } = route.generator;
  const couldAsk = facts.share / meanBusyShare;
  if (meanBusyShare >= THROUGHPUT_SHARE && couldAsk < THROUGHPUT_SHARE) {
    const why = `the posting cores are ${percent(meanBusyShare)} busy: even without a pause they could ask for ${percent(couldAsk)} of the rate that the device is held to here`;
    return { limited: 'generator', why, ...facts };
  }
  const { residence } = route.generator;
  if (residence <= UNHINDERED) {
    const why = `a request takes ${residence.toFixed(1)} times as long as the quickest: too few are in flight to fill the device`;
    return { limited: 'generator', why, ...facts };
  }
  const why =
    `${route.from} to ${route.to}: ${gbps(delivered)} delivered is ${percent(lineShare)} of the line rate and ${mega(nic.packetsPerSecond)} packets/s ` +
    `is ${percent(nic.share)} of the bound, both below ${percent(THROUGHPUT_SHARE)}, and the generator asked for more${lossReason(route)}`;
  return { limited: 'subsystem', why, ...facts };
}

function lineReason({ host, side, deliveredL2Gbps, loopedL2Gbps }: PortUse, share: number): string {
  const looped = loopedL2Gbps === 0 ? '' : `, ${gbps(loopedL2Gbps)} of it by loopback,`;
  const rate = `${gbps(deliveredL2Gbps)} ${side}${looped} is ${percent(share)} of the line rate`;
  return loopedL2Gbps === 0 && share >= FULL_SHARE
    ? `host ${host}'s port is full: ${rate}`
    : `host ${host}: ${rate}`;
}

function lossReason({ losses }: RouteFacts): string {
  if (losses === null || Math.max(losses.waitShare, losses.uselessShare) < LOSS_SHARE) return '';
  return `; ${percent(losses.lostShare)} of the packets were lost on the way`;
}

function leastOf(routes: readonly RouteVerdict[]): RouteVerdict | null {
  return routes.reduce<RouteVerdict | null>(
    (least, each) => (least === null || each.share < least.share ? each : least),
    null,
  );
}

function packetBound(qps: number, { reads, kind }: RouteFacts, device: DeviceBounds): number {
  const perQp = reads ? device.readsPerSecondPerQp : device.packetsPerSecondPerQp;
  const own = kind === null ? undefined : device.requestsPerSecond?.[kind];
  return Math.min(device.packetsPerSecond, qps * perQp, own ?? Number.POSITIVE_INFINITY);
}

type HostFacts = VerdictFacts['hosts'][number];

function worstPause(hosts: readonly HostFacts[]): HostFacts | null {
  return hosts.reduce<HostFacts | null>(
    (worst, host) => (worst === null || host.pauseRatio! > worst.pauseRatio! ? host : worst),
    null,
  );
}

/**
 * Whether a NIC waits for receives that the program on its host has not posted: most of the time for which it pauses its
 * peer is time for which it is held, or the program is too busy.
 */
function isLate({ busyShare, unpostedShare, heldShare, pauseRatio }: HostFacts): boolean {
  if (heldShare >= HELD_SHARE * pauseRatio!) return true;
  return busyShare >= BUSY_SHARE && unpostedShare > UNPOSTED_SHARE;
}

function lateReason({ name, pauseRatio, busyShare, unpostedShare, heldShare }: HostFacts): string {
  if (heldShare >= HELD_SHARE * pauseRatio!)
    return (
      `the NIC of host ${name} paused its peer for ${percent(pauseRatio!)} of the time, and for ${percent(heldShare)} a message held it ` +
      'that had found no receive posted: the program posts none, or too late'
    );
  return (
    `the NIC of host ${name} paused its peer for ${percent(pauseRatio!)} of the time, but ${percent(unpostedShare)} of what arrives ` +
    `finds no receive posted, which held it for ${percent(heldShare)}, and a core is ${percent(busyShare)} busy: the program is late`
  );
}

/** Send queues that are empty because requests wait for what was lost are not empty for want of requests. */
function waitsForLost({ losses, generator }: RouteFacts): boolean {
  return (
    losses !== null && losses.waitShare >= LOSS_SHARE && generator.receiveWaitShare < losses.waitShare / 2
  );
}

function generatorReason(route: RouteFacts): string | null {
  const { generator, to } = route;
  if (generator.rateLimited) return 'the workload limits its own rate';
  if (waitsForLost(route)) return null;
  if (generator.busyShare >= BUSY_SHARE) return `a posting core is ${percent(generator.busyShare)} busy`;
  if (generator.idleShare <= IDLE_SHARE) return null;
  const idle = `${percent(generator.idleShare)} of the time`;
  if (generator.receiveWaitShare > IDLE_SHARE * generator.idleShare)
    return `the send queues have nothing to send, or no receive to send it to, ${idle}: messages reach host ${to} before a receive is posted, and wait ${percent(generator.receiveWaitShare)} of the time for a timer to send them again`;
  return `the send queues have nothing to send ${idle}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`;
}

function gbps(value: number): string {
  return `${value.toFixed(1)} Gb/s`;
}

function mega(value: number): string {
  return `${(value / 1e6).toFixed(2)} M`;
}
