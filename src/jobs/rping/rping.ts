import { KelpieError } from '../../error.js';
import {
  Access,
  type CompletionChannel,
  type CompletionQueue,
  type Connection,
  type ConnectionManager,
  type Context,
  emptyWorkCompletion,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
  VerbsError,
} from '../../verbs/index.js';

/** rping's port. */
export const RPING_PORT = 7174;
/** An address, a key and a length, big-endian: all that rping's messages carry. */
const INFO_BYTES = 16;
const SEND_ID = 1;
const RECEIVE_ID = 2;
const QUEUE_DEPTH = 16;
/** The letters of rping's text. */
const FIRST_LETTER = 65;
const LAST_LETTER = 122;

/** Choices by rping's own flags. */
export interface RpingOptions {
  /** `-S`: bytes of each ping. */
  sizeBytes: number;
  /** `-C`: pings; a server goes on until the client ends where left out. */
  count?: number;
  /** Told after every ping with the text that went round. */
  onPing?(text: string): void;
}

/** One side's queue pair, messages and data. */
class RpingEnd {
  readonly qp: QueuePair;
  readonly data: Uint8Array;
  readonly sink: Uint8Array;
  /** What the peer told last. */
  remote = { addr: 0, rkey: 0, bytes: 0 };
  private readonly pd: ProtectionDomain;
  private readonly channel: CompletionChannel;
  private readonly cq: CompletionQueue;
  private readonly message = new Uint8Array(2 * INFO_BYTES);
  private readonly regions: MemoryRegion[];
  private readonly slots = [emptyWorkCompletion()];
  private received = 0;
  private sent = 0;
  /** The connection has ended: what was posted came back flushed. */
  private over = false;

  constructor(context: Context, sizeBytes: number) {
    this.pd = context.allocPd();
    this.channel = context.createCompChannel();
    this.cq = context.createCq({ cqe: 2 * QUEUE_DEPTH, channel: this.channel });
    const cap = { maxSendWr: QUEUE_DEPTH, maxRecvWr: 2, maxSendSge: 1, maxRecvSge: 1 };
    this.qp = this.pd.createQp({ qpType: 'RC', sendCq: this.cq, recvCq: this.cq, cap });
    this.data = new Uint8Array(sizeBytes);
    this.sink = new Uint8Array(sizeBytes);
    this.regions = [
      this.pd.regMr(this.message, Access.LOCAL_WRITE),
      this.pd.regMr(this.data, Access.LOCAL_WRITE | Access.REMOTE_READ),
      this.pd.regMr(this.sink, Access.LOCAL_WRITE | Access.REMOTE_WRITE),
    ];
  }

  /** There is always one receive, posted before the connection is asked for or accepted. */
  postReceive(): void {
    const [{ addr, lkey }] = this.regions;
    this.qp.postRecv({ wrId: RECEIVE_ID, sgList: [{ addr: addr + INFO_BYTES, length: INFO_BYTES, lkey }] });
  }

  /** Tells where data lies. */
  async tell(which: 'data' | 'sink'): Promise<void> {
    const region = this.regions[which === 'data' ? 1 : 2];
    const view = new DataView(this.message.buffer);
    view.setBigUint64(0, BigInt(region.iova));
    view.setUint32(8, region.rkey);
    view.setUint32(12, region.lengthBytes);
    const [{ addr, lkey }] = this.regions;
    this.qp.postSend({
      opcode: 'SEND',
      wrId: SEND_ID,
      sgList: [{ addr, length: INFO_BYTES, lkey }],
      signaled: true,
    });
    await this.untilSent();
  }

  /** READs the peer's data into ours, or WRITEs ours into the peer's. */
  async move(opcode: 'RDMA_READ' | 'RDMA_WRITE', bytes: number): Promise<void> {
    const { addr, lkey } = this.regions[1];
    const { addr: remoteAddr, rkey } = this.remote;
    const sgList = [{ addr, length: bytes, lkey }];
    this.qp.postSend({ opcode, wrId: SEND_ID, sgList, remoteAddr, rkey, signaled: true });
    await this.untilSent();
  }

  private async untilSent(): Promise<void> {
    const wanted = this.sent + 1;
    while (this.sent < wanted) {
      if (this.over)
        throw new KelpieError('CANNOT_RUN', 'the connection ended in the middle of a ping', {
          field: 'status',
          given: 'WR_FLUSH_ERR',
          allowed: 'SUCCESS',
        });
      await this.nextCompletion();
    }
  }

  /** Waits for the peer's next message; false where the connection ended instead. */
  async hear(): Promise<boolean> {
    while (this.received === 0 && !this.over) await this.nextCompletion();
    if (this.received === 0) return false;
    this.received--;
    const view = new DataView(this.message.buffer, INFO_BYTES);
    const addr = Number(view.getBigUint64(0));
    this.remote = { addr, rkey: view.getUint32(8), bytes: view.getUint32(12) };
    this.postReceive();
    return true;
  }

