import { Access } from '../../access.js';
import type { BindMwOperation, EnableOperation, RegMrOperation } from '../../work-request.js';
import { Op, Status } from '../codes.js';
import type { BaseMemoryRegion } from '../objects/memory-region.js';
import type { BaseMemoryWindow } from '../objects/memory-window.js';
import type { BaseQueuePair } from '../objects/queue-pair.js';

/** Executes an operation that the device does alone; a WAIT that comes here has been passed. Returns its status. */
export function executeLocal(qp: BaseQueuePair, wqe: number): number {
  const { wqes, memory } = qp.context;
  const extra = wqes.extra[wqe];
  switch (wqes.opcode[wqe]) {
    case Op.LOCAL_INV:
      return memory.invalidate(qp.pd.handle, wqes.imm[wqe]) ? Status.SUCCESS : Status.LOC_QP_OP_ERR;
    case Op.REG_MR:
      return fastRegister(qp, extra as RegMrOperation);
    case Op.BIND_MW:
      return bindWindow(qp, extra as BindMwOperation);
    case Op.ENABLE: {
      const wr = extra as EnableOperation;
      const target = wr.qp as BaseQueuePair;
      if (target.destroyed) return Status.LOC_QP_OP_ERR;
      target.sends.enable(wr.count);
      return Status.SUCCESS;
    }
    default:
      return Status.SUCCESS;
  }
}

function fastRegister(qp: BaseQueuePair, wr: RegMrOperation): number {
  const { memory, addresses } = qp.context;
  const mr = wr.mr as BaseMemoryRegion;
  const addr = addresses.addressOf(wr.memory);
  const iova = wr.iova ?? ((wr.access & Access.ZERO_BASED) === 0 ? addr : 0);
  if (mr.destroyed || !memory.fastRegister(mr.slot, wr.key, wr.memory, addr, iova, wr.access)) {
    return Status.LOC_QP_OP_ERR;
  }
  mr.cover(wr.memory, iova);
  return Status.SUCCESS;
}

function bindWindow(qp: BaseQueuePair, wr: BindMwOperation): number {
  const { memory } = qp.context;
  const mw = wr.mw as BaseMemoryWindow;
  const mr = wr.mr as BaseMemoryRegion;
  if (mw.destroyed || mr.destroyed) return Status.MW_BIND_ERR;
  if (!memory.bind(mw.slot, wr.rkey, mr.slot, wr.addr, wr.length, wr.access, qp.qpNum))
    return Status.MW_BIND_ERR;
  mw.rkey = memory.keyOf(mw.slot);
  return Status.SUCCESS;
}
