import { KelpieError } from '../../error.js';
import {
  ACCESS_REMOTE,
  Access,
  type CompletionQueue,
  type Connection,
  type ConnectionManager,
  type Context,
  emptyWorkCompletion,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
} from '../../verbs/index.js';
import { formatIpv4Address, parseIpv4Address } from '../../wire/index.js';
import { type ByteChannel, cString, exchangeError, fromCString } from '../perftest/byte-channel.js';
import type { PingPongResult } from '../perftest/ping-pong.js';
import { Stillness } from '../perftest/silence.js';

/** libfabric's number for an address of IPv4, Linux' for its family, and the bytes of Linux' structure. */
const FORMAT_IPV4 = 2;
const FAMILY_IPV4 = 2;
const ADDRESS_BYTES = 16;
const ANY_ADDRESS = '0.0.0.0';
/** What the client asks before each size, and how many messages it got, as text. */
const ASK = 'q';
const ANSWER = 'a';
const COUNT_BYTES = 10;
const COUNTED = 'cnt ok';
/** Who is expected. */
const CLIENT = 'fi_pingpong -p verbs -e msg';
/** The last message of either side. */
const LAST = 'fin';
/** fi_pingpong's longest message is 6 MiB. */
const MOST_BYTES = 3 * 2 ** 21;
/** Of each side no more than one message is under way, and at the end one more. */
const RECEIVES = 2;
const PORT = 1;
/** A virtual clock moves only as far as somebody sleeps. */
const VIRTUAL_TURN_NS = 1000;

/** What a client chooses. */
export interface FiPingPongOptions {
  /** Where the server's device is, if the server itself only says that it listens at all of its addresses. */
  address: string;
  sizes: readonly number[];
  iterations: number;
}

/** Choices of a server. */
export interface FiServerOptions {
  signal?: AbortSignal;
  /** How long a client may neither connect nor send, on a real clock; 30 s unless set. */
  silentNs?: number;
}

/**
 * Serves one `fi_pingpong -p verbs -e msg` that has connected to `channel` (TCP, port 47592): says at which IPv4 address
 * this device is, takes the connection by RDMA-CM, and sends back every message. How many those were.
 *
 * @example
 * const messages = await serveFiPingPong(context, context.createConnectionManager(), channel, '192.0.2.2');
 */
export async function serveFiPingPong(
  context: Context,
  manager: ConnectionManager,
  channel: ByteChannel,
  address: string,
  { signal, silentNs }: FiServerOptions = {},
): Promise<number> {
  const end = new MessageRing(context);
  let take: (connection: Connection) => void = () => {};
  const accepted = new Promise<Connection>((resolve) => {
    take = resolve;
  });
  const listener = manager.listen(0, (request) => {
    if (request.qpType === 'RC' && !end.taken) take(request.accept(end.take()));
    else request.reject();
  });
  try {
    await channel.write(emitAddress(address, listener.port));
    let over = false;
    const stop = () => {
      over = true;
    };
    let failure: unknown = null;
    answerControl(channel).then(stop, (error: unknown) => {
      failure = error;
      stop();
    });
    let connected = false;
    accepted
      .then(({ established }) => established)
      .then(
        () => {
          connected = true;
        },
        () => {
          over = true;
        },
      );
    const stillness = new Stillness(context, silentNs);
    while (!over && !end.flushed) {
      signal?.throwIfAborted();
      if (connected && end.echo()) stillness.moved();
      else {
        stillness.still(CLIENT);
        await end.breathe();
      }
    }
    if (failure !== null) throw failure;
    if (!connected) throw exchangeError('connection', 'none', CLIENT);
    return end.echoed;
  } finally {
    listener.close();
    end.destroy();
  }
}

/** The client of a stock server: messages of each size back and forth, over a channel to its TCP port 47592. */
export async function askFiPingPong(
  context: Context,
  manager: ConnectionManager,
  channel: ByteChannel,
  { address, sizes, iterations }: FiPingPongOptions,
  signal?: AbortSignal,
): Promise<PingPongResult[]> {
  const end = new MessageRing(context);
  try {
    const told = parseAddress(await channel.read(4 + 4 + ADDRESS_BYTES));
    const target = told.address === ANY_ADDRESS ? { ...told, address } : told;
    const connection = await manager.connect(end.take(), target);
    const results: PingPongResult[] = [];
    for (const sizeBytes of sizes) {
      await channel.write(cString(ASK, ASK.length + 1));
      expectText(await channel.read(ANSWER.length + 1), ANSWER);
      const startNs = context.clock.nowNs;
      for (let turn = 0; turn < iterations; turn++) await end.exchange(sizeBytes, signal);
      const elapsedNs = context.clock.nowNs - startNs;
      // Ten bytes without an end: not a string of C.
      await channel.write(cString(String(iterations), COUNT_BYTES + 1).subarray(0, COUNT_BYTES));
      expectText(await channel.read(COUNTED.length + 1), COUNTED);
      results.push({ bytes: 2 * iterations * sizeBytes, elapsedNs, iterations });
    }
    end.memory.set(cString(LAST, LAST.length + 1));
    await end.exchange(LAST.length + 1, signal);
    await channel.close();
    await connection.disconnect();
    return results;
  } finally {
    end.destroy();
  }
}