  /** Takes one completion; there is always a receive that comes back flushed when the connection ends. */
  private async nextCompletion(): Promise<void> {
    while (this.cq.pollInto(this.slots) === 0) {
      this.cq.reqNotify();
      // What came before the notification was asked for raises none.
      if (this.cq.pollInto(this.slots) > 0) break;
      await this.channel.getCqEvent();
    }
    const [{ status, wrId, byteLen }] = this.slots;
    if (status === 'WR_FLUSH_ERR') {
      this.over = true;
      return;
    }
    if (status !== 'SUCCESS' || (wrId === RECEIVE_ID && byteLen !== INFO_BYTES))
      throw new KelpieError('CANNOT_RUN', 'a request of rping failed', {
        field: 'status',
        given: status === 'SUCCESS' ? `${byteLen} bytes` : status,
        allowed: `SUCCESS, ${INFO_BYTES} bytes`,
      });
    if (wrId === RECEIVE_ID) this.received++;
    else this.sent++;
  }

  destroy(): void {
    this.qp.destroy();
    this.cq.destroy();
    this.channel.destroy();
    for (const region of this.regions) region.dereg();
    this.pd.dealloc();
  }
}

/** The text of a ping: its number, then letters that begin one later each time. */
function fill(data: Uint8Array, ping: number): void {
  const head = `rdma-ping-${ping}: `;
  let letter = FIRST_LETTER + (ping % (LAST_LETTER - FIRST_LETTER + 1));
  for (let at = 0; at < data.length - 1; at++) {
    data[at] = at < head.length ? head.charCodeAt(at) : letter;
    if (at < head.length) continue;
    letter = letter === LAST_LETTER ? FIRST_LETTER : letter + 1;
  }
  data[data.length - 1] = 0;
}

function textOf(data: Uint8Array): string {
  const end = data.indexOf(0);
  return String.fromCharCode(...data.subarray(0, end < 0 ? data.length : end));
}

/**
 * rping's client: asks a server to READ what it has and to WRITE it back, and compares.
 *
 * @example
 * await rpingClient(context, manager, '10.77.0.2', RPING_PORT, { sizeBytes: 64, count: 10 });
 */
export async function rpingClient(
  context: Context,
  manager: ConnectionManager,
  address: string,
  port: number,
  options: RpingOptions,
): Promise<number> {
  const end = new RpingEnd(context, options.sizeBytes);
  try {
    const connecting = manager.connect(end.qp, { address, port, responderResources: 1, initiatorDepth: 1 });
    const connection = await connecting;
    end.postReceive();
    let ping = 0;
    for (; options.count === undefined || ping < options.count; ping++) {
      fill(end.data, ping);
      end.sink.fill(0);
      await end.tell('data');
      if (!(await end.hear())) break;
      await end.tell('sink');
      if (!(await end.hear())) break;
      if (textOf(end.sink) !== textOf(end.data))
        throw new KelpieError('CANNOT_RUN', 'what came back is not what was sent', {
          field: 'data',
          given: textOf(end.sink),
          allowed: textOf(end.data),
        });
      options.onPing?.(textOf(end.sink));
    }
    await connection.disconnect();
    return ping;
  } finally {
    end.destroy();
  }
}

/**
 * The first client whose connection is established. Each request gets an end of its own, so that one that is never
 * finished keeps nobody out.
 */
function firstClient(
  context: Context,
  manager: ConnectionManager,
  port: number,
  sizeBytes: number,
): Promise<{ end: RpingEnd; connection: Connection }> {
  return new Promise((resolve) => {
    let found = false;
    const listener = manager.listen(port, (request) => {
      const end = new RpingEnd(context, sizeBytes);
      try {
        const connection = request.accept(end.qp, { responderResources: 1, initiatorDepth: 1 });
        end.postReceive();
        // Where the device was closed meanwhile there is nothing to destroy.
        const discard = () => {
          try {
            end.destroy();
          } catch (error) {
            if (!(error instanceof VerbsError && error.code === 'OBJECT_DESTROYED')) throw error;
          }
        };
        const established = () => {
          if (found) {
            // Somebody else was first.
            void connection.disconnect().then(discard);
            return;
          }
          found = true;
          listener.close();
          resolve({ end, connection });
        };
        connection.established.then(established, discard);
      } catch (error) {
        end.destroy();
        throw error;
      }
    });
  });
}

/**
 * rping's server: serves one client and says how many pings there were.
 *
 * @example
 * const pings = await rpingServer(context, manager, RPING_PORT, { sizeBytes: 64 });
 */
export async function rpingServer(
  context: Context,
  manager: ConnectionManager,
  port: number,
  options: RpingOptions,
): Promise<number> {
  const { end, connection } = await firstClient(context, manager, port, options.sizeBytes);
  try {
    let pings = 0;
    for (; options.count === undefined || pings < options.count; pings++) {
      if (!(await end.hear())) break;
      await end.move('RDMA_READ', Math.min(end.remote.bytes, options.sizeBytes));
      options.onPing?.(textOf(end.data));
      await end.tell('data');
      if (!(await end.hear())) break;
      await end.move('RDMA_WRITE', Math.min(end.remote.bytes, textOf(end.data).length + 1));
      await end.tell('data');
    }
    await connection.disconnected;
    return pings;
  } finally {
    end.destroy();
  }
}
