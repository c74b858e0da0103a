import type { CompletionQueue } from '../../completion-queue.js';
import type { Context } from '../../context.js';
import type { MemoryRegion } from '../../memory.js';
import type { ProtectionDomain } from '../../protection-domain.js';
import type { QpCap, QpType, QueuePair, QueuePlacement } from '../../queue-pair.js';
import type { SharedReceiveQueue } from '../../shared-receive-queue.js';
import type { RecvWr, Sge } from '../../work-request.js';

/** What a case chooses about one end; the rest has defaults. */
export interface EndOptions {
  qpType?: QpType;
  cap?: Partial<QpCap>;
  sqSigAll?: boolean;
  managedSend?: boolean;
  placement?: QueuePlacement;
  srq?: SharedReceiveQueue;
  pd?: ProtectionDomain;
  sendCq?: CompletionQueue;
  recvCq?: CompletionQueue;
  /** The registered bytes, or how many; default: 8192. */
  memory?: Uint8Array | number;
  /** Access flags of the region; default: everything but ZERO_BASED. */
  access?: number;
}

/** One end of a connection: a queue pair, its completion queues and one registered region, ready to be named. */
export class End {
  readonly context: Context;
  readonly qp: QueuePair;
  readonly mr: MemoryRegion;
  readonly memory: Uint8Array;

  constructor(context: Context, qp: QueuePair, mr: MemoryRegion, memory: Uint8Array) {
    this.context = context;
    this.qp = qp;
    this.mr = mr;
    this.memory = memory;
  }

  get pd(): ProtectionDomain {
    return this.qp.pd;
  }

  get sendCq(): CompletionQueue {
    return this.qp.sendCq;
  }

  get recvCq(): CompletionQueue {
    return this.qp.recvCq;
  }

  /** A scatter-gather list of one element. */
  at(offset: number, length: number): Sge[] {
    return [this.sge(offset, length)];
  }

  /** One scatter-gather element. */
  sge(offset: number, length: number): Sge {
    return { addr: this.mr.addr + offset, length, lkey: this.mr.lkey };
  }

  /** How a peer names a place in this end's region. */
  target(offset: number): { remoteAddr: number; rkey: number } {
    return { remoteAddr: this.mr.iova + offset, rkey: this.mr.rkey };
  }

  /** A receive into this end's region. */
  recv(wrId: number, offset: number, length: number): RecvWr {
    return { wrId, sgList: this.at(offset, length) };
  }

  /** The bytes at a place. */
  bytes(offset: number, length: number): Uint8Array {
    return this.memory.subarray(offset, offset + length);
  }

  /** A copy of the bytes at a place. */
  copy(offset: number, length: number): Uint8Array {
    return this.memory.slice(offset, offset + length);
  }
}
