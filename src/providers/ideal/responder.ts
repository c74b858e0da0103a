import {
  type BaseQueuePair,
  CqeFlag,
  checkList,
  copyMessage,
  executeAtomic,
  gather,
  KeyCheck,
  NO_SLOT,
  Op,
  Status,
  scatter,
  WcOp,
  WqeFlag,
} from '../../verbs/base/index.js';
import { Access } from '../../verbs/index.js';
import type { IdealCounters } from './device.js';

/** Besides a status: the responder has no receive, and the request must come again. */
export const NOT_READY = 100;

const ATOMIC_BYTES = 8;
const atomicResult = new Uint8Array(ATOMIC_BYTES);

/**
 * Executes one request of a connected queue pair at its peer, whole, and returns the status that the requester gets,
 * or NOT_READY. On UC whatever the responder refuses is dropped and the requester never knows.
 */
export function executeAtPeer(
  from: BaseQueuePair,
  to: BaseQueuePair,
  wqe: number,
  counters: IdealCounters,
): number {
  const op = from.context.wqes.opcode[wqe];
  if (op <= Op.SEND_WITH_INV) return receiveMessage(from, to, wqe, counters);
  if (op <= Op.RDMA_WRITE_WITH_IMM) return receiveWrite(from, to, wqe, counters);
  if (op === Op.RDMA_READ) return serveRead(from, to, wqe, counters);
  return serveAtomic(from, to, wqe, counters);
}

function receiveMessage(
  from: BaseQueuePair,
  to: BaseQueuePair,
  wqe: number,
  counters: IdealCounters,
): number {
  const { wqes } = from.context;
  const op = wqes.opcode[wqe];
  const length = wqes.length[wqe];
  const receive = to.receives.head;
  if (receive === NO_SLOT) return noReceive(to, counters);
  if (length > to.context.wqes.length[receive])
    return failReceive(to, Status.LOC_LEN_ERR, Status.REM_INV_REQ_ERR);
  if (checkList(to.context.memory, to.context.wqes, receive, to.receives.pd, length, true) !== KeyCheck.OK) {
    return failReceive(to, Status.LOC_PROT_ERR, Status.REM_OP_ERR);
  }
  const key = op === Op.SEND_WITH_INV ? wqes.imm[wqe] : 0;
  if (op === Op.SEND_WITH_INV && !to.context.memory.canInvalidate(to.pd.handle, key)) return refuseAccess(to);
  to.takeReceive();
  copyMessage(from.context, wqe, from.pd.handle, to.context, receive, to.receives.pd, 0);
  let flags = 0;
  if (op === Op.SEND_WITH_IMM) flags = CqeFlag.IMM;
  if (op === Op.SEND_WITH_INV) {
    flags = CqeFlag.INV;
    to.context.memory.invalidate(to.pd.handle, key);
  }
  const solicited = (wqes.flags[wqe] & WqeFlag.SOLICITED) !== 0;
  to.completeReceive(Status.SUCCESS, WcOp.RECV, length, flags, flags === 0 ? 0 : wqes.imm[wqe], 0, solicited);
  return Status.SUCCESS;
}

function receiveWrite(from: BaseQueuePair, to: BaseQueuePair, wqe: number, counters: IdealCounters): number {
  const { wqes, memory } = from.context;
  const length = wqes.length[wqe];
  const withImm = wqes.opcode[wqe] === Op.RDMA_WRITE_WITH_IMM;
  if (!allows(to, Access.REMOTE_WRITE)) return refuseRequest(to);
  if (length > 0) {
    if (!covers(from, to, wqe, Access.REMOTE_WRITE)) return refuseAccess(to);
    if (withImm && to.receives.head === NO_SLOT) return noReceive(to, counters);
    const target = to.context.memory;
    // Taken down before the local keys are checked: both sides may be one device.
    const bytes = target.bytes[target.found];
    gather(memory, wqes, wqe, from.pd.handle, 0, bytes, target.position, length);
  } else if (withImm && to.receives.head === NO_SLOT) {
    return noReceive(to, counters);
  }
  counters.rx_write_requests++;
  if (!withImm) return Status.SUCCESS;
  to.takeReceive();
  const solicited = (wqes.flags[wqe] & WqeFlag.SOLICITED) !== 0;
  to.completeReceive(
    Status.SUCCESS,
    WcOp.RECV_RDMA_WITH_IMM,
    length,
    CqeFlag.IMM,
    wqes.imm[wqe],
    0,
    solicited,
  );
  return Status.SUCCESS;
}

