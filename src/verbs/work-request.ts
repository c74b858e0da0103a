import type { AddressHandle } from './address-handle.js';
import type { CompletionQueue } from './completion-queue.js';
import type { MemoryRegion, MemoryWindow } from './memory.js';
import type { QueuePair } from './queue-pair.js';
import type { RemoteAddress } from './remote-address.js';

/** One piece of local memory, named by address and local key. */
export interface Sge {
  /** A virtual address inside the region: `mr.addr + offset`. */
  addr: number;
  /** Bytes. Zero is allowed; a zero-length element is checked for nothing. */
  length: number;
  lkey: number;
}

/** What every send work request may carry. */
export interface SendWrCommon {
  /** Comes back in the completion. A safe integer; default: 0. */
  wrId?: number;
  /** Local memory to gather from or, for READ and atomics, to scatter into. */
  sgList?: readonly Sge[];
  /** Ask for a completion. Implied by `sqSigAll`; failures complete whether asked for or not. */
  signaled?: boolean;
  /** Wait until earlier READs and atomics of this queue pair are complete. */
  fence?: boolean;
  /** Raise a solicited event at the receiver (SEND and WRITE with immediate). */
  solicited?: boolean;
  /** Data copied at the time of the post, instead of `sgList` (SEND and WRITE kinds). */
  inlineData?: Uint8Array;
}

/** Where a UD datagram goes. Required on UD, forbidden elsewhere. */
export interface DatagramTarget {
  ah?: AddressHandle;
  remoteQpn?: number;
  remoteQkey?: number;
}

export interface SendOperation extends SendWrCommon, DatagramTarget {
  opcode: 'SEND';
}
export interface SendWithImmOperation extends SendWrCommon, DatagramTarget {
  opcode: 'SEND_WITH_IMM';
  /** 32 bits, host order here, network order on the wire. */
  immData: number;
}
export interface SendWithInvOperation extends SendWrCommon {
  opcode: 'SEND_WITH_INV';
  /** The peer's rkey that is invalidated before the receive completes. */
  invalidateRkey: number;
}
export interface RdmaWriteOperation extends SendWrCommon {
  opcode: 'RDMA_WRITE';
  remoteAddr: RemoteAddress;
  rkey: number;
}
export interface RdmaWriteWithImmOperation extends SendWrCommon {
  opcode: 'RDMA_WRITE_WITH_IMM';
  remoteAddr: RemoteAddress;
  rkey: number;
  immData: number;
}
export interface RdmaReadOperation extends SendWrCommon {
  opcode: 'RDMA_READ';
  remoteAddr: RemoteAddress;
  rkey: number;
}
/** If the 64-bit value at `remoteAddr` equals `compareAdd` it becomes `swap`; the old value is returned. */
export interface CompareAndSwapOperation extends SendWrCommon {
  opcode: 'ATOMIC_CMP_AND_SWP';
  remoteAddr: RemoteAddress;
  rkey: number;
  compareAdd: bigint;
  swap: bigint;
}
/** Adds `compareAdd` modulo 2^64 to the value at `remoteAddr`; the old value is returned. */
export interface FetchAndAddOperation extends SendWrCommon {
  opcode: 'ATOMIC_FETCH_AND_ADD';
  remoteAddr: RemoteAddress;
  rkey: number;
  compareAdd: bigint;
}
/** Takes the validity from a key of this protection domain (a fast-registered region or a type 2 window). */
export interface LocalInvOperation extends SendWrCommon {
  opcode: 'LOCAL_INV';
  invalidateRkey: number;
}
/** Fast registration: gives a region made by `allocMr` its memory, rights and a new key byte. */
export interface RegMrOperation extends SendWrCommon {
  opcode: 'REG_MR';
  mr: MemoryRegion<RemoteAddress>;
  /** The key's index bits must be those of `mr.rkey`; its low 8 bits are the caller's to change. */
  key: number;
  access: number;
  /** The memory that the region covers from now on. */
  memory: Uint8Array;
  /** The address that remote peers use for its first byte; default the memory's own. */
  iova?: RemoteAddress;
}
/** Binds a memory window of type 2; on UD unsupported. */
export interface BindMwOperation extends SendWrCommon {
  opcode: 'BIND_MW';
  mw: MemoryWindow;
  /** The window's new rkey: index bits as `mw.rkey`, low 8 bits free. */
  rkey: number;
  mr: MemoryRegion<RemoteAddress>;
  /** Where the window begins, in the addresses that peers use for the region. */
  addr: RemoteAddress;
  length: number;
  access: number;
}
/**
 * Holds the queue until `count` more completions have been generated on `cq` than all earlier WAITs on that CQ
 * consumed, polled or not. A count of zero passes at once. (Cross-channel verbs; used by preemption schemes.)
 */
export interface WaitOperation extends SendWrCommon {
  opcode: 'WAIT';
  cq: CompletionQueue;
  count: number;
}
/** Lets a queue pair that was created with `managedSend` execute `count` more of its posted send requests. */
export interface EnableOperation extends SendWrCommon {
  opcode: 'ENABLE';
  qp: QueuePair;
  count: number;
}

/**
 * A request for the send queue. The provider copies what it needs when the request is posted: the object may be
 * changed and posted again at once (the memory that it names may not, until its completion).
 *
 * @example
 * qp.postSend({ opcode: 'RDMA_WRITE', wrId: 7, sgList: [{ addr: mr.addr, length: 64, lkey: mr.lkey }],
 *   remoteAddr: peer.addr, rkey: peer.rkey, signaled: true });
 */
export type SendWr =
  | SendOperation
  | SendWithImmOperation
  | SendWithInvOperation
  | RdmaWriteOperation
  | RdmaWriteWithImmOperation
  | RdmaReadOperation
  | CompareAndSwapOperation
  | FetchAndAddOperation
  | LocalInvOperation
  | RegMrOperation
  | BindMwOperation
  | WaitOperation
  | EnableOperation;

/** The name of an operation on the send queue, as rdma-core spells it without its prefix. */
export type SendOpcode = SendWr['opcode'];

/** A request for a receive queue or a shared receive queue: memory for one incoming message. */
export interface RecvWr {
  wrId?: number;
  sgList?: readonly Sge[];
}
