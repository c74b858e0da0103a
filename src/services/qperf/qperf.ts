import { KelpieError } from '../../error.js';
import type { Connection, ConnectionManager, Context } from '../../verbs/index.js';
import { type ByteChannel, cString, type ExchangeRole, exchangeError } from '../perftest/byte-channel.js';
import { type Counts, depthsOf, type Part, play, prepare } from './loops.js';
import {
  emitNode,
  emitRequest,
  emitStatistics,
  NODE_BYTES,
  parseNode,
  parseRequest,
  parseStatistics,
  type QperfRequest,
  type QperfStatistics,
  REQUEST_BYTES,
  STATISTICS_BYTES,
  SYNC,
  VERSION,
} from './messages.js';
import { QperfEnd } from './qperf-end.js';
import { type QperfResult, resultOf } from './result.js';
import { indexOf, isServed, nameAt, QPERF_TESTS, type QperfTest, type QperfTestName } from './test-table.js';

const CONF_TEXT_BYTES = 64;
const CM_PORT_BYTES = 4;
/** qperf's own patience with a message. */
const TIMEOUT_SECONDS = 5;
const STEP_NS = 1e6;
/** What a stranger may ask of a server. */
const MOST_BYTES = 2 ** 26;
const MOST_SECONDS = 3600;
const MOST_TIMEOUT_SECONDS = 60;

/** What is known of this side's machine, and how a run is stopped. */
export interface QperfOptions {
  /** Told to a client that asks for `conf`. */
  node?: string;
  os?: string;
  processors?: number;
  /** Processor time that this side has used so far. */
  usage?: () => { userNs: number; kernelNs: number };
  signal?: AbortSignal;
}

/** What a client chooses; the rest is the test's. */
interface QperfChoices {
  address: string;
  sizeBytes?: number;
  seconds?: number;
  messages?: number;
}

/**
 * Serves one client of qperf that has connected to `channel` (TCP, port 19765): the name of its test. A request that
 * cannot be served here is answered as far as qperf's words go, and fails with the reason.
 *
 * @example
 * const test = await serveQperf(context, context.createConnectionManager(), channel);
 */
export async function serveQperf(
  context: Context,
  manager: ConnectionManager,
  channel: ByteChannel,
  options: QperfOptions = {},
): Promise<QperfTestName | 'conf'> {
  const request = parseRequest(
    await within(context, TIMEOUT_SECONDS, 'a request', channel.read(REQUEST_BYTES)),
  );
  const name = nameAt(request.index);
  if (name === 'conf') {
    await channel.write(configuration(options));
    return name;
  }
  // Whoever may ask for a test may not end the server for everybody.
  if (name === null || name === 'quit')
    throw exchangeError('test', name ?? `number ${request.index}`, Object.keys(QPERF_TESTS).join(', '));
  if (!request.useCm || !isServed(name)) {
    // An empty node: the client's own device then says what is wrong with a path without a GID.
    await channel.write(new Uint8Array(NODE_BYTES));
    await within(context, TIMEOUT_SECONDS, 'node information', channel.read(NODE_BYTES));
    throw exchangeError(`${name} by LID`, 'use_cm 0', 'a test of RC with qperf -cm1: RoCE has no LIDs');
  }
  const test: QperfTest = QPERF_TESTS[name];
  checkRequest(request, test);
  const end = new QperfEnd(context, sizeOf(test, request), depthsOf(test, 'server'));
  const asked = answer(manager, end);
  try {
    const port = new DataView(new ArrayBuffer(CM_PORT_BYTES));
    port.setUint32(0, asked.port, true);
    await channel.write(new Uint8Array(port.buffer));
    const connection = await within(context, request.timeoutSeconds, 'a connection', asked.connection);
    const mine = await run(end, channel, test, 'server', request, options);
    await channel.write(emitStatistics(mine));
    await sync(context, channel, request, SYNC.after, 'hear');
    await within(context, request.timeoutSeconds, 'the end', connection.disconnected);
    return name;
  } finally {
    asked.close();
    end.destroy();
  }
}

/**
 * Asks a server of qperf for one test, over a channel to its TCP port 19765.
 *
 * @example
 * const { latencyNs } = await askQperf(context, manager, channel, 'rc_lat', { address: '10.77.0.2' });
 */
export async function askQperf(
  context: Context,
  manager: ConnectionManager,
  channel: ByteChannel,
  name: QperfTestName,
  { address, sizeBytes, seconds = 2, messages = 0 }: QperfChoices,
  options: QperfOptions = {},
): Promise<QperfResult> {
  const test: QperfTest = QPERF_TESTS[name];
  const request: QperfRequest = {
    ...{ index: indexOf(name), sizeBytes: sizeBytes ?? test.sizeBytes, messages },
    ...{ seconds: messages > 0 ? 0 : seconds, timeoutSeconds: TIMEOUT_SECONDS, useCm: true },
  };
  checkRequest(request, test);
  await channel.write(emitRequest(request));
  const port = await within(context, TIMEOUT_SECONDS, 'a port', channel.read(CM_PORT_BYTES));
  const end = new QperfEnd(context, sizeOf(test, request), depthsOf(test, 'client'));
  try {
    const target = { address, port: new DataView(port.buffer, port.byteOffset).getUint32(0, true) };
    const connection = await manager.connect(end.qp, target);
    const mine = await run(end, channel, test, 'client', request, options);
    const results = channel.read(STATISTICS_BYTES);
    const theirs = parseStatistics(await within(context, TIMEOUT_SECONDS, 'results', results));
    await sync(context, channel, request, SYNC.after, 'say');
    await connection.disconnect();
    return resultOf(name, test.measure, mine, theirs);
  } finally {
    end.destroy();
  }
}

