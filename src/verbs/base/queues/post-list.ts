import { LIST_OPCODES, type SendList } from '../../send-list.js';
import { isUint32 } from '../checks/range.js';
import { MAX_MESSAGE_BYTES } from '../checks/sge-check.js';
import { Op } from '../codes.js';
import { BaseAddressHandle } from '../objects/address-handle.js';
import { OpSupport } from '../objects/context.js';
import type { BaseQueuePair } from '../objects/queue-pair.js';
import { postSend } from './post-send.js';
import { WqeFlag } from './wqe-pool.js';

const OP_OF = Uint8Array.from(LIST_OPCODES, (name) => Op[name]);
const REFUSED = -1;

/**
 * Posts a row of a list. One that is in order, as nearly all are, is copied from column to column; any other goes the way
 * of every request, which says what is wrong with it.
 */
export function postListed(qp: BaseQueuePair, list: SendList, index: number): void {
  const op = OP_OF[list.opcode[index]];
  const bytes = bytesOf(qp, list, index, op);
  if (bytes === REFUSED) {
    postSend(qp, list.request(index), index);
    return;
  }
  const { wqes } = qp.context;
  const signalled = list.signaled[index] === 1 || qp.sqSigAll;
  const wqe = wqes.take(op, signalled ? WqeFlag.SIGNALED : 0, list.wrId[index]);
  wqes.setElements(wqe, list, index, bytes);
  if (op >= Op.RDMA_WRITE) {
    wqes.setRemote(wqe, list.remoteAddr[index]);
    wqes.rkey[wqe] = list.rkey[index];
  } else if (list.target !== null) {
    const { ah, remoteQpn, remoteQkey } = list.target;
    wqes.setTarget(wqe, ah, remoteQpn, qp.sendQkey(remoteQkey));
  }
  if (op === Op.SEND_WITH_IMM || op === Op.RDMA_WRITE_WITH_IMM) wqes.imm[wqe] = list.immData[index];
  qp.sends.append(wqe);
}

/** The bytes of a row's message; `REFUSED` where something about the row is unusual, or wrong. */
function bytesOf(qp: BaseQueuePair, list: SendList, index: number, op: number): number {
  if (qp.opSupport[op] !== OpSupport.YES || qp.sends.outstanding >= qp.cap.maxSendWr) return REFUSED;
  if (!Number.isSafeInteger(list.wrId[index]) || !hasTarget(qp, list)) return REFUSED;
  if (op >= Op.RDMA_WRITE) {
    const address = list.remoteAddr[index];
    if (!(Number.isSafeInteger(address) && address >= 0) || !isUint32(list.rkey[index])) return REFUSED;
  }
  if ((op === Op.SEND_WITH_IMM || op === Op.RDMA_WRITE_WITH_IMM) && !isUint32(list.immData[index]))
    return REFUSED;
  const count = list.sgeCount[index];
  if (count > qp.cap.maxSendSge || count > list.maxSge) return REFUSED;
  const first = index * list.maxSge;
  let bytes = 0;
  for (let element = first; element < first + count; element++) {
    const length = list.length[element];
    const addr = list.addr[element];
    if (!isUint32(length) || length > MAX_MESSAGE_BYTES || !isUint32(list.lkey[element])) return REFUSED;
    if (!(Number.isSafeInteger(addr) && addr >= 0)) return REFUSED;
    bytes += length;
  }
  return bytes > qp.longestBytes ? REFUSED : bytes;
}

/** Whether a list has a way for datagrams where the transport wants one, and none elsewhere. */
function hasTarget(qp: BaseQueuePair, { target }: SendList): boolean {
  if (qp.qpType !== 'UD') return target === null;
  if (target === null || !isUint32(target.remoteQpn) || target.remoteQpn > 0xffffff) return false;
  const { ah } = target;
  return ah instanceof BaseAddressHandle && ah.pd === qp.pd && !ah.destroyed && isUint32(target.remoteQkey);
}
