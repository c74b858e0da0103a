import type { QpType } from '../queue-pair.js';
import type { WcOpcode, WcStatus } from '../work-completion.js';
import type { SendOpcode } from '../work-request.js';

/** The end of a linked list of slots, and 'there is none'. */
export const NO_SLOT = -1;

/** Operations as small integers, for typed arrays. */
export const Op = {
  SEND: 0,
  SEND_WITH_IMM: 1,
  SEND_WITH_INV: 2,
  RDMA_WRITE: 3,
  RDMA_WRITE_WITH_IMM: 4,
  RDMA_READ: 5,
  ATOMIC_CMP_AND_SWP: 6,
  ATOMIC_FETCH_AND_ADD: 7,
  LOCAL_INV: 8,
  REG_MR: 9,
  BIND_MW: 10,
  WAIT: 11,
  ENABLE: 12,
  /** A receive. */
  RECV: 13,
} as const satisfies Record<SendOpcode | 'RECV', number>;

/** The names of {@link Op}, by number. */
export const OP_NAMES = Object.keys(Op) as readonly (keyof typeof Op)[];

/** Whether the operation sends bytes out of local memory. */
export function gathers(op: number): boolean {
  return op <= Op.RDMA_WRITE_WITH_IMM;
}

/** Whether the operation is a READ or an atomic: answered with data, limited by `maxRdAtomic`, waited for by fences. */
export function isReadOrAtomic(op: number): boolean {
  return op >= Op.RDMA_READ && op <= Op.ATOMIC_FETCH_AND_ADD;
}

/** Whether the operation is a compare-and-swap or a fetch-and-add. */
export function isAtomic(op: number): boolean {
  return op === Op.ATOMIC_CMP_AND_SWP || op === Op.ATOMIC_FETCH_AND_ADD;
}

/** Whether the operation is done by the device alone and sends nothing. */
export function isLocal(op: number): boolean {
  return op >= Op.LOCAL_INV && op <= Op.ENABLE;
}

/** The statuses of completions as small integers. */
export const Status = {
  SUCCESS: 0,
  LOC_LEN_ERR: 1,
  LOC_QP_OP_ERR: 2,
  LOC_PROT_ERR: 3,
  WR_FLUSH_ERR: 4,
  MW_BIND_ERR: 5,
  BAD_RESP_ERR: 6,
  LOC_ACCESS_ERR: 7,
  REM_INV_REQ_ERR: 8,
  REM_ACCESS_ERR: 9,
  REM_OP_ERR: 10,
  RETRY_EXC_ERR: 11,
  RNR_RETRY_EXC_ERR: 12,
  GENERAL_ERR: 13,
} as const satisfies Record<WcStatus, number>;

/** The names of {@link Status}, by number. */
export const STATUS_NAMES = Object.keys(Status) as readonly WcStatus[];

/** The opcodes of completions as small integers. */
export const WcOp = {
  SEND: 0,
  RDMA_WRITE: 1,
  RDMA_READ: 2,
  COMP_SWAP: 3,
  FETCH_ADD: 4,
  BIND_MW: 5,
  LOCAL_INV: 6,
  REG_MR: 7,
  WAIT: 8,
  ENABLE: 9,
  RECV: 10,
  RECV_RDMA_WITH_IMM: 11,
} as const satisfies Record<WcOpcode, number>;

/** The names of {@link WcOp}, by number. */
export const WC_OP_NAMES = Object.keys(WcOp) as readonly WcOpcode[];

/** The completion opcode of each operation, by number. */
export const WC_OP_OF = Uint8Array.of(
  WcOp.SEND,
  WcOp.SEND,
  WcOp.SEND,
  WcOp.RDMA_WRITE,
  WcOp.RDMA_WRITE,
  WcOp.RDMA_READ,
  WcOp.COMP_SWAP,
  WcOp.FETCH_ADD,
  WcOp.LOCAL_INV,
  WcOp.REG_MR,
  WcOp.BIND_MW,
  WcOp.WAIT,
  WcOp.ENABLE,
  WcOp.RECV,
);

const UD_OPCODES: readonly SendOpcode[] = ['SEND', 'SEND_WITH_IMM', 'WAIT', 'ENABLE'];
const UC_OPCODES: readonly SendOpcode[] = [
  ...UD_OPCODES,
  'RDMA_WRITE',
  'RDMA_WRITE_WITH_IMM',
  'LOCAL_INV',
  'REG_MR',
  'BIND_MW',
];

/** The operations that each transport has (specification table 38: no invalidating SEND on UC, SEND alone on UD). */
export const TRANSPORT_OPCODES: Readonly<Record<QpType, readonly SendOpcode[]>> = {
  RC: [...UC_OPCODES, 'SEND_WITH_INV', 'RDMA_READ', 'ATOMIC_CMP_AND_SWP', 'ATOMIC_FETCH_AND_ADD'],
  UC: UC_OPCODES,
  UD: UD_OPCODES,
};
