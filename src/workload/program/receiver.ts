import type { QueuePair, RecvWr, Sge, WorkCompletion } from '../../verbs/index.js';
import type { Operation } from '../description/description.js';
import type { Delivered, MessagePlan } from '../description/message-plan.js';
import type { RegionCursor, RegionSet } from './regions.js';
import type { Sender } from './sender.js';
import { makeWrId } from './wr-id.js';

/** The GRH that stands before a datagram in its receive buffer. */
export const GRH_BYTES = 40;

/** Work requests that all receivers of a worker fill in turn: the provider copies them at the post. */
export class ReceiveRequests {
  readonly batch: number;
  readonly requests: readonly (RecvWr & { wrId: number; sgList: Sge[] })[];
  private readonly elementBytes: readonly number[];
  private readonly totalBytes: number;

  constructor(batch: number, sge: number, bytes: number) {
    this.batch = batch;
    this.totalBytes = bytes;
    const each = Math.ceil(bytes / sge);
    this.elementBytes = Array.from({ length: sge }, (_, index) =>
      Math.max(0, Math.min(each, bytes - index * each)),
    );
    this.requests = Array.from({ length: batch }, () => ({
      wrId: 0,
      sgList: this.elementBytes.map((length) => ({ addr: 0, length, lkey: 0 })),
    }));
  }

  /** Names the memory of request `slot`. */
  fill(slot: number, wrId: number, set: RegionSet, cursor: RegionCursor): void {
    cursor.advance(set, this.totalBytes, slot, 1);
    const request = this.requests[slot];
    request.wrId = wrId;
    const row = set.first + cursor.index;
    let addr = set.table.addrs[row] + cursor.offset;
    const lkey = set.table.lkeys[row];
    for (let index = 0; index < request.sgList.length; index++) {
      const element = request.sgList[index];
      element.addr = addr;
      element.lkey = lkey;
      addr += this.elementBytes[index];
    }
  }
}

/** What a receiver is made of. */
export interface ReceiverParts {
  qp: QueuePair;
  /** Position among the receivers of its worker. */
  index: number;
  plan: MessagePlan;
  local: RegionSet;
  cursor: RegionCursor;
  delivered: Delivered;
  /** Ping-pong: who answers each message. */
  answer: Sender | null;
  /** Ping-pong: an arrival is the answer to what `answer` sent. */
  endsRoundTrip: boolean;
}

/** One queue pair's receiving side: counts what arrives and posts as many receives again, a batch at a time. */
export class Receiver {
  readonly qp: QueuePair;
  readonly answer: Sender | null;
  failed = false;
  private readonly index: number;
  private readonly plan: MessagePlan;
  private readonly local: RegionSet;
  private readonly cursor: RegionCursor;
  private readonly delivered: Delivered;
  private readonly endsRoundTrip: boolean;
  private readonly datagram: boolean;
  private posted = 0;
  private used = 0;

  constructor(parts: ReceiverParts) {
    this.qp = parts.qp;
    this.index = parts.index;
    this.plan = parts.plan;
    this.local = parts.local;
    this.cursor = parts.cursor;
    this.delivered = parts.delivered;
    this.answer = parts.answer;
    this.endsRoundTrip = parts.endsRoundTrip;
    this.datagram = parts.qp.qpType === 'UD';
  }

  /** Posts one batch of receives. */
  post(requests: ReceiveRequests): void {
    const { batch } = requests;
    for (let slot = 0; slot < batch; slot++) {
      requests.fill(slot, makeWrId(this.index, true, this.posted++), this.local, this.cursor);
    }
    this.qp.postRecv(batch === 1 ? requests.requests[0] : requests.requests);
  }

  /** Counts an arrival and, when a batch of receives is used up, posts the next. */
  noteArrival(completion: WorkCompletion, requests: ReceiveRequests, nowNs: number): void {
    const bytes = completion.byteLen - (this.datagram ? GRH_BYTES : 0);
    this.plan.addReceived(operationOf(completion), bytes, this.delivered);
    if (++this.used >= requests.batch) {
      this.used -= requests.batch;
      this.post(requests);
    }
    if (this.endsRoundTrip) this.answer?.noteAnswered(nowNs);
  }
}

function operationOf(completion: WorkCompletion): Operation {
  if (completion.opcode === 'RECV_RDMA_WITH_IMM') return 'WRITE_WITH_IMM';
  return completion.withImm ? 'SEND_WITH_IMM' : 'SEND';
}
