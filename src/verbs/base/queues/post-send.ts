import { ACCESS_REMOTE, Access } from '../../access.js';
import { VerbsError, type VerbsErrorCode } from '../../error.js';
import { isRemoteAddress } from '../../remote-address.js';
import type {
  BindMwOperation,
  CompareAndSwapOperation,
  DatagramTarget,
  EnableOperation,
  FetchAndAddOperation,
  RegMrOperation,
  SendWr,
} from '../../work-request.js';
import { requireAccess } from '../checks/access-check.js';
import { isAddress, isIova, isUint32 } from '../checks/range.js';
import { checkSgList } from '../checks/sge-check.js';
import { gathers, isAtomic, isLocal, isReadOrAtomic, Op } from '../codes.js';
import { EntryKind, KEY_BYTE_MASK } from '../memory/memory-table.js';
import { BaseAddressHandle } from '../objects/address-handle.js';
import { BaseCompletionQueue } from '../objects/completion-queue.js';
import { OpSupport } from '../objects/context.js';
import { DeviceObject, requireOwn } from '../objects/device-object.js';
import { BaseMemoryRegion } from '../objects/memory-region.js';
import { BaseMemoryWindow } from '../objects/memory-window.js';
import type { BaseQueuePair } from '../objects/queue-pair.js';
import { WqeFlag } from './wqe-pool.js';

const NOTHING: readonly [] = [];
const ATOMIC_BYTES = 8;
const MAX_OPERAND = 2n ** 64n;

/**
 * Checks one send request whole, then copies it into the pool and appends it: a refused request leaves no trace.
 * The order of checks is the order in which libibverbs' drivers make them: operation, room, list, fields.
 */
export function postSend(qp: BaseQueuePair, wr: SendWr, index: number): void {
  const { sends, context } = qp;
  const length = checkSend(qp, wr, index, sends.outstanding, qp.cap.maxSendWr);
  const op = Op[wr.opcode];
  const wrId = wr.wrId ?? 0;

  let flags = wr.signaled === true || qp.sqSigAll ? WqeFlag.SIGNALED : 0;
  if (wr.fence === true) flags |= WqeFlag.FENCE;
  if (wr.solicited === true) flags |= WqeFlag.SOLICITED;
  if (wr.inlineData !== undefined) flags |= WqeFlag.INLINE;
  const { wqes } = context;
  const wqe = wqes.take(op, flags, wrId);
  wqes.setSges(wqe, wr.sgList ?? NOTHING, length);
  if (wr.inlineData !== undefined) wqes.keepExtra(wqe, wr.inlineData.slice());
  copyFields(qp, wqe, wr);
  sends.append(wqe);
}

/**
 * Checks one send request and posts nothing; returns the bytes of its message. How full the queue is, the caller says: a
 * layer that holds requests back for a queue pair has its own count.
 */
export function checkSend(
  qp: BaseQueuePair,
  wr: SendWr,
  index: number,
  outstanding: number,
  maxSendWr: number,
): number {
  const op = checkOpcode(qp, wr, index);
  if (outstanding >= maxSendWr) {
    const why = 'the send queue has no room: poll its completions';
    throw refusal('QUEUE_FULL', why, 'maxSendWr', outstanding + 1, index);
  }
  if (!Number.isSafeInteger(wr.wrId ?? 0)) throw malformed('wrId', wr.wrId, 'a safe integer', index);
  const length = checkPayload(qp, op, wr, index);
  checkFields(qp, op, wr, index);
  return length;
}

function checkOpcode(qp: BaseQueuePair, wr: SendWr, index: number): number {
  // What is no operation finds no number or none that is listed: names that every object has included.
  const op: number = Op[wr.opcode];
  const support = qp.opSupport[op];
  if (support === OpSupport.YES) return op;
  if (support === OpSupport.UNSUPPORTED) throw qp.context.unsupported(wr.opcode, index);
  throw refusal('BAD_OPCODE', `${qp.qpType} has no such operation`, 'opcode', wr.opcode, index);
}

