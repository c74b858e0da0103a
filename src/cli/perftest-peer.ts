import { randomInt } from 'node:crypto';
import { KelpieError } from '../error.js';
import { type PeerOptions, type PeerResult, runPerftestPeer } from '../jobs/perftest/index.js';
import { SoftwareProvider } from '../providers/software/index.js';
import type { Mtu } from '../verbs/index.js';
import { LatencyLog, type LatencySummary, type Tenant, type Workload } from '../workload/index.js';
import type { Invocation, OptionSpec } from './command.js';
import { ExitCode } from './exit-code.js';
import { numberFlag } from './flag-value.js';
import type { PerftestKind, PerftestVerb } from './perftest-flags.js';
import { formatFooter, formatHeader, formatLatency, formatRate } from './perftest-report.js';
import { acceptTcp, connectTcp, type TcpChannel } from './tcp-channel.js';

/** perftest's port. */
const DEFAULT_PORT = 18515;
/** How many messages perftest sends unless told; WRITEs of a rate test are more. */
const ITERATIONS = 1000;
const WRITE_ITERATIONS = 5000;
const MEBIBIT = 8 * 2 ** 20;

/** The flags that only mean something where the other side is another program. */
export const peerFlags: readonly OptionSpec[] = [
  {
    flags: '-p, --port <number>',
    description: 'TCP port of the exchange (software)',
    default: String(DEFAULT_PORT),
  },
  {
    flags: '-u, --qp-timeout <code>',
    description: 'time until a message is sent again: 4.096 us x 2^code (software)',
    default: '14',
  },
  { flags: '-x, --gid-index <number>', description: 'row of the GID table (software)', default: '0' },
  {
    flags: '--bind <address>',
    description: 'address of the device; that of the exchange where left out (software)',
  },
  { flags: '--loopback', description: 'both sides in this process (software)' },
];

/** Whether the command is one side of a test whose other side is another program. */
export function isPeer({ options, arguments: [, server] }: Invocation): boolean {
  const software = options['provider'] === 'software' && options['loopback'] !== true;
  if (server !== undefined && !software) {
    throw new KelpieError('BAD_ARGUMENT', 'only a software device has a server elsewhere', {
      field: 'server',
      given: server,
      allowed: '--provider software, without --loopback',
    });
  }
  return software;
}

/** Runs one side: the client of a server that is named, or a server that waits for a client. */
export async function runPeer(
  kind: PerftestKind,
  verb: PerftestVerb,
  workloads: readonly Workload[],
  _seed: number,
  { options, arguments: [, server], terminal, signal }: Invocation,
): Promise<ExitCode> {
  if (options['duration'] !== undefined)
    throw new KelpieError('BAD_FLAG', 'a test with another program counts messages', {
      field: '--duration',
      given: options['duration'],
      allowed: '--iters',
    });
  const port = numberFlag(options, 'port', '--port', { min: 1, max: 65535 }) ?? DEFAULT_PORT;
  const gidIndex = numberFlag(options, 'gidIndex', '--gid-index', { min: 0, max: 255 }) ?? 0;
  const waiting = () => terminal.err(`waiting for a client at TCP port ${port}\n`);
  const channel: TcpChannel =
    server === undefined ? await acceptTcp(port, signal, waiting) : await connectTcp(server, port, signal);
  const address = (options['bind'] as string | undefined) ?? plainAddress(channel.localAddress);
  const context = await new SoftwareProvider().open(address);
  try {
    const [tenant] = workloads[0].tenants;
    const mtu = Math.min(tenant.mtu, context.queryPort(1).activeMtu) as Mtu;
    const peer: PeerOptions = {
      ...peerOptionsOf(kind, verb, tenant, options),
      role: server === undefined ? 'server' : 'client',
      sizes: workloads.map(({ tenants }) => tenants[0].sizes[0] as number),
      mtu,
      gidIndex,
    };
    const report = { kind, verb, gbits: peer.gbits };
    const json = options['json'] === true;
    if (!json) terminal.out(formatHeader(report, { tenant: { ...tenant, mtu }, device: address, gidIndex }));
    const results = await runPerftestPeer(context, channel, peer, signal, (result) => {
      if (!json) terminal.out(formatResult(kind, result, peer.gbits));
    });
    terminal.out(
      json ? `${JSON.stringify(results.map((result) => summaryOf(kind, result)))}\n` : formatFooter(),
    );
    return ExitCode.GOOD;
  } catch (error) {
    if (!signal.aborted) throw error;
    terminal.out('PARTIAL: interrupted\n');
    return ExitCode.GOOD;
  } finally {
    await channel.close();
    await context.close();
  }
}

/** An IPv4 address without the prefix that sockets of both versions put before it. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

function peerOptionsOf(
  kind: PerftestKind,
  verb: PerftestVerb,
  tenant: Tenant,
  options: Readonly<Record<string, unknown>>,
): Omit<PeerOptions, 'role' | 'sizes' | 'mtu' | 'gidIndex'> {
  return {
    kind,
    verb,
    iterations: tenant.iterations ?? (kind === 'bw' && verb === 'write' ? WRITE_ITERATIONS : ITERATIONS),
    qps: tenant.qps,
    transport: tenant.transport,
    txDepth: tenant.sendQueueDepth,
    rxDepth: tenant.receiveQueueDepth,
    cqModeration: tenant.signalEvery,
    inlineBytes: tenant.inlineBytes,
    outReads: tenant.maxRdAtomic,
    timeout: numberFlag(options, 'qpTimeout', '--qp-timeout', { min: 1, max: 31 }) ?? 14,
    compareSwap: options['atomic_type'] === 'CMP_AND_SWAP',
    bidirectional: tenant.direction === 'bi',
    serviceLevel: tenant.serviceLevel,
    trafficClass: tenant.trafficClass,
    gbits: options['report_gbits'] === true,
    randomPsn: () => randomInt(2 ** 24),
  };
}

interface Rate {
  sizeBytes: number;
  iterations: number;
  peakGbps: number;
  goodputGbps: number;
  messagesPerSecond: number;
}

/** What this side measured, or what the other side reported where this one only served. */
function rateOf({ sizeBytes, iterations, elapsedNs, theirs }: PeerResult, gbits: boolean): Rate {
  if (elapsedNs !== null) {
    const goodputGbps = (iterations * sizeBytes * 8) / elapsedNs;
    const messagesPerSecond = (iterations * 1e9) / elapsedNs;
    return { sizeBytes, iterations, peakGbps: goodputGbps, goodputGbps, messagesPerSecond };
  }
  const inGbps = (value = 0) => (gbits ? value : (value * MEBIBIT) / 1e9);
  return {
    sizeBytes,
    iterations,
    peakGbps: inGbps(theirs?.peak),
    goodputGbps: inGbps(theirs?.average),
    messagesPerSecond: (theirs?.messageRate ?? 0) * 1e6,
  };
}

function latencyOf({ latenciesNs }: PeerResult): LatencySummary | null {
  const log = new LatencyLog();
  for (const [turn, latency] of (latenciesNs ?? []).entries()) log.record(turn + 1, latency);
  return log.summarize(0, Number.POSITIVE_INFINITY);
}

function formatResult(kind: PerftestKind, result: PeerResult, gbits: boolean): string {
  return kind === 'bw'
    ? formatRate(rateOf(result, gbits), gbits)
    : formatLatency(result.sizeBytes, latencyOf(result));
}

function summaryOf(kind: PerftestKind, result: PeerResult) {
  const { sizeBytes, iterations } = result;
  return kind === 'bw' ? rateOf(result, false) : { sizeBytes, iterations, latencyNs: latencyOf(result) };
}
