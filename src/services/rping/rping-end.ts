import { KelpieError } from '../../error.js';
import {
  ACCESS_REMOTE,
  Access,
  type CompletionChannel,
  type CompletionQueue,
  type Context,
  emptyWorkCompletion,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
} from '../../verbs/index.js';

/** An address, a key and a length, big-endian: all that rping's messages carry. */
const INFO_BYTES = 16;
const SEND_ID = 1;
const RECEIVE_ID = 2;
const QUEUE_DEPTH = 16;

/** One side's queue pair, messages and data. */
export class RpingEnd {
  readonly qp: QueuePair;
  readonly data: Uint8Array;
  readonly sink: Uint8Array;
  /** What the peer told last. */
  remote = { addr: 0n, rkey: 0, bytes: 0 };
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
    this.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: ACCESS_REMOTE });
    this.postReceive();
  }

  /** There is always one receive: the first before the connection is asked for or accepted. */
  private postReceive(): void {
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
    this.remote = { addr: view.getBigUint64(0), rkey: view.getUint32(8), bytes: view.getUint32(12) };
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