/** Checks inline data or the list, and returns the bytes of the message. */
function checkPayload(qp: BaseQueuePair, op: number, wr: SendWr, index: number): number {
  const inline = wr.inlineData;
  let length = 0;
  if (inline !== undefined) {
    const { maxInlineData } = qp.cap;
    const why = 'inline data cannot be here or is too long';
    if (!(inline instanceof Uint8Array)) throw malformed('inlineData', inline, 'a Uint8Array', index);
    if (!gathers(op)) throw refusal('BAD_INLINE', why, 'opcode', wr.opcode, index);
    if ((wr.sgList?.length ?? 0) > 0) throw refusal('BAD_INLINE', why, 'sgList', wr.sgList, index);
    if (inline.length > maxInlineData)
      throw refusal('BAD_INLINE', why, 'inlineData.length', inline.length, index);
    length = inline.length;
  } else {
    length = checkSgList(wr.sgList, qp.cap.maxSendSge, index);
  }
  const longest = qp.longestBytes;
  if (length > longest) {
    const detail = { field: 'length', given: length, allowed: `up to ${longest} bytes`, badWrIndex: index };
    throw new VerbsError('MESSAGE_TOO_LONG', `${qp.qpType} carries no message of this length`, detail);
  }
  if (isLocal(op) && (wr.sgList?.length ?? 0) > 0) throw malformed('sgList', wr.sgList, 'none here', index);
  if (isAtomic(op) && length !== ATOMIC_BYTES) {
    throw malformed('sgList', length, `exactly ${ATOMIC_BYTES} bytes for an atomic`, index);
  }
  return length;
}

function checkFields(qp: BaseQueuePair, op: number, wr: SendWr, index: number): void {
  if (op <= Op.SEND_WITH_IMM) checkTarget(qp, wr as DatagramTarget, index);
  switch (wr.opcode) {
    case 'SEND':
      return;
    case 'SEND_WITH_IMM':
      requireUint32('immData', wr.immData, index);
      return;
    case 'SEND_WITH_INV':
    case 'LOCAL_INV':
      requireUint32('invalidateRkey', wr.invalidateRkey, index);
      return;
    case 'REG_MR':
      checkRegMr(qp, wr, index);
      return;
    case 'BIND_MW':
      checkBindMw(qp, wr, index);
      return;
    case 'WAIT':
      requireUint32('count', wr.count, index);
      requireOwn(qp.context, BaseCompletionQueue, wr.cq, 'cq', index);
      return;
    case 'ENABLE':
      checkEnable(qp, wr, index);
      return;
    default:
      if (!isRemoteAddress(wr.remoteAddr))
        throw malformed(
          'remoteAddr',
          wr.remoteAddr,
          'a safe integer from 0 on, or a bigint below 2^64',
          index,
        );
      requireUint32('rkey', wr.rkey, index);
      if (wr.opcode === 'RDMA_WRITE_WITH_IMM') requireUint32('immData', wr.immData, index);
      if (isReadOrAtomic(op)) checkOperands(op, wr as CompareAndSwapOperation, index);
  }
}

function checkTarget(qp: BaseQueuePair, wr: DatagramTarget, index: number): void {
  if (qp.qpType !== 'UD') {
    if (wr.ah === undefined && wr.remoteQpn === undefined && wr.remoteQkey === undefined) return;
    throw malformed('ah', undefined, 'ah, remoteQpn and remoteQkey on UD only', index);
  }
  if (wr.ah === undefined) throw malformed('ah', undefined, 'required on UD', index);
  const ah = requireOwn(qp.context, BaseAddressHandle, wr.ah, 'ah', index);
  if (ah.pd !== qp.pd) throw foreign('ah', index);
  if (!isUint32(wr.remoteQpn) || wr.remoteQpn > 0xffffff) {
    throw malformed('remoteQpn', wr.remoteQpn, 'a queue pair number of 24 bits', index);
  }
  requireUint32('remoteQkey', wr.remoteQkey, index);
}

function checkOperands(op: number, wr: CompareAndSwapOperation | FetchAndAddOperation, index: number): void {
  if (op === Op.RDMA_READ) return;
  requireOperand('compareAdd', wr.compareAdd, index);
  if (op === Op.ATOMIC_CMP_AND_SWP) requireOperand('swap', (wr as CompareAndSwapOperation).swap, index);
}

function checkRegMr(qp: BaseQueuePair, wr: RegMrOperation, index: number): void {
  const mr = requireOwn(qp.context, BaseMemoryRegion, wr.mr, 'mr', index);
  const { memory } = qp.context;
  if (mr.pd !== qp.pd) throw foreign('mr', index);
  if (memory.kind[mr.slot] !== EntryKind.FAST_REGION)
    throw malformed('mr', undefined, 'a region of allocMr', index);
  requireKey('key', wr.key, mr.rkey, index);
  requireAccess(wr.access, index);
  if (!(wr.memory instanceof Uint8Array)) throw malformed('memory', typeof wr.memory, 'a Uint8Array', index);
  if (wr.memory.length > memory.maxBytes[mr.slot]) {
    throw malformed('memory.length', wr.memory.length, `up to ${memory.maxBytes[mr.slot]}`, index);
  }
  if (wr.iova !== undefined && !isIova(wr.iova, wr.memory.length))
    throw malformed('iova', wr.iova, 'an address whose region ends at 2^64 at the latest', index);
}

