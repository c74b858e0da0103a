import { KelpieError } from '../../error.js';
import {
  Access,
  type CompletionQueue,
  type Connection,
  type Context,
  emptyWorkCompletion,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
} from '../../verbs/index.js';
import { firstOf, unlessStopped, untilAccepted } from './by-manager.js';
import type { ByteChannel } from './byte-channel.js';
import type { PeerOptions } from './peer-options.js';

/** No message of the exchange is longer. */
const MOST_BYTES = 256;
/** Both sides speak in turns, so that a few are plenty. */
const RECEIVES = 4;
const SEND_ID = RECEIVES;
const POLL_NS = 20_000;

/**
 * What programs tell each other, as SENDs over a connection that RDMA-CM makes: perftest's exchange with `-R`. Each
 * `write` is a message, and each `read` takes one.
 */
export class MessageChannel implements ByteChannel {
  readonly binary = true;
  private readonly context: Context;
  private readonly signal: AbortSignal;
  private readonly pd: ProtectionDomain;
  private readonly cq: CompletionQueue;
  private readonly qp: QueuePair;
  private readonly memory = new Uint8Array((RECEIVES + 1) * MOST_BYTES);
  private readonly region: MemoryRegion;
  private readonly slots = [emptyWorkCompletion()];
  /** Messages that nobody has read, by the receive that they came in: a peer can send no more than there are. */
  private readonly arrived: { slot: number; message: Uint8Array }[] = [];
  private sent = 0;
  private connection: Connection | null = null;
  private over = false;
  private closed = false;

  private constructor(context: Context, signal: AbortSignal) {
    this.context = context;
    this.signal = signal;
    this.pd = context.allocPd();
    this.cq = context.createCq({ cqe: 2 * RECEIVES + 2 });
    const cap = { maxSendWr: 2, maxRecvWr: RECEIVES, maxSendSge: 1, maxRecvSge: 1 };
    this.qp = this.pd.createQp({ qpType: 'RC', sendCq: this.cq, recvCq: this.cq, cap });
    this.region = this.pd.regMr(this.memory, Access.LOCAL_WRITE);
    this.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: Access.LOCAL_WRITE });
    for (let slot = 0; slot < RECEIVES; slot++) this.postReceive(slot);
  }

  /** Asks the server for one, or waits for a client that asks. */
  static open(
    context: Context,
    role: PeerOptions['role'],
    cm: NonNullable<PeerOptions['cm']>,
    signal: AbortSignal,
  ): Promise<MessageChannel> {
    const { manager, address, port } = cm;
    if (role === 'server') return MessageChannel.accept(context, cm, signal);
    const asked = () =>
      untilAccepted(context, async () => {
        const channel = new MessageChannel(context, signal);
        try {
          channel.connection = await manager.connect(channel.qp, { address, port });
          return channel;
        } catch (error) {
          await channel.close();
          throw error;
        }
      });
    return unlessStopped(signal, asked());
  }

  /** The first that asks and goes on. Each request has its own channel: one that is never finished keeps nobody out. */
  private static accept(
    context: Context,
    { manager, port }: NonNullable<PeerOptions['cm']>,
    signal: AbortSignal,
  ): Promise<MessageChannel> {
    let chosen: MessageChannel | null = null;
    return firstOf(signal, (resolve, reject) => {
      const listener = manager.listen(port, (request) => {
        const channel = new MessageChannel(context, signal);
        const discard = () => channel.close();
        try {
          channel.connection = request.accept(channel.qp);
        } catch (error) {
          void discard();
          throw error;
        }
        const established = () => {
          if (chosen !== null) return discard();
          chosen = channel;
          listener.close();
          return resolve(channel);
        };
        channel.connection.established.then(established, discard).catch(reject);
      });
      return () => listener.close();
    });
  }

  get peerAddress(): string | undefined {
    return this.connection?.address;
  }

  async read(bytes: number): Promise<Uint8Array> {
    await this.until(() => this.arrived.length > 0, bytes);
    const { slot, message } = this.arrived.shift() as (typeof this.arrived)[0];
    if (!this.over) this.postReceive(slot);
    if (message.length < bytes) throw broken('message', message.length, `${bytes} bytes`);
    return message.subarray(0, bytes);
  }

  async write(bytes: Uint8Array): Promise<void> {
    const at = SEND_ID * MOST_BYTES;
    this.memory.set(bytes, at);
    const wanted = this.sent + 1;
    const sgList = [{ addr: this.region.addr + at, length: bytes.length, lkey: this.region.lkey }];
    this.qp.postSend({ opcode: 'SEND', wrId: SEND_ID, sgList, signaled: true });
    await this.until(() => this.sent === wanted, bytes.length);
  }

  async hungUp(): Promise<void> {
    await this.connection?.disconnected;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.over = true;
    await this.connection?.disconnect();
    this.qp.destroy();
    this.cq.destroy();
    this.region.dereg();
    this.pd.dealloc();
  }

  private postReceive(slot: number): void {
    const { addr, lkey } = this.region;
    const sgList = [{ addr: addr + slot * MOST_BYTES, length: MOST_BYTES, lkey }];
    this.qp.postRecv({ wrId: slot, sgList });
  }

  /** Takes completions until something has happened. */
  private async until(happened: () => boolean, bytes: number): Promise<void> {
    while (!happened()) {
      if (this.over) throw broken('peer', 'the end of its connection', `${bytes} more bytes`);
      this.signal.throwIfAborted();
      if (this.cq.pollInto(this.slots) === 0) {
        await this.context.clock.sleep(POLL_NS);
        continue;
      }
      const [{ status, wrId, byteLen }] = this.slots;
      if (status !== 'SUCCESS') this.over = true;
      else if (wrId === SEND_ID) this.sent++;
      else {
        const at = wrId * MOST_BYTES;
        this.arrived.push({ slot: wrId, message: this.memory.slice(at, at + byteLen) });
      }
    }
  }
}

function broken(field: string, given: unknown, allowed: string): KelpieError {
  return new KelpieError('CANNOT_RUN', 'the peer hung up in the middle of the exchange', {
    field,
    given,
    allowed,
  });
}
