import { addressPlus, type SendWr } from '../../verbs/index.js';
import { canBeCut, pieceOf, sliceOfList, type Waiting } from '../interposer/index.js';
import type { Call } from './peers.js';

/** What is left of a request whose other parts went: for a message to a receive its first bytes, else its last. */
export function restOf({ wr, offset }: Waiting, bytes: number): SendWr {
  if (canBeCut(wr)) return pieceOf(wr, offset, bytes);
  if (wr.opcode !== 'RDMA_WRITE_WITH_IMM')
    return { ...wr, sgList: sliceOfList(wr.sgList ?? [], 0, bytes), fence: false };
  return {
    ...wr,
    sgList: sliceOfList(wr.sgList ?? [], offset, bytes),
    remoteAddr: addressPlus(wr.remoteAddr, offset),
    fence: false,
  };
}

/** A part of a message for a receive, written to where it will be received; the message itself brings its first bytes. */
export function writtenAhead(first: Waiting, call: Call, bytes: number, subMessageBytes: number): SendWr {
  const { wr, offset } = first;
  const imm = wr.opcode === 'RDMA_WRITE_WITH_IMM';
  const skip = imm ? 0 : subMessageBytes;
  const most = imm ? bytes : Math.min(bytes, first.bytes - offset - skip);
  return {
    opcode: 'RDMA_WRITE',
    sgList: sliceOfList(wr.sgList ?? [], skip + offset, most),
    remoteAddr: addressPlus(imm ? wr.remoteAddr : call.remoteAddr, skip + offset),
    rkey: imm ? wr.rkey : call.rkey,
    fence: wr.fence === true && offset === 0,
  };
}
