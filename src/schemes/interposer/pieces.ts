import {
  addressPlus,
  type RdmaReadOperation,
  type RdmaWriteOperation,
  type SendWr,
  type Sge,
} from '../../verbs/index.js';

/** Whether a request can be cut into several that do the same: its receiver sees no boundaries of messages. */
export function canBeCut(wr: SendWr): wr is RdmaWriteOperation | RdmaReadOperation {
  return (wr.opcode === 'RDMA_WRITE' || wr.opcode === 'RDMA_READ') && wr.inlineData === undefined;
}

/** The elements of a list that hold its bytes from `offset` on, `bytes` of them. */
export function sliceOfList(list: readonly Sge[], offset: number, bytes: number): Sge[] {
  const slice: Sge[] = [];
  let at = 0;
  for (const { addr, length, lkey } of list) {
    const from = Math.max(offset, at);
    const to = Math.min(offset + bytes, at + length);
    if (to > from) slice.push({ addr: addr + (from - at), length: to - from, lkey });
    at += length;
  }
  return slice;
}

/** The part of a request that moves its bytes from `offset` on; only the first of them waits at a fence. */
export function pieceOf(
  wr: RdmaWriteOperation | RdmaReadOperation,
  offset: number,
  bytes: number,
): RdmaWriteOperation | RdmaReadOperation {
  return {
    opcode: wr.opcode,
    sgList: sliceOfList(wr.sgList ?? [], offset, bytes),
    remoteAddr: addressPlus(wr.remoteAddr, offset),
    rkey: wr.rkey,
    fence: wr.fence === true && offset === 0,
  };
}

/** A request that its poster may change and post again: the same, with a list of its own. */
export function copyRequest(wr: SendWr): SendWr {
  const copy = { ...wr };
  if (wr.sgList !== undefined) copy.sgList = wr.sgList.map((sge) => ({ ...sge }));
  if (wr.inlineData !== undefined) copy.inlineData = wr.inlineData.slice();
  return copy;
}
