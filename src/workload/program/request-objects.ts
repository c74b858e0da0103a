import type { AddressHandle, QueuePair, SendOpcode, SendWr, Sge } from '../../verbs/index.js';
import type { Operation, Tenant } from '../description/description.js';
import type { MessagePlan } from '../description/message-plan.js';
import { isInline, QKEY, type Requests } from './requests.js';
import type { Sender } from './sender.js';
import { makeWrId } from './wr-id.js';

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
  ah: AddressHandle | undefined;
  remoteQpn: number | undefined;
  remoteQkey: number | undefined;
}

/** A batch of requests as objects, for what columns cannot say and queue pairs that take none. */
export class RequestObjects implements Requests {
  private readonly batch: number;
  private readonly requests: ReusedRequest[];
  /** For each request, its element lists by number of elements: a list is never made longer or shorter. */
  private readonly lists: Sge[][][];
  private readonly inlineData: (Uint8Array | null)[];

  constructor(tenant: Tenant, plan: MessagePlan) {
    this.batch = tenant.batch;
    const counts = new Set(plan.elements.map((elements) => elements.length));
    this.lists = Array.from({ length: tenant.batch }, () => {
      const byCount: Sge[][] = [];
      for (const count of counts)
        byCount[count] = Array.from({ length: count }, () => ({ addr: 0, length: 0, lkey: 0 }));
      return byCount;
    });
    this.requests = Array.from({ length: tenant.batch }, () => emptyRequest(tenant.transport === 'UD'));
    this.inlineData = plan.operations.map((operation, index) =>
      isInline(operation, plan.bytes[index], tenant.inlineBytes) ? new Uint8Array(plan.bytes[index]) : null,
    );
  }

  fill(slot: number, sender: Sender, sequence: number, signalled: boolean): number {
    const request = this.requests[slot];
    const { plan, position, local, remote, cursor } = sender;
    const bytes = sender.bytesAt(sequence);
    cursor.advance(local, bytes, slot, plan.length);
    const localRow = local.first + cursor.index;
    const remoteRow = remote.first + cursor.remoteIndex;
    request.opcode = OPCODES[plan.operations[position]];
    request.wrId = makeWrId(sender.index, false, sequence);
    request.signaled = signalled;
    request.remoteAddr = remote.table.iovas[remoteRow] + cursor.offset;
    request.rkey = remote.table.rkeys[remoteRow];
    const inline = bytes < plan.bytes[position] ? null : this.inlineData[position];
    if (inline !== null) {
      request.inlineData = inline;
      request.sgList = undefined;
    } else {
      const elements = plan.elements[position];
      const list = this.lists[slot][elements.length];
      const start = local.table.addrs[localRow] + cursor.offset;
      fillElements(list, elements, bytes, start, local.table.lkeys[localRow]);
      request.inlineData = undefined;
      request.sgList = list;
    }
    if (sender.target !== null) {
      request.ah = sender.target.ah;
      request.remoteQpn = sender.target.remoteQpn;
    }
    return bytes;
  }

  post(qp: QueuePair, _target: Sender['target'], count: number): void {
    const { requests } = this;
    if (count === 1) qp.postSend(requests[0] as SendWr);
    else qp.postSend((count === this.batch ? requests : requests.slice(0, count)) as SendWr[]);
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

/** All fields from the start: objects of one form are filled and read fastest. */
function emptyRequest(datagram: boolean): ReusedRequest {
  return {
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
    ah: undefined,
    remoteQpn: undefined,
    remoteQkey: datagram ? QKEY : undefined,
  };
}