function checkBindMw(qp: BaseQueuePair, wr: BindMwOperation, index: number): void {
  const mr = requireOwn(qp.context, BaseMemoryRegion, wr.mr, 'mr', index);
  const mw = requireOwn(qp.context, BaseMemoryWindow, wr.mw, 'mw', index);
  if (mr.pd !== qp.pd) throw foreign('mr', index);
  if (mw.pd !== qp.pd) throw foreign('mw', index);
  requireKey('rkey', wr.rkey, mw.rkey, index);
  if (!isRemoteAddress(wr.addr)) throw malformed('addr', wr.addr, 'an address', index);
  if (!isAddress(wr.length)) throw malformed('length', wr.length, 'a safe integer from 0 on', index);
  const allowed = ACCESS_REMOTE | Access.ZERO_BASED;
  if (Number.isInteger(wr.access) && (wr.access & ~allowed) === 0) return;
  throw malformed('access', wr.access, 'remote rights and ZERO_BASED', index);
}

function checkEnable(qp: BaseQueuePair, wr: EnableOperation, index: number): void {
  // A queue pair imports this module, so its class is not at hand here: only one has `managedSend`.
  const target = requireOwn(qp.context, DeviceObject, wr.qp, 'qp', index) as BaseQueuePair;
  if (!target.managedSend)
    throw malformed('qp', target.qpNum, 'a queue pair created with managedSend', index);
  requireUint32('count', wr.count, index);
}

/** Fills the columns of the remote side and keeps what is no number. The request was checked. */
function copyFields(qp: BaseQueuePair, wqe: number, wr: SendWr): void {
  const { wqes } = qp.context;
  switch (wr.opcode) {
    case 'SEND':
    case 'SEND_WITH_IMM':
      if (wr.opcode === 'SEND_WITH_IMM') wqes.imm[wqe] = wr.immData;
      if (qp.qpType === 'UD') copyTarget(qp, wqe, wr);
      return;
    case 'SEND_WITH_INV':
    case 'LOCAL_INV':
      wqes.imm[wqe] = wr.invalidateRkey;
      return;
    case 'REG_MR':
    case 'BIND_MW':
    case 'WAIT':
    case 'ENABLE':
      wqes.keepExtra(wqe, { ...wr });
      return;
    default:
      wqes.setRemote(wqe, wr.remoteAddr);
      wqes.rkey[wqe] = wr.rkey;
      if (wr.opcode === 'RDMA_WRITE_WITH_IMM') wqes.imm[wqe] = wr.immData;
      else if (wr.opcode === 'ATOMIC_CMP_AND_SWP') wqes.setOperands(wqe, wr.compareAdd, wr.swap);
      else if (wr.opcode === 'ATOMIC_FETCH_AND_ADD') wqes.setOperands(wqe, wr.compareAdd, 0n);
  }
}

function copyTarget(qp: BaseQueuePair, wqe: number, wr: DatagramTarget): void {
  const { wqes } = qp.context;
  wqes.setTarget(wqe, wr.ah!, wr.remoteQpn!, qp.sendQkey(wr.remoteQkey!));
}

function requireUint32(field: string, given: unknown, index: number): void {
  if (!isUint32(given)) throw malformed(field, given, 'an unsigned 32-bit integer', index);
}

function requireOperand(field: string, given: unknown, index: number): void {
  if (typeof given === 'bigint' && given >= 0n && given < MAX_OPERAND) return;
  throw malformed(field, given, 'a bigint from 0 to 2^64 - 1', index);
}

function requireKey(field: string, given: number, present: number, index: number): void {
  requireUint32(field, given, index);
  if ((given & ~KEY_BYTE_MASK) === (present & ~KEY_BYTE_MASK)) return;
  throw malformed(field, given, `the upper 24 bits of ${present}`, index);
}

function malformed(field: string, given: unknown, allowed: string, badWrIndex: number): VerbsError {
  const summary =
    given === undefined ? 'a field is missing or out of place' : 'a field of the work request is malformed';
  return new VerbsError('BAD_WORK_REQUEST', summary, { field, given, allowed, badWrIndex });
}

function foreign(field: string, badWrIndex: number): VerbsError {
  const detail = { field, allowed: "an object of the queue pair's protection domain", badWrIndex };
  return new VerbsError('WRONG_OWNER', 'the argument belongs to another protection domain', detail);
}

function refusal(
  code: VerbsErrorCode,
  summary: string,
  field: string,
  given: unknown,
  badWrIndex: number,
): VerbsError {
  return new VerbsError(code, summary, { field, given, badWrIndex });
}
