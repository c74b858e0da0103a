/** Collie §5.2: a NIC that pauses its peer for more than this share of the time is an anomaly. */
export const PAUSE_THRESHOLD = 0.001;
/** Collie §5.2: as is one that stays below this share of both its bounds. */
export const THROUGHPUT_SHARE = 0.8;
/** A posting core this busy is what limits the workload. */
const BUSY_SHARE = 0.95;
/** Send queues that are empty, or wait for receives, for longer than this, on average, are the programs' doing. */
const IDLE_SHARE = 0.1;
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
}

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
  }[];
  /** Best direction, delivered, with all headers and FCS. */
  deliveredL2Gbps: number;
  /** Best NIC, the greater of sent and received, less what was dropped. */
  packetsPerSecond: number;
  /** Queue pairs that send, in the direction with most. */
  qps: number;
  /** All requests are READs. */
  reads: boolean;
  generator: {
    /** Busiest posting core. */
    busyShare: number;
    /** Mean over the send queues of the share of time in which they had nothing to send, or no receive to send it to. */
    idleShare: number;
    /** The workload asks for less than the device could do. */
    rateLimited: boolean;
  };
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
 * Collie's definition (§5.2): pause share above 0.1 % on either NIC, unless arrivals wait there for receives that a busy
 * program posts late; or the delivered rate more than 20 % below the line and the packet rate more than 20 % below what
 * the device can do for this transport and number of queue pairs, unless the generator asked for no more.
 *
 * @example
 * const { anomaly, why } = judge(facts, bounds);
 */
export function judge(facts: VerdictFacts, device: DeviceBounds | null): Verdict {
  const bounds =
    device === null
      ? null
      : { lineRateGbps: device.lineRateGbps, packetsPerSecond: packetBound(facts, device) };
  const pausing = facts.hosts.filter(({ pauseRatio }) => (pauseRatio ?? 0) > PAUSE_THRESHOLD);
  const paused = worstPause(pausing.filter((host) => !isLate(host)));
  if (paused !== null) {
    const why = `the NIC of host ${paused.name} paused its peer for ${percent(paused.pauseRatio!)} of the time, above ${percent(PAUSE_THRESHOLD)}`;
    return { anomaly: true, symptom: 'pause', limited: 'pause', why, bounds };
  }
  const late = worstPause(pausing);
  if (late !== null) return clean('generator', lateReason(late), bounds);
  const reason = generatorReason(facts);
  if (bounds === null)
    return reason === null
      ? clean('unknown', 'this device has no bounds to fall short of', bounds)
      : clean('generator', reason, bounds);
  const lineShare = facts.deliveredL2Gbps / bounds.lineRateGbps;
  const packetShare = facts.packetsPerSecond / bounds.packetsPerSecond;
  if (lineShare >= THROUGHPUT_SHARE)
    return clean(
      'line',
      `${gbps(facts.deliveredL2Gbps)} delivered is ${percent(lineShare)} of the line rate`,
      bounds,
    );
  if (packetShare >= THROUGHPUT_SHARE)
    return clean(
      'packets',
      `${mega(facts.packetsPerSecond)} packets/s is ${percent(packetShare)} of what the device can do here`,
      bounds,
    );
  if (reason !== null) return clean('generator', reason, bounds);
  const why =
    `${gbps(facts.deliveredL2Gbps)} delivered is ${percent(lineShare)} of the line rate and ${mega(facts.packetsPerSecond)} packets/s ` +
    `is ${percent(packetShare)} of the bound, both below ${percent(THROUGHPUT_SHARE)}, and the generator asked for more`;
  return { anomaly: true, symptom: 'throughput', limited: 'subsystem', why, bounds };
}

function packetBound(facts: VerdictFacts, device: DeviceBounds): number {
  const perQp = facts.reads ? device.readsPerSecondPerQp : device.packetsPerSecondPerQp;
  return Math.min(device.packetsPerSecond, facts.qps * perQp);
}

type HostFacts = VerdictFacts['hosts'][number];

function worstPause(hosts: readonly HostFacts[]): HostFacts | null {
  return hosts.reduce<HostFacts | null>(
    (worst, host) => (worst === null || host.pauseRatio! > worst.pauseRatio! ? host : worst),
    null,
  );
}

/** Whether a NIC waits for receives that the program on its host is too busy to post. */
function isLate({ busyShare, unpostedShare }: HostFacts): boolean {
  return busyShare >= BUSY_SHARE && unpostedShare > UNPOSTED_SHARE;
}

function lateReason({ name, pauseRatio, busyShare, unpostedShare }: HostFacts): string {
  return (
    `the NIC of host ${name} paused its peer for ${percent(pauseRatio!)} of the time, but ${percent(unpostedShare)} of what arrives ` +
    `finds no receive posted, and a core is ${percent(busyShare)} busy: the program is late`
  );
}

function generatorReason({ generator }: VerdictFacts): string | null {
  if (generator.rateLimited) return 'the workload limits its own rate';
  if (generator.busyShare >= BUSY_SHARE) return `a posting core is ${percent(generator.busyShare)} busy`;
  if (generator.idleShare > IDLE_SHARE)
    return `the send queues have nothing to send, or no receive to send it to, ${percent(generator.idleShare)} of the time`;
  return null;
}

function clean(limited: Limit, why: string, bounds: Verdict['bounds']): Verdict {
  return { anomaly: false, symptom: null, limited, why, bounds };
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
