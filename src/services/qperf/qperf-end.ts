import { KelpieError } from '../../error.js';
import {
  ACCESS_REMOTE,
  Access,
  type CompletionQueue,
  type Context,
  emptyWorkCompletion,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
  type RecvWr,
  type SendWr,
} from '../../verbs/index.js';
import type { QperfNode } from './messages.js';
import type { QperfTest } from './test-table.js';

const POLL_BATCH = 16;
const PORT = 1;
const ATOMIC_BYTES = 8;

/** How many requests of each kind a side has at a time. */
export interface QperfDepths {
  send: number;
  receive: number;
}

/** One side's queue pair and memory. As in qperf, all messages of a side are in the same place. */
export class QperfEnd {
  readonly context: Context;
  readonly qp: QueuePair;
  readonly memory: Uint8Array;
  readonly depths: QperfDepths;
  readonly sizeBytes: number;
  private readonly pd: ProtectionDomain;
  private readonly sendCq: CompletionQueue;
  private readonly recvCq: CompletionQueue;
  private readonly region: MemoryRegion;
  private readonly receive: RecvWr;
  private readonly slots = Array.from({ length: POLL_BATCH }, emptyWorkCompletion);

  constructor(context: Context, sizeBytes: number, depths: QperfDepths) {
    this.context = context;
    this.depths = depths;
    this.sizeBytes = sizeBytes;
    // qperf's word for nothing is one byte.
    this.memory = new Uint8Array(Math.max(1, sizeBytes));
    this.pd = context.allocPd();
    this.region = this.pd.regMr(this.memory, Access.LOCAL_WRITE | ACCESS_REMOTE);
    this.sendCq = context.createCq({ cqe: depths.send + 1 });
    this.recvCq = context.createCq({ cqe: depths.receive + 1 });
    const cap = {
      ...{ maxSendWr: Math.max(1, depths.send), maxRecvWr: Math.max(1, depths.receive) },
      ...{ maxSendSge: 1, maxRecvSge: 1 },
    };
    this.qp = this.pd.createQp({ qpType: 'RC', sendCq: this.sendCq, recvCq: this.recvCq, cap });
    this.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: PORT, qpAccessFlags: ACCESS_REMOTE });
    const { addr, lkey } = this.region;
    this.receive = { sgList: [{ addr, length: this.memory.length, lkey }] };
    this.postReceives(depths.receive);
  }

  get node(): QperfNode {
    return { addr: this.region.iova, rkey: this.region.rkey };
  }

  /** The request that a test posts over and over; `slot` is where an atomic puts what it brings back. */
  requestOf(opcode: QperfTest['opcode'], theirs: QperfNode, slot = 0): SendWr {
    const { addr, lkey } = this.region;
    const remote = { remoteAddr: theirs.addr, rkey: theirs.rkey, signaled: true, wrId: slot };
    const sgList = [{ addr, length: this.sizeBytes, lkey }];
    const old = [{ addr: addr + ATOMIC_BYTES * slot, length: ATOMIC_BYTES, lkey }];
    switch (opcode) {
      case 'SEND':
        return { opcode, sgList, signaled: true };
      case 'RDMA_WRITE_WITH_IMM':
        return { opcode, sgList, ...remote, immData: 0 };
      case 'ATOMIC_CMP_AND_SWP':
        return { opcode, sgList: old, ...remote, compareAdd: 0n, swap: 0n };
      case 'ATOMIC_FETCH_AND_ADD':
        return { opcode, sgList: old, ...remote, compareAdd: 0n };
      default:
        return { opcode, sgList, ...remote };
    }
  }

  postReceives(count: number): void {
    for (let index = 0; index < count; index++) this.qp.postRecv(this.receive);
  }

  /** How many requests have ended; throws where one failed. `each` hears of every one's slot. */
  ended(each?: (slot: number) => void): number {
    return this.poll(this.sendCq, each);
  }

  /** How many messages have arrived. */
  arrived(): number {
    return this.poll(this.recvCq);
  }

  private poll(cq: CompletionQueue, each?: (slot: number) => void): number {
    const count = cq.pollInto(this.slots);
    for (let index = 0; index < count; index++) {
      const { status, wrId } = this.slots[index];
      if (status !== 'SUCCESS')
        throw new KelpieError('CANNOT_RUN', 'a request of the test failed', {
          field: 'status',
          given: status,
          allowed: 'SUCCESS',
        });
      each?.(wrId);
    }
    return count;
  }

  destroy(): void {
    this.qp.destroy();
    this.sendCq.destroy();
    this.recvCq.destroy();
    this.region.dereg();
    this.pd.dealloc();
  }
}
