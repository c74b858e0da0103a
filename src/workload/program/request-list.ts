import { LIST_OPCODES, type QueuePair, SendList } from '../../verbs/index.js';
import type { Operation, Tenant } from '../description/description.js';
import type { MessagePlan } from '../description/message-plan.js';
import { isInline, type Requests } from './requests.js';
import type { Sender } from './sender.js';
import { makeWrId } from './wr-id.js';

/** What lists call the operations of a plan; those that are missing need objects. */
const CODES: Readonly<Partial<Record<Operation, number>>> = {
  WRITE: LIST_OPCODES.indexOf('RDMA_WRITE'),
  WRITE_WITH_IMM: LIST_OPCODES.indexOf('RDMA_WRITE_WITH_IMM'),
  READ: LIST_OPCODES.indexOf('RDMA_READ'),
  SEND: LIST_OPCODES.indexOf('SEND'),
  SEND_WITH_IMM: LIST_OPCODES.indexOf('SEND_WITH_IMM'),
};

/** A batch of requests as columns. */
export class RequestList implements Requests {
  /** By position in the plan. */
  private readonly codes: Uint8Array;
  private readonly list: SendList;

  constructor(tenant: Tenant, plan: MessagePlan) {
    this.codes = Uint8Array.from(plan.operations, (operation) => CODES[operation]!);
    this.list = new SendList(tenant.batch, Math.max(1, ...plan.elements.map(({ length }) => length)));
  }

  /** Whether columns can say all of a plan, and a queue pair takes them. */
  static fits({ inlineBytes }: Tenant, plan: MessagePlan): boolean {
    return plan.operations.every(
      (operation, index) =>
        CODES[operation] !== undefined && !isInline(operation, plan.bytes[index], inlineBytes),
    );
  }

  fill(slot: number, sender: Sender, sequence: number, signalled: boolean): number {
    const { list } = this;
    const { plan, position, local, remote, cursor } = sender;
    const bytes = sender.bytesAt(sequence);
    cursor.advance(local, bytes, slot, plan.length);
    const row = local.first + cursor.index;
    const remoteRow = remote.first + cursor.remoteIndex;
    list.opcode[slot] = this.codes[position];
    list.wrId[slot] = makeWrId(sender.index, false, sequence);
    list.signaled[slot] = signalled ? 1 : 0;
    list.remoteAddr[slot] = remote.table.iovas[remoteRow] + cursor.offset;
    list.rkey[slot] = remote.table.rkeys[remoteRow];
    const elements = plan.elements[position];
    const first = slot * list.maxSge;
    list.sgeCount[slot] = elements.length;
    let addr = local.table.addrs[row] + cursor.offset;
    let left = bytes;
    for (let index = 0; index < elements.length; index++) {
      const length = left < elements[index] ? left : elements[index];
      list.addr[first + index] = addr;
      list.length[first + index] = length;
      list.lkey[first + index] = local.table.lkeys[row];
      addr += length;
      left -= length;
    }
    return bytes;
  }

  post(qp: QueuePair, target: Sender['target'], count: number): void {
    const { list } = this;
    list.target = target;
    qp.postList!(list, count);
  }
}
