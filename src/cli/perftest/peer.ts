import { randomInt } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { KelpieError } from '../../error.js';
import { type SoftwareContext, SoftwareProvider } from '../../providers/software/index.js';
import {
  type ByteChannel,
  MessageChannel,
  type PeerOptions,
  type PeerResult,
  runPerftestPeer,
} from '../../services/index.js';
import { ConnectionError, type Mtu, REJECT_REASON } from '../../verbs/index.js';
import { LatencyLog, type LatencySummary, type Tenant, type Workload } from '../../workload/index.js';
import type { Invocation } from '../command.js';
import { ExitCode } from '../exit-code.js';
import { numberFlag } from '../flag-value.js';
import type { OptionSpec, OptionsOf } from '../option.js';
import { chooseProvider, type ProviderOptions } from '../providers.js';
import { softwareOptions } from '../run/transport-flags.js';
import type { PerftestKind, PerftestOptions, PerftestVerb } from './flags.js';
import { formatFooter, formatHeader, formatLatency, formatRate } from './report.js';
import { requireRoom } from './room.js';
import {
  acceptTcp,
  connectTcp,
  ownAddressTowards,
  SAME_PROGRAM,
  type TcpChannel,
  turnAwayTcp,
} from './tcp-channel.js';

/** perftest's port. */
const DEFAULT_PORT = 18515;
/** How many messages perftest sends unless set; WRITEs of a rate test are more. */
const ITERATIONS = 1000;
const WRITE_ITERATIONS = 5000;
const MEBIBIT = 8 * 2 ** 20;
/** Why a client is turned away. */
const SAME_MEETING = '-R is needed on both sides, or on neither';

/** The flags that only mean something where the other side is another program. */
export const peerFlags = [
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
    description: 'address of the device (software); default: that of the exchange',
  },
  { flags: '--loopback', description: 'both sides in this process (software)' },
  { flags: '-R, --rdma_cm', description: 'exchange and connect by RDMA-CM (software)' },
  {
    flags: '--run_infinitely',
    description: 'run until one side stops, with a line every 5 s (bw, software)',
  },
  { flags: '-H, --report-histogram', description: 'print all latencies, sorted (lat, software)' },
  {
    flags: '-U, --report-unsorted',
    description: 'print all latencies, in the order they were measured (lat, software)',
  },
] as const satisfies readonly OptionSpec[];

/** Flags that need another program on the other side. */
const PEER_ALONE = [
  ['rdma_cm', '--rdma_cm'],
  ['run_infinitely', '--run_infinitely'],
  ['reportHistogram', '--report-histogram'],
  ['reportUnsorted', '--report-unsorted'],
  ['port', '--port'],
  ['qpTimeout', '--qp-timeout'],
  ['gidIndex', '--gid-index'],
] as const;

/** The flags that decide whether and how the other side is another program. */
type PeerFlags = PerftestOptions &
  OptionsOf<typeof peerFlags> &
  ProviderOptions & { readonly json?: boolean };

