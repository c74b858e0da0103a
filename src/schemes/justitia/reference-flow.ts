import {
  Access,
  type CompletionQueue,
  type Context,
  emptyWorkCompletion,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
} from '../../verbs/index.js';
import { connectOwn } from '../interposer/index.js';

/** Short messages of the scheme's own, one at a time: what a latency-sensitive tenant would see. */
export class ReferenceFlow {
  readonly cq: CompletionQueue;
  private readonly qps: [QueuePair, QueuePair];
  private readonly domains: [ProtectionDomain, ProtectionDomain];
  private readonly regions: [MemoryRegion, MemoryRegion];
  private readonly farCq: CompletionQueue;
  private readonly slots = [emptyWorkCompletion()];
  private sentNs = -1;
  private readonly bytes: number;

  constructor(near: Context, far: Context, bytes: number) {
    this.bytes = bytes;
    this.domains = [near.allocPd(), far.allocPd()];
    this.cq = near.createCq({ cqe: 2 });
    this.farCq = far.createCq({ cqe: 2 });
    this.qps = connectOwn(
      { context: near, pd: this.domains[0], sendCq: this.cq, recvCq: this.cq, depth: 2 },
      { context: far, pd: this.domains[1], sendCq: this.farCq, recvCq: this.farCq, depth: 2 },
    );
    this.regions = [
      this.domains[0].regMr(new Uint8Array(bytes), Access.LOCAL_WRITE),
      this.domains[1].regMr(new Uint8Array(bytes), Access.LOCAL_WRITE | Access.REMOTE_WRITE),
    ];
  }

  /** Sends one, unless one is under way. */
  send(nowNs: number): void {
    if (this.sentNs >= 0) return;
    const [near, far] = this.regions;
    this.sentNs = nowNs;
    this.qps[0].postSend({
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

  close(): void {
    for (const qp of this.qps) qp.destroy();
    for (const region of this.regions) region.dereg();
    for (const cq of [this.cq, this.farCq]) cq.destroy();
    for (const pd of this.domains) pd.dealloc();
  }
}
