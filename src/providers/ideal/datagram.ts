import {
  type BaseAddressHandle,
  type BaseQueuePair,
  CqeFlag,
  checkList,
  copyMessage,
  KeyCheck,
  NO_SLOT,
  Op,
  receivesIn,
  Status,
  scatter,
  WcOp,
  WqeFlag,
} from '../../verbs/base/index.js';
import { emitGrh, GRH_BYTES, GRH_NEXT_HEADER } from '../../wire/ib/grh.js';
import type { IdealDevice } from './device.js';

const header = new Uint8Array(GRH_BYTES);

/** Delivers a datagram, or drops it: its sender never knows. */
export function deliverDatagram(
  from: BaseQueuePair,
  wqe: number,
  sender: IdealDevice,
  receiver: IdealDevice | undefined,
): void {
  const { wqes } = from.context;
  const to = receiver?.qpNumbers.get(wqes.remoteLow[wqe]) ?? null;
  if (receiver === undefined || to === null || to.qpType !== 'UD' || !receivesIn(to.state)) return;
  if (to.attr.qkey !== wqes.rkey[wqe]) return;
  const receive = to.receives.head;
  if (receive === NO_SLOT) {
    receiver.counters.out_of_buffer++;
    return;
  }
  const { memory, wqes: receives } = to.context;
  const total = GRH_BYTES + wqes.length[wqe];
  if (total > receives.length[receive]) {
    failReceive(to, Status.LOC_LEN_ERR);
    return;
  }
  if (checkList(memory, receives, receive, to.receives.pd, total, true) !== KeyCheck.OK) {
    failReceive(to, Status.LOC_PROT_ERR);
    return;
  }
  to.takeReceive();
  writeHeader(wqes.addressOf(wqe) as BaseAddressHandle, wqes.length[wqe], sender);
  scatter(memory, receives, receive, to.receives.pd, 0, header, 0, GRH_BYTES);
  copyMessage(from.context, wqe, from.pd.handle, to.context, receive, to.receives.pd, GRH_BYTES);
  const withImm = wqes.opcode[wqe] === Op.SEND_WITH_IMM;
  const flags = CqeFlag.GRH | (withImm ? CqeFlag.IMM : 0);
  const solicited = (wqes.flags[wqe] & WqeFlag.SOLICITED) !== 0;
  const imm = withImm ? wqes.imm[wqe] : 0;
  to.completeReceive(Status.SUCCESS, WcOp.RECV, total, flags, imm, from.qpNum, solicited);
}

/** A receive that cannot hold a datagram fails with its queue pair (specification 10.3.1.2, affiliated errors). */
function failReceive(to: BaseQueuePair, status: number): void {
  to.takeReceive();
  to.completeReceive(status, WcOp.RECV, 0, 0, 0, 0, false);
  to.enterError();
}

function writeHeader(ah: BaseAddressHandle, payloadBytes: number, sender: IdealDevice): void {
  const { trafficClass, flowLabel, hopLimit } = ah.address;
  const meaning = {
    sourceGid: sender.gidBytes,
    destinationGid: ah.gid,
    trafficClass,
    flowLabel,
    hopLimit,
    nextHeader: GRH_NEXT_HEADER,
    payloadBytes,
  };
  emitGrh(meaning, header, 0);
}
