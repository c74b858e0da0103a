import { Access } from '../access.js';
import type { WcOpcode } from '../work-completion.js';
import type { SendWr, Sge } from '../work-request.js';
import { expectBytes, expectCompletion } from './kit/assert.js';
import type { ContractBench, Pair } from './kit/bench.js';

/** Where a remote operation goes. */
export interface RemoteTarget {
  remoteAddr: number;
  rkey: number;
}

/** The operations that touch memory at the peer. */
export type RemoteOpcode =
  | 'RDMA_WRITE'
  | 'RDMA_WRITE_WITH_IMM'
  | 'RDMA_READ'
  | 'ATOMIC_CMP_AND_SWP'
  | 'ATOMIC_FETCH_AND_ADD';

/** A remote operation, as a row of a table. */
export interface RemoteOperation {
  opcode: RemoteOpcode;
  /** The right that it needs at the peer. */
  right: number;
  /** Whether bytes come back into local memory. */
  fetches: boolean;
  atomic: boolean;
  completes: WcOpcode;
}

/** All of them. */
export const REMOTE_OPERATIONS: readonly RemoteOperation[] = [
  {
    opcode: 'RDMA_WRITE',
    right: Access.REMOTE_WRITE,
    fetches: false,
    atomic: false,
    completes: 'RDMA_WRITE',
  },
  {
    opcode: 'RDMA_WRITE_WITH_IMM',
    right: Access.REMOTE_WRITE,
    fetches: false,
    atomic: false,
    completes: 'RDMA_WRITE',
  },
  { opcode: 'RDMA_READ', right: Access.REMOTE_READ, fetches: true, atomic: false, completes: 'RDMA_READ' },
  {
    opcode: 'ATOMIC_CMP_AND_SWP',
    right: Access.REMOTE_ATOMIC,
    fetches: true,
    atomic: true,
    completes: 'COMP_SWAP',
  },
  {
    opcode: 'ATOMIC_FETCH_AND_ADD',
    right: Access.REMOTE_ATOMIC,
    fetches: true,
    atomic: true,
    completes: 'FETCH_ADD',
  },
];

/** A signalled work request for any remote operation. */
export function remoteRequest(
  opcode: RemoteOpcode,
  wrId: number,
  sgList: Sge[],
  target: RemoteTarget,
): SendWr {
  const common = { wrId, sgList, signaled: true, ...target };
  switch (opcode) {
    case 'RDMA_WRITE_WITH_IMM':
      return { opcode, ...common, immData: 7 };
    case 'ATOMIC_CMP_AND_SWP':
      return { opcode, ...common, compareAdd: 0n, swap: 1n };
    case 'ATOMIC_FETCH_AND_ADD':
      return { opcode, ...common, compareAdd: 1n };
    default:
      return { opcode, ...common };
  }
}

/** The operations that carry a message of any length. */
export type TransferOpcode = 'SEND' | 'SEND_WITH_IMM' | 'RDMA_WRITE' | 'RDMA_WRITE_WITH_IMM' | 'RDMA_READ';

/** The immediate data of {@link exchange}: its four bytes differ, so that a wrong order is seen. */
export const IMM = 0x89abcdef;

/** Whether the operation takes a receive from the peer's queue. */
export function takesReceive(opcode: TransferOpcode): boolean {
  return opcode !== 'RDMA_WRITE' && opcode !== 'RDMA_READ';
}

/**
 * Moves `length` bytes from the start of one end's memory to the start of the other's (a READ moves them the other
 * way) and checks the completions of both sides, the bytes, and that the bytes beyond them were left alone.
 */
export async function exchange(
  bench: ContractBench,
  pair: Pair,
  opcode: TransferOpcode,
  length: number,
): Promise<void> {
  const { a, b } = pair;
  const [source, sink] = opcode === 'RDMA_READ' ? [b, a] : [a, b];
  const beyond = Math.min(64, sink.memory.length - length);
  const untouched = sink.copy(length, beyond);
  if (takesReceive(opcode))
    b.qp.postRecv(opcode === 'RDMA_WRITE_WITH_IMM' ? { wrId: 70 } : b.recv(70, 0, length));
  const common = { wrId: 7, signaled: true, sgList: a.at(0, length) };
  if (opcode === 'SEND') a.qp.postSend({ opcode, ...common });
  else if (opcode === 'SEND_WITH_IMM') a.qp.postSend({ opcode, ...common, immData: IMM });
  else if (opcode === 'RDMA_WRITE_WITH_IMM')
    a.qp.postSend({ opcode, ...common, ...b.target(0), immData: IMM });
  else a.qp.postSend({ opcode, ...common, ...b.target(0) });

  const sent = await bench.completion(a.sendCq, { wrId: 7, qpNum: a.qp.qpNum, vendorErr: 0 });
  const kind: WcOpcode = opcode === 'RDMA_READ' ? 'RDMA_READ' : takesWrite(opcode) ? 'RDMA_WRITE' : 'SEND';
  expectCompletion(
    sent,
    { opcode: kind, ...(opcode === 'RDMA_READ' ? { byteLen: length } : {}) },
    'requester',
  );
  if (takesReceive(opcode)) {
    const withImm = opcode !== 'SEND';
    const got = await bench.completion(b.recvCq, { wrId: 70, qpNum: b.qp.qpNum, byteLen: length, withImm });
    const immediate = withImm ? { immData: IMM } : {};
    const received: WcOpcode = opcode === 'RDMA_WRITE_WITH_IMM' ? 'RECV_RDMA_WITH_IMM' : 'RECV';
    expectCompletion(got, { opcode: received, withInv: false, ...immediate }, 'responder');
  }
  if (a.qp.qpType !== 'RC') await bench.arrival();
  expectBytes(sink.bytes(0, length), source.bytes(0, length), 'content');
  expectBytes(sink.bytes(length, beyond), untouched, 'memory beyond the message');
}

function takesWrite(opcode: TransferOpcode): boolean {
  return opcode === 'RDMA_WRITE' || opcode === 'RDMA_WRITE_WITH_IMM';
}

/** The smallest offset in a region whose remote address is a multiple of 8. */
export function alignedOffset(iova: number): number {
  return (8 - (iova % 8)) % 8;
}
