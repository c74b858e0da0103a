import {
  Access,
  type CompletionQueue,
  type Context,
  emptyWorkCompletion,
  type MemoryRegion,
  type QueuePair,
} from '../../verbs/index.js';
import { connectOwn } from '../interposer/index.js';

/** Short messages of the scheme's own, one at a time: what a latency-sensitive tenant would see. */
export class ReferenceFlow {
  readonly cq: CompletionQueue;
  private readonly qp: QueuePair;
  private readonly regions: [MemoryRegion, MemoryRegion];
  private readonly slots = [emptyWorkCompletion()];
  private sentNs = -1;
  private readonly bytes: number;

  constructor(near: Context, far: Context, bytes: number) {
    this.bytes = bytes;
    const domains = [near.allocPd(), far.allocPd()];
    const farCq = far.createCq({ cqe: 2 });
    this.cq = near.createCq({ cqe: 2 });
    [this.qp] = connectOwn(
      { context: near, pd: domains[0], sendCq: this.cq, recvCq: this.cq, depth: 2 },
      { context: far, pd: domains[1], sendCq: farCq, recvCq: farCq, depth: 2 },
    );
    this.regions = [
      domains[0].regMr(new Uint8Array(bytes), Access.LOCAL_WRITE),
      domains[1].regMr(new Uint8Array(bytes), Access.LOCAL_WRITE | Access.REMOTE_WRITE),
    ];
  }

  /** Sends one, unless one is under way. */
  send(nowNs: number): void {
    if (this.sentNs >= 0) return;
    const [near, far] = this.regions;
    this.sentNs = nowNs;
    this.qp.postSend({
      opcode: 'RDMA_WRITE',
      sgList: [{ addr: near.addr, length: this.bytes, lkey: near.lkey }],
      remoteAddr: far.iova,
      rkey: far.rkey,
      signaled: true,
    });
  }

  /** How long the last one took, once, or null; 0 before the first, which starts the flow. */
  take(nowNs: number): number | null {
    if (this.sentNs < 0) {
      this.send(nowNs);
      return null;
    }
    if (this.cq.pollInto(this.slots) === 0) return null;
    const tookNs = this.slots[0].timestampNs - this.sentNs;
    this.sentNs = -1;
    return tookNs;
  }
}