/** Answers what a client asks over TCP until it hangs up: whether we are here, and how many messages it got. */
async function answerControl(channel: ByteChannel): Promise<void> {
  for (;;) {
    let first: Uint8Array;
    try {
      first = await channel.read(ASK.length + 1);
    } catch {
      // That is how it ends.
      return;
    }
    if (fromCString(first) === ASK && first.at(-1) === 0) {
      await channel.write(cString(ANSWER, ANSWER.length + 1));
      continue;
    }
    const rest = await channel.read(COUNT_BYTES - first.length);
    const count = fromCString(Uint8Array.of(...first, ...rest));
    if (!/^\d+$/.test(count)) throw exchangeError('count of messages', count, 'digits');
    await channel.write(cString(COUNTED, COUNTED.length + 1));
  }
}

function expectText(bytes: Uint8Array, text: string): void {
  const given = fromCString(bytes);
  if (given !== text) throw exchangeError('answer', given, text);
}

/** Length, format and structure. The length and the port are in the network's order, the others in the machine's. */
function emitAddress(address: string, port: number): Uint8Array {
  const bytes = new Uint8Array(4 + 4 + ADDRESS_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, ADDRESS_BYTES);
  view.setUint32(4, FORMAT_IPV4, true);
  view.setUint16(8, FAMILY_IPV4, true);
  view.setUint16(10, port);
  view.setUint32(12, parseIpv4Address(address));
  return bytes;
}

function parseAddress({ buffer, byteOffset, length }: Uint8Array): { address: string; port: number } {
  const view = new DataView(buffer, byteOffset, length);
  const format = view.getUint32(4, true);
  if (view.getUint32(0) !== ADDRESS_BYTES || format !== FORMAT_IPV4)
    throw exchangeError(
      'format of the address',
      format,
      `${FORMAT_IPV4}: IPv4 (fi_pingpong -p verbs -e msg)`,
    );
  return { address: formatIpv4Address(view.getUint32(12)), port: view.getUint16(10) };
}

/** A queue pair with as many receives as messages can be under way, each with its place in memory. */
class MessageRing {
  readonly memory = new Uint8Array(RECEIVES * MOST_BYTES);
  /** Messages that were sent back. */
  echoed = 0;
  /** Whether a connection has been given the queue pair. */
  taken = false;
  /** Whether the peer has ended the connection: a client may do so before it hangs up, and what was posted comes back. */
  flushed = false;
  private readonly context: Context;
  private readonly pd: ProtectionDomain;
  private readonly sendCq: CompletionQueue;
  private readonly recvCq: CompletionQueue;
  private readonly region: MemoryRegion;
  private readonly qp: QueuePair;
  private readonly slots = [emptyWorkCompletion()];

  constructor(context: Context) {
    this.context = context;
    this.pd = context.allocPd();
    this.region = this.pd.regMr(this.memory, Access.LOCAL_WRITE);
    this.sendCq = context.createCq({ cqe: RECEIVES });
    this.recvCq = context.createCq({ cqe: RECEIVES });
    const cap = { maxSendWr: RECEIVES, maxRecvWr: RECEIVES, maxSendSge: 1, maxRecvSge: 1 };
    this.qp = this.pd.createQp({ qpType: 'RC', sendCq: this.sendCq, recvCq: this.recvCq, cap });
    this.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: PORT, qpAccessFlags: ACCESS_REMOTE });
    for (let slot = 0; slot < RECEIVES; slot++) this.postReceive(slot);
  }

  /** The queue pair, for the one connection that there is. */
  take(): QueuePair {
    this.taken = true;
    return this.qp;
  }

  /** Sends back what has arrived; whether anything has happened. */
  echo(): boolean {
    const sent = this.poll(this.sendCq, true);
    if (sent !== null) this.postReceive(sent.wrId);
    const came = this.poll(this.recvCq, true);
    if (came === null) return sent !== null;
    this.send(came.wrId, came.byteLen);
    this.echoed++;
    return true;
  }

  /** Sends one message and waits for one. */
  async exchange(sizeBytes: number, signal?: AbortSignal): Promise<void> {
    this.send(0, sizeBytes);
    for (let [sent, came] = [false, false]; !(sent && came); ) {
      signal?.throwIfAborted();
      if (this.poll(this.sendCq) !== null) sent = true;
      const message = this.poll(this.recvCq);
      if (message !== null) {
        if (message.byteLen !== sizeBytes)
          throw exchangeError('message', message.byteLen, `${sizeBytes} bytes`);
        this.postReceive(message.wrId);
        came = true;
      }
      if (!(sent && came)) await this.breathe();
    }
  }

  /** Lets the provider work for a turn. */
  breathe(): Promise<void> {
    const { clock } = this.context;
    return clock.sleep(clock.virtual ? VIRTUAL_TURN_NS : 0);
  }

  destroy(): void {
    this.qp.destroy();
    this.sendCq.destroy();
    this.recvCq.destroy();
    this.region.dereg();
    this.pd.dealloc();
  }

  private send(slot: number, length: number): void {
    const { addr, lkey } = this.region;
    const sgList = [{ addr: addr + slot * MOST_BYTES, length, lkey }];
    this.qp.postSend({ opcode: 'SEND', wrId: slot, sgList, signaled: true });
  }

  private postReceive(slot: number): void {
    const { addr, lkey } = this.region;
    this.qp.postRecv({ wrId: slot, sgList: [{ addr: addr + slot * MOST_BYTES, length: MOST_BYTES, lkey }] });
  }

  private poll(cq: CompletionQueue, mayEnd = false) {
    if (cq.pollInto(this.slots) === 0) return null;
    const [completion] = this.slots;
    if (mayEnd && completion.status === 'WR_FLUSH_ERR') {
      this.flushed = true;
      return null;
    }
    if (completion.status !== 'SUCCESS')
      throw new KelpieError('CANNOT_RUN', 'a message of the test failed', {
        field: 'status',
        given: completion.status,
        allowed: 'SUCCESS',
      });
    return completion;
  }
}
