import type { LatencySummary, Measurement, Tenant } from '../../workload/index.js';
import type { PerftestKind, PerftestVerb } from './flags.js';

const RULE = `${'-'.repeat(87)}\n`;
const TITLES: Readonly<Record<PerftestVerb, string>> = {
  write: 'RDMA_Write',
  read: 'RDMA_Read',
  send: 'Send',
  atomic: 'Atomic',
};
const MEBIBYTE = 2 ** 20;

/** What is tested, and in which unit rates are printed. */
export interface PerftestReport {
  kind: PerftestKind;
  verb: PerftestVerb;
  gbits: boolean;
}

/** What the block before the results tells. */
export interface PerftestHeading {
  tenant: Tenant;
  device: string;
  gidIndex: number;
}

/** perftest's block before the results, with the names of the columns. */
export function formatHeader(
  { kind, verb, gbits }: PerftestReport,
  { tenant, device, gidIndex }: PerftestHeading,
): string {
  const title = `${TITLES[verb]} ${tenant.direction === 'bi' ? 'Bidirectional ' : ''}${kind === 'bw' ? 'BW' : 'Latency'} Test`;
  const rows = [
    [`Number of qps   : ${tenant.qps}`, `Device         : ${device}`],
    [`Connection type : ${tenant.transport}`, 'Using SRQ      : OFF'],
    [`TX depth        : ${tenant.sendQueueDepth}`, `Post List      : ${tenant.batch}`],
    [`CQ Moderation   : ${tenant.signalEvery}`, `Mtu            : ${tenant.mtu}[B]`],
    ['Link type       : Ethernet', `GID index      : ${gidIndex}`],
    [`Max inline data : ${tenant.inlineBytes}[B]`, `Outstand reads : ${tenant.maxRdAtomic}`],
  ];
  const block = rows.map(([left, right]) => ` ${left.padEnd(32)}${right}\n`).join('');
  return `${RULE}${' '.repeat(20)}${title}\n${block}${RULE}${kind === 'bw' ? rateColumns(gbits) : LATENCY_COLUMNS}`;
}

/** The line below the results. */
export function formatFooter(): string {
  return RULE;
}

/** Below the results: what limited each size, neighbours with the same limit together, and what is an anomaly. */
export function formatLimits(measurements: readonly Measurement[]): string {
  const groups: { first: number; last: number; key: string; words: string }[] = [];
  for (const { workload, limits, verdict } of measurements) {
    const size = workload.tenants[0].sizes[0] as number;
    const anomaly = verdict.anomaly ? `; ANOMALY (${verdict.symptom}): ${verdict.why}` : '';
    const key = `${limits.part?.name}${verdict.symptom}`;
    const group = groups[groups.length - 1];
    if (group?.key === key && limits.part !== null) group.last = size;
    else groups.push({ first: size, last: size, key, words: `${limits.by}${anomaly}` });
  }
  return groups
    .map(({ first, last, words }) => {
      const sizes =
        measurements.length === 1 ? '' : first === last ? `${first} B, ` : `${first} to ${last} B, `;
      return `${sizes}limited by: ${words}\n`;
    })
    .concat(unfinished(measurements))
    .join('');
}

/** A row with no iterations and a rate needs a word. */
function unfinished(measurements: readonly Measurement[]): string[] {
  const long = measurements.filter((each) => iterationsOf(each) === 0 && each.total.goodputGbps > 0);
  if (long.length === 0) return [];
  const sizes = long.map(({ workload }) => `${workload.tenants[0].sizes[0]} B`).join(', ');
  return [
    `note: no message of ${sizes} ended while it was measured; the rates count the bytes that arrived\n`,
  ];
}

/** Messages that ended while the rates were measured. */
function iterationsOf({ total, steadyState }: Measurement): number {
  return Math.round((total.messagesPerSecond * steadyState.measuredNs) / 1e9);
}

/** One size's line of results. */
export function formatRow({ kind, gbits }: PerftestReport, measurement: Measurement): string {
  return kind === 'bw' ? rateRow(measurement, gbits) : latencyRow(measurement);
}

const LATENCY_COLUMNS =
  ' #bytes     #iterations    t_min[usec]    t_max[usec]    t_typical[usec]    t_avg[usec]    t_stdev[usec]    99% percentile[usec]    99.9% percentile[usec]\n';

function rateColumns(gbits: boolean): string {
  const unit = gbits ? 'Gb/sec' : 'MiB/sec';
  return ` #bytes     #iterations    BW peak[${unit}]    BW average[${unit}]    MsgRate[Mpps]\n`;
}

function rateRow(measurement: Measurement, gbits: boolean): string {
  const { workload, total, series } = measurement;
  const [tenant] = workload.tenants;
  // A slice in which a message completes that began before it can show more than the mean; no slice can show less than it.
  const peakGbps = Math.max(total.goodputGbps, ...series.tenants[tenant.name].goodputGbps);
  const iterations = iterationsOf(measurement);
  const { goodputGbps, messagesPerSecond } = total;
  const sizeBytes = tenant.sizes[0] as number;
  return formatRate({ sizeBytes, iterations, peakGbps, goodputGbps, messagesPerSecond }, gbits);
}

/** The line of a rate. */
export function formatRate(
  rate: {
    sizeBytes: number;
    iterations: number;
    peakGbps: number;
    goodputGbps: number;
    messagesPerSecond: number;
  },
  gbits: boolean,
): string {
  const inUnit = (gbps: number) => (gbits ? gbps : (gbps * 1e9) / 8 / MEBIBYTE).toFixed(2);
  const { sizeBytes, iterations, peakGbps, goodputGbps, messagesPerSecond } = rate;
  return ` ${pad(sizeBytes, 11)}${pad(iterations, 15)}${pad(inUnit(peakGbps), 21)}${pad(inUnit(goodputGbps), 24)}${(messagesPerSecond / 1e6).toFixed(6)}\n`;
}

function latencyRow({ workload, tenants }: Measurement): string {
  return formatLatency(workload.tenants[0].sizes[0] as number, tenants[0].latencyNs);
}

/** The line of a latency. */
export function formatLatency(sizeBytes: number, latencyNs: LatencySummary | null): string {
  const size = pad(sizeBytes, 11);
  if (latencyNs === null) return ` ${size}${pad(0, 15)}no message came back\n`;
  const { min, max, p50, mean, stdev, p99, p999 } = latencyNs;
  const cells = [
    pad(us(min), 15),
    pad(us(max), 15),
    pad(us(p50), 19),
    pad(us(mean), 15),
    pad(us(stdev), 17),
    pad(us(p99), 24),
    us(p999),
  ];
  return ` ${size}${pad(latencyNs.samples, 15)}${cells.join('')}\n`;
}

/** A figure that its samples cannot carry is a dash. */
function us(valueNs: number | null): string {
  return valueNs === null ? '-' : (valueNs / 1000).toFixed(2);
}

function pad(value: unknown, width: number): string {
  return String(value).padEnd(width);
}