function serveRead(from: BaseQueuePair, to: BaseQueuePair, wqe: number, counters: IdealCounters): number {
  const { wqes, memory } = from.context;
  const length = wqes.length[wqe];
  if (!allows(to, Access.REMOTE_READ) || to.attr.maxDestRdAtomic === 0) return refuseRequest(to);
  if (length > 0) {
    if (!covers(from, to, wqe, Access.REMOTE_READ)) return refuseAccess(to);
    const source = to.context.memory;
    const bytes = source.bytes[source.found];
    scatter(memory, wqes, wqe, from.pd.handle, 0, bytes, source.position, length);
  }
  counters.rx_read_requests++;
  return Status.SUCCESS;
}

function serveAtomic(from: BaseQueuePair, to: BaseQueuePair, wqe: number, counters: IdealCounters): number {
  const { wqes, memory } = from.context;
  if (!allows(to, Access.REMOTE_ATOMIC) || to.attr.maxDestRdAtomic === 0) return refuseRequest(to);
  if (wqes.remoteLow[wqe] % ATOMIC_BYTES !== 0) return refuseRequest(to);
  if (!covers(from, to, wqe, Access.REMOTE_ATOMIC)) return refuseAccess(to);
  const target = to.context.memory;
  const bytes = target.bytes[target.found];
  executeAtomic(wqes.opcode[wqe], bytes, target.position, wqes.operandWords, 4 * wqe, atomicResult);
  scatter(memory, wqes, wqe, from.pd.handle, 0, atomicResult, 0, ATOMIC_BYTES);
  counters.rx_atomic_requests++;
  return Status.SUCCESS;
}

function allows(to: BaseQueuePair, right: number): boolean {
  return (to.attr.qpAccessFlags! & right) !== 0;
}

function covers(from: BaseQueuePair, to: BaseQueuePair, wqe: number, right: number): boolean {
  const { wqes } = from.context;
  const { memory } = to.context;
  const check = memory.checkRemote(
    to.pd.handle,
    to.qpNum,
    wqes.rkey[wqe],
    wqes.remoteHigh[wqe],
    wqes.remoteLow[wqe],
    wqes.length[wqe],
    right,
  );
  return check === KeyCheck.OK;
}

function noReceive(to: BaseQueuePair, counters: IdealCounters): number {
  counters.out_of_buffer++;
  return to.qpType === 'RC' ? NOT_READY : Status.SUCCESS;
}

/** The request asks for more than the region or window allows. */
function refuseAccess(to: BaseQueuePair): number {
  if (to.qpType !== 'RC') return Status.SUCCESS;
  to.raise('QP_ACCESS_ERR');
  to.enterError();
  return Status.REM_ACCESS_ERR;
}

/** The request is one that the queue pair does not serve. */
function refuseRequest(to: BaseQueuePair): number {
  if (to.qpType !== 'RC') return Status.SUCCESS;
  to.raise('QP_REQ_ERR');
  to.enterError();
  return Status.REM_INV_REQ_ERR;
}

/** The receive is to blame: it completes with its own status. */
function failReceive(to: BaseQueuePair, own: number, requesters: number): number {
  if (to.qpType !== 'RC') return Status.SUCCESS;
  to.takeReceive();
  to.completeReceive(own, WcOp.RECV, 0, 0, 0, 0, false);
  to.enterError();
  return requesters;
}
