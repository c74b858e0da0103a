/** How a work request ended: libibverbs' status names without their prefix. */
export type WcStatus =
  | 'SUCCESS'
  | 'LOC_LEN_ERR'
  | 'LOC_QP_OP_ERR'
  | 'LOC_PROT_ERR'
  | 'WR_FLUSH_ERR'
  | 'MW_BIND_ERR'
  | 'BAD_RESP_ERR'
  | 'LOC_ACCESS_ERR'
  | 'REM_INV_REQ_ERR'
  | 'REM_ACCESS_ERR'
  | 'REM_OP_ERR'
  | 'RETRY_EXC_ERR'
  | 'RNR_RETRY_EXC_ERR'
  | 'GENERAL_ERR';

/** What kind of request completed. Only meaningful on success, as in libibverbs. */
export type WcOpcode =
  | 'SEND'
  | 'RDMA_WRITE'
  | 'RDMA_READ'
  | 'COMP_SWAP'
  | 'FETCH_ADD'
  | 'BIND_MW'
  | 'LOCAL_INV'
  | 'REG_MR'
  | 'WAIT'
  | 'ENABLE'
  | 'RECV'
  | 'RECV_RDMA_WITH_IMM';

/**
 * The end of one work request. On a failure only `wrId`, `status`, `qpNum` and `vendorErr` mean anything.
 */
export interface WorkCompletion {
  wrId: number;
  status: WcStatus;
  opcode: WcOpcode;
  /** Bytes received, read or returned by an atomic; on UD receives the 40 bytes of the GRH are included. */
  byteLen: number;
  /** The local queue pair. */
  qpNum: number;
  /** UD receives: the sender's queue pair number. */
  srcQp: number;
  /** Whether `immData` holds immediate data. */
  withImm: boolean;
  immData: number;
  /** Whether the peer invalidated `invalidatedRkey` with this message. */
  withInv: boolean;
  invalidatedRkey: number;
  /** UD receives: the first 40 bytes of the buffer hold a GRH. */
  grh: boolean;
  /**
   * When the device generated the completion, in nanoseconds of the provider's clock: libibverbs'
   * `completion_wallclock_ns`. The raw `completion_ts` in ticks of a device's own clock is not given. Only where
   * `capabilities.completionTimestamps` says so; software sees the completion a little later.
   */
  timestampNs: number;
  /** A provider's own code for a failure; 0 on success. */
  vendorErr: number;
}

/**
 * A completion to fill: allocate as many as you poll at a time, once, and reuse them.
 *
 * @example
 * const slots = Array.from({ length: 16 }, emptyWorkCompletion);
 * const count = cq.pollInto(slots);
 */
export function emptyWorkCompletion(): WorkCompletion {
  return {
    wrId: 0,
    status: 'SUCCESS',
    opcode: 'SEND',
    byteLen: 0,
    qpNum: 0,
    srcQp: 0,
    withImm: false,
    immData: 0,
    withInv: false,
    invalidatedRkey: 0,
    grh: false,
    timestampNs: 0,
    vendorErr: 0,
  };
}
