import type { AddressHandle, SendOpcode, SendWr, Sge } from '../../verbs/index.js';
import type { Operation, Tenant } from '../description/description.js';
import type { MessagePlan } from '../description/message-plan.js';
import type { Sender } from './sender.js';
import { makeWrId } from './wr-id.js';

/** The Q_Key of every datagram queue pair of a workload. */
export const QKEY = 0x22222222;

const OPCODES: Readonly<Record<Operation, SendOpcode>> = {
  WRITE: 'RDMA_WRITE',
  WRITE_WITH_IMM: 'RDMA_WRITE_WITH_IMM',
  READ: 'RDMA_READ',
  SEND: 'SEND',
  SEND_WITH_IMM: 'SEND_WITH_IMM',
  COMPARE_SWAP: 'ATOMIC_CMP_AND_SWP',
  FETCH_ADD: 'ATOMIC_FETCH_AND_ADD',
};

/** A work request whose every field can be set again: one object serves all messages. */
interface ReusedRequest {
  opcode: SendOpcode;
  wrId: number;
  sgList: Sge[] | undefined;
  inlineData: Uint8Array | undefined;
  signaled: boolean;
  remoteAddr: number;
  rkey: number;
  immData: number;
  compareAdd: bigint;
  swap: bigint;
  ah?: AddressHandle;
  remoteQpn?: number;
  remoteQkey?: number;
}

/** Fills and posts the send requests of a worker: a batch of request objects, reused for every queue pair. */
export class Poster {
  private readonly batch: number;
  private readonly signalEvery: number;
  private readonly inlineBytes: number;
  private readonly requests: ReusedRequest[];
  /** For each request, its element lists by number of elements: a list is never made longer or shorter. */
  private readonly lists: Sge[][][];
  private readonly inlineData: (Uint8Array | null)[];

  constructor(tenant: Tenant, plan: MessagePlan) {
    this.batch = tenant.batch;
    this.signalEvery = tenant.signalEvery;
    this.inlineBytes = tenant.inlineBytes;
    const counts = new Set(plan.elements.map((elements) => elements.length));
    this.lists = Array.from({ length: tenant.batch }, () => {
      const byCount: Sge[][] = [];
      for (const count of counts)
        byCount[count] = Array.from({ length: count }, () => ({ addr: 0, length: 0, lkey: 0 }));
      return byCount;
    });
    this.requests = Array.from({ length: tenant.batch }, () => emptyRequest(tenant.transport === 'UD'));
    this.inlineData = plan.operations.map((operation, index) =>
      isInline(operation, plan.bytes[index], this.inlineBytes) ? new Uint8Array(plan.bytes[index]) : null,
    );
  }

  /**
   * Posts `count` messages of a sender. The last one of the sender's first post asks for a completion, and from there
   * on every `signalEvery`-th, and the very last. `postedNs` is the time of the core that posts, `nowNs` that of its step.
   */
  post(sender: Sender, count: number, isLast: boolean, postedNs: number, nowNs: number): number {
    let bytes = 0;
    for (let slot = 0; slot < count; slot++) {
      const end = slot === count - 1;
      const signalled = ++sender.unsignalled >= this.signalEvery || (end && (isLast || sender.posted === 0));
      if (signalled) {
        sender.unsignalled = 0;
        sender.noteSignalled(sender.posted + slot, postedNs);
      }
      bytes += this.fill(this.requests[slot], this.lists[slot], sender, sender.posted + slot, signalled);
    }
    if (count === 1) sender.qp.postSend(this.requests[0] as SendWr);
    else
      sender.qp.postSend((count === this.batch ? this.requests : this.requests.slice(0, count)) as SendWr[]);
    sender.notePosted(count, postedNs, nowNs);
    return bytes;
  }

  private fill(
    request: ReusedRequest,
    lists: Sge[][],
    sender: Sender,
    sequence: number,
    signalled: boolean,
  ): number {
    const { plan, position, local, remote, cursor } = sender;
    const operation = plan.operations[position];
    const partial = sequence === 0 && sender.firstBytes >= 0;
    const bytes = partial ? sender.firstBytes : plan.bytes[position];
    cursor.advance(local, bytes);
    const localRow = local.first + cursor.index;
    const remoteRow = remote.first + cursor.index;
    request.opcode = OPCODES[operation];
    request.wrId = makeWrId(sender.index, false, sequence);
    request.signaled = signalled;
    request.remoteAddr = remote.table.iovas[remoteRow] + cursor.offset;
    request.rkey = remote.table.rkeys[remoteRow];
    const inline = partial ? null : this.inlineData[position];
    if (inline !== null) {
      request.inlineData = inline;
      request.sgList = undefined;
    } else {
      const elements = plan.elements[position];
      const list = lists[elements.length];
      fillElements(
        list,
        elements,
        bytes,
        local.table.addrs[localRow] + cursor.offset,
        local.table.lkeys[localRow],
      );
      request.inlineData = undefined;
      request.sgList = list;
    }
    if (sender.target !== null) {
      request.ah = sender.target.ah;
      request.remoteQpn = sender.target.qpn;
    }
    sender.position = position + 1 === plan.length ? 0 : position + 1;
    return bytes;
  }
}

function fillElements(
  list: Sge[],
  elements: readonly number[],
  bytes: number,
  start: number,
  lkey: number,
): void {
  let addr = start;
  let left = bytes;
  for (let index = 0; index < list.length; index++) {
    const length = Math.min(left, elements[index]);
    const element = list[index];
    element.addr = addr;
    element.length = length;
    element.lkey = lkey;
    addr += length;
    left -= length;
  }
}

function isInline(operation: Operation, bytes: number, inlineBytes: number): boolean {
  return (
    bytes > 0 &&
    bytes <= inlineBytes &&
    operation !== 'READ' &&
    operation !== 'COMPARE_SWAP' &&
    operation !== 'FETCH_ADD'
  );
}

function emptyRequest(datagram: boolean): ReusedRequest {
  const request: ReusedRequest = {
    opcode: 'SEND',
    wrId: 0,
    sgList: undefined,
    inlineData: undefined,
    signaled: false,
    remoteAddr: 0,
    rkey: 0,
    immData: 0,
    compareAdd: 0n,
    swap: 1n,
  };
  return datagram ? { ...request, remoteQkey: QKEY } : request;
}