/** Whether the command is one side of a test whose other side is another program. */
export function isPeer({ options, arguments: [, server] }: Invocation<PeerFlags>): boolean {
  const software = options.provider === 'software' && options.loopback !== true;
  if (server !== undefined && !software) {
    throw new KelpieError('BAD_ARGUMENT', 'only a software device has a server elsewhere', {
      field: 'server',
      given: server,
      allowed: '--provider software, without --loopback',
    });
  }
  for (const [key, field] of PEER_ALONE) {
    const flag: OptionSpec | undefined = peerFlags.find(({ flags }) => flags.includes(field));
    if (options[key] === flag?.default || software) continue;
    throw new KelpieError('BAD_FLAG', 'only a test with another program has this flag', {
      field,
      given: options[key],
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
  invocation: Invocation<PeerFlags>,
): Promise<ExitCode> {
  const { options, terminal, signal } = invocation;
  requireKind(kind, workloads, options);
  const port = numberFlag(options, '--port', { min: 1, max: 65535 });
  const gidIndex = numberFlag(options, '--gid-index', { min: 0, max: 255 });
  const role = invocation.arguments[1] === undefined ? 'server' : 'client';
  const [tenant] = workloads[0].tenants;
  const sizes = workloads.map(({ tenants }) => tenants[0].sizes[0] as number);
  const chosen = peerOptionsOf(kind, verb, tenant, options);
  const { qps, txDepth, rxDepth, iterations, durationNs } = chosen;
  requireRoom(kind, {
    ...{ qps, txDepth, rxDepth, sizes, iterations: durationNs === undefined ? iterations : undefined },
  });
  const { channel, context, cm } = await meet(port, invocation);
  try {
    const mtu = Math.min(tenant.mtu, context.queryPort(1).activeMtu) as Mtu;
    const peer: PeerOptions = {
      ...chosen,
      role,
      sizes,
      mtu,
      gidIndex,
      ...(cm === null ? {} : { cm }),
    };
    const report = { kind, verb, gbits: peer.gbits };
    const json = options.json === true || options.out_json === true;
    if (!json)
      terminal.out(
        formatHeader(report, { tenant: { ...tenant, mtu }, device: context.deviceName, gidIndex }),
      );
    const results = await runPerftestPeer(context, channel, peer, signal, (result) => {
      if (!json) terminal.out(formatResult(kind, result, peer.gbits) + allLatencies(result, options));
    });
    // The exchange ends with the signal, and an endless test with its exchange.
    signal.throwIfAborted();
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
    cm?.manager.close();
    await context.close();
  }
}

/** What two sides need to speak: a channel, over TCP or RDMA-CM, and a device with an address. */
async function meet(
  port: number,
  { options, arguments: [, server], terminal, signal }: Invocation<PeerFlags>,
): Promise<{ channel: ByteChannel; context: SoftwareContext; cm: PeerOptions['cm'] | null }> {
  const provider = new SoftwareProvider(softwareOptions(options, chooseProvider(options).entry));
  if (options.rdma_cm === true) {
    const address = server === undefined ? '' : (await lookup(server)).address;
    const own = options.bind ?? (server === undefined ? requireBind() : await ownAddressTowards(address));
    const context = await provider.open(own);
    const cm = { manager: context.createConnectionManager(), address, port };
    if (server === undefined) terminal.err(`waiting for a client at RDMA-CM port ${port} of ${own}\n`);
    const onOther = () => terminal.err(`a client came over TCP and was turned away: ${SAME_MEETING}\n`);
    const stop = server === undefined ? turnAwayTcp(port, onOther) : () => {};
    try {
      const role = server === undefined ? 'server' : 'client';
      return { channel: await MessageChannel.open(context, role, cm, signal), context, cm };
    } catch (error) {
      await context.close();
      throw explained(error, `${server} port ${port}`);
    } finally {
      stop();
    }
  }
  const onListening = () => terminal.err(`waiting for a client at TCP port ${port}\n`);
  const onOther = () => terminal.err(`a client came by RDMA-CM and was rejected: ${SAME_MEETING}\n`);
  const met = await meetOverTcp(provider, options.bind, (context) => {
    if (server !== undefined) return connectTcp(server, port, signal, (line) => terminal.err(line));
    const stop = context === null ? () => {} : rejectAll(context, port, onOther);
    return acceptTcp(port, signal, { onListening }).finally(stop);
  });
  return { ...met, cm: null };
}

/** Rejects whoever asks for a connection at a port where nobody is expected, and tells of the first; returns how to stop. */
function rejectAll(context: SoftwareContext, port: number, onRequest: () => void): () => void {
  const manager = context.createConnectionManager();
  let told = false;
  manager.listen(port, (request) => {
    request.reject();
    if (!told) onRequest();
    told = true;
  });
  return () => manager.close();
}

/** What a client is told that was rejected where nobody, or another program, listens; other errors as they are. */
function explained(error: unknown, given: string): unknown {
  const { INVALID_SERVICE_ID, CONSUMER_DEFINED } = REJECT_REASON;
  if (!(error instanceof ConnectionError)) return error;
  if (error.reason !== INVALID_SERVICE_ID && error.reason !== CONSUMER_DEFINED) return error;
  return new KelpieError('CANNOT_RUN', `RDMA_CM_EVENT_REJECTED, error: ${error.reason}`, {
    ...{ field: 'server', given, allowed: SAME_PROGRAM, cause: error },
  });
}

/**
 * A channel and a device: the one with the address that was chosen, opened before anybody is waited for, else the one with
 * the address that the channel is at.
 */
export async function meetOverTcp(
  provider: SoftwareProvider,
  bind: string | undefined,
  connect: (context: SoftwareContext | null) => Promise<TcpChannel>,
): Promise<{ channel: TcpChannel; context: SoftwareContext }> {
  let context = bind === undefined ? null : await provider.open(bind);
  let channel: TcpChannel | null = null;
  try {
    channel = await connect(context);
    context ??= await provider.open(plainAddress(channel.localAddress));
    return { channel, context };
  } catch (error) {
    await channel?.close();
    await context?.close();
    throw error;
  }
}

function requireBind(): never {
  throw new KelpieError('BAD_FLAG', 'an RDMA-CM server needs the address of its device', {
    field: '--bind',
    given: 'nothing',
    allowed: 'an address of this machine',
  });
}

/** Refuses what a test of this kind, or of this transport, cannot do with another program. */
function requireKind(kind: PerftestKind, workloads: readonly Workload[], options: PeerFlags): void {
  const refuse = (field: string, given: unknown, allowed: string): never => {
    throw new KelpieError('BAD_FLAG', 'this test with another program has no such flag', {
      field,
      given,
      allowed,
    });
  };
  const [{ transport, direction }] = workloads[0].tenants;
  const endless = options.run_infinitely === true;
  if (transport !== 'RC' && options.rdma_cm === true) refuse('--rdma_cm', transport, 'RC');
  if ((options.duration !== undefined || endless) && workloads.length > 1)
    refuse('--all', true, '--size with --duration and --run_infinitely');
  if (endless && (kind === 'lat' || direction === 'bi'))
    refuse('--run_infinitely', kind, 'bw in one direction');
  if (kind === 'lat') return;
  if (options.reportHistogram === true) refuse('--report-histogram', true, 'lat');
  if (options.reportUnsorted === true) refuse('--report-unsorted', true, 'lat');
}

/** Every latency, as perftest prints them with -H (sorted) and -U. */
function allLatencies({ latenciesNs }: PeerResult, options: PeerFlags): string {
  const sorted = options.reportHistogram === true;
  if (latenciesNs === null || !(sorted || options.reportUnsorted === true)) return '';
  const all = sorted ? latenciesNs.toSorted() : latenciesNs;
  return `#, usec\n${[...all].map((ns, index) => `${index + 1}, ${(ns / 1000).toFixed(3)}\n`).join('')}`;
}

/** How long the test lasts; undefined where it counts messages. */
function durationOf(options: PeerFlags): number | undefined {
  if (options.run_infinitely === true) return Number.POSITIVE_INFINITY;
  const seconds = numberFlag(options, '--duration', { min: 0.1, max: 1000, fraction: true });
  return seconds === undefined ? undefined : seconds * 1e9;
}

/** An IPv4 address without the prefix that sockets of both versions put before it. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

function peerOptionsOf(
  kind: PerftestKind,
  verb: PerftestVerb,
  tenant: Tenant,
  options: PeerFlags,
): Omit<PeerOptions, 'role' | 'sizes' | 'mtu' | 'gidIndex'> {
  const durationNs = durationOf(options);
  return {
    kind,
    verb,
    iterations: tenant.iterations ?? (kind === 'bw' && verb === 'write' ? WRITE_ITERATIONS : ITERATIONS),
    ...(durationNs === undefined ? {} : { durationNs }),
    qps: tenant.qps,
    transport: tenant.transport,
    txDepth: tenant.sendQueueDepth,
    rxDepth: tenant.receiveQueueDepth,
    cqModeration: tenant.signalEvery,
    inlineBytes: tenant.inlineBytes,
    outReads: tenant.maxRdAtomic,
    timeout: numberFlag(options, '--qp-timeout', { min: 1, max: 31 }),
    compareSwap: options.atomic_type === 'CMP_AND_SWAP',
    bidirectional: tenant.direction === 'bi',
    serviceLevel: tenant.serviceLevel,
    trafficClass: tenant.trafficClass,
    gbits: options.report_gbits === true,
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