/** Tells where the memory is, waits until the other side is ready, and plays this side's part. */
async function run(
  end: QperfEnd,
  channel: ByteChannel,
  test: QperfTest,
  role: ExchangeRole,
  request: QperfRequest,
  { processors = 1, usage = () => ({ userNs: 0, kernelNs: 0 }), signal }: QperfOptions,
): Promise<QperfStatistics> {
  const { context } = end;
  prepare(end, { test, role });
  await channel.write(emitNode(end.node));
  const node = channel.read(NODE_BYTES);
  const theirs = parseNode(await within(context, request.timeoutSeconds, 'node information', node));
  await sync(context, channel, request, SYNC.before, 'both');
  let gone = false;
  void channel.hungUp().then(() => {
    gone = true;
  });
  const part: Part = {
    ...{ test, role, theirs, ...(signal === undefined ? {} : { signal }) },
    messages: request.messages === 0 ? Number.POSITIVE_INFINITY : request.messages,
    // Where messages are counted the time is a bound alone.
    durationNs: (request.seconds === 0 ? MOST_SECONDS : request.seconds) * 1e9,
    isGone: () => gone,
  };
  const { clock } = context;
  const [startNs, start] = [clock.nowNs, usage()];
  const counts: Counts = await play(end, part);
  const used = usage();
  return {
    ...counts,
    processors,
    elapsedNs: clock.nowNs - startNs,
    userNs: used.userNs - start.userNs,
    kernelNs: used.kernelNs - start.kernelNs,
  };
}

/** Takes one request at a port of RDMA-CM's own choice, and refuses others. */
function answer(
  manager: ConnectionManager,
  end: QperfEnd,
): { port: number; connection: Promise<Connection>; close(): void } {
  let taken = false;
  let take: (connection: Promise<Connection>) => void = () => {};
  const connection = new Promise<Connection>((resolve) => {
    take = resolve;
  });
  connection.catch(() => {});
  const listener = manager.listen(0, (request) => {
    if (taken || request.qpType !== 'RC') {
      request.reject();
      return;
    }
    taken = true;
    const made = request.accept(end.qp, { responderResources: 1, initiatorDepth: 1 });
    take(made.established.then(() => made));
  });
  return { port: listener.port, connection, close: () => listener.close() };
}

/** Text that each side says when it is ready: both, or the client alone. */
async function sync(
  context: Context,
  channel: ByteChannel,
  { timeoutSeconds }: QperfRequest,
  text: string,
  who: 'both' | 'say' | 'hear',
): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  if (who !== 'hear') await channel.write(bytes);
  if (who === 'say') return;
  const heard = await within(context, timeoutSeconds, text, channel.read(bytes.length));
  const words = String.fromCharCode(...heard);
  if (words !== text) throw exchangeError('synchronization', words, text);
}

/** Bytes of a side's memory: an atomic's where the test has no size. */
function sizeOf({ sizeBytes, measure, verified }: QperfTest, request: QperfRequest): number {
  return measure === 'rate' && verified !== true ? sizeBytes : request.sizeBytes;
}

/** Refuses what would cost too much or never end. */
function checkRequest({ sizeBytes, seconds, messages, timeoutSeconds }: QperfRequest, test: QperfTest): void {
  const check = (field: string, given: number, most: number) => {
    if (!(given <= most)) throw exchangeError(field, given, `at most ${most}`);
  };
  check('msg_size', sizeBytes, MOST_BYTES);
  check('time', seconds, MOST_SECONDS);
  check('timeout', timeoutSeconds, MOST_TIMEOUT_SECONDS);
  if (seconds === 0 && (messages === 0 || test.motion !== 'stream'))
    throw exchangeError('time', 0, 'at least 1 (or no_msgs in rc_bw and rc_rdma_write_bw)');
}

/** What qperf prints with `conf`. */
function configuration({ node = 'kelpie', os = '', processors = 1 }: QperfOptions): Uint8Array {
  const { major, minor, increment } = VERSION;
  const texts = [node, `${processors} processors`, os, `Kelpie, as qperf ${major}.${minor}.${increment}`];
  const bytes = new Uint8Array(texts.length * CONF_TEXT_BYTES);
  for (const [index, text] of texts.entries())
    bytes.set(cString(text, CONF_TEXT_BYTES), index * CONF_TEXT_BYTES);
  return bytes;
}

/** Waits for something, for this long on the device's clock. */
async function within<T>(context: Context, seconds: number, what: string, waited: Promise<T>): Promise<T> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  waited.then(settle, settle);
  const { clock } = context;
  for (const endNs = clock.nowNs + seconds * 1e9; clock.nowNs < endNs; await clock.sleep(STEP_NS)) {
    // A promise that is done says so in the next turn.
    await null;
    if (settled) return waited;
  }
  throw new KelpieError('CANNOT_RUN', 'the peer of a qperf test is silent', {
    field: what,
    given: 'nothing',
    allowed: `within ${seconds} s`,
  });
}
