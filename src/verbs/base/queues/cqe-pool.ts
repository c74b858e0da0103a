import type { WorkCompletion } from '../../work-completion.js';
import { STATUS_NAMES, WC_OP_NAMES } from '../codes.js';
import { grown, NONE } from './column.js';
import { SlotPool } from './slots.js';

/** Where a completion is. */
export const CqeState = {
  /** In its queue, for software to poll. */
  VISIBLE: 0,
  /** Generated, and on its way to host memory. */
  HELD: 1,
  /** On its way, and of no more interest to anybody. */
  FORGOTTEN: 2,
} as const;

/** Bits of a completion's `flags`. */
export const CqeFlag = { IMM: 1, INV: 2, GRH: 4, RECEIVE: 8 } as const;

/**
 * All completions of a device that nobody has polled yet, as a struct of arrays. A completion queue is a list of slots
 * linked through `next`, so that 40,000 deep queues cost no more than what is in them.
 */
export class CqePool extends SlotPool {
  wrId = NONE.float64;
  timestampNs = NONE.float64;
  qpNum = NONE.uint32;
  byteLen = NONE.uint32;
  srcQp = NONE.uint32;
  /** Immediate data or the key that was invalidated. */
  imm = NONE.uint32;
  vendorErr = NONE.uint32;
  /** Sends: how many requests of the queue had ended with this one, modulo 2^32. */
  sequence = NONE.uint32;
  status = NONE.uint8;
  opcode = NONE.uint8;
  flags = NONE.uint8;
  /** One of {@link CqeState}. */
  state = NONE.uint8;

  /** Takes a slot and sets what every completion has; the rest is zero. */
  take(qpNum: number, wrId: number, status: number, opcode: number, timestampNs: number): number {
    const slot = this.slots.allocate();
    this.qpNum[slot] = qpNum;
    this.wrId[slot] = wrId;
    this.status[slot] = status;
    this.opcode[slot] = opcode;
    this.timestampNs[slot] = timestampNs;
    this.byteLen[slot] = 0;
    this.srcQp[slot] = 0;
    this.imm[slot] = 0;
    this.vendorErr[slot] = 0;
    this.sequence[slot] = 0;
    this.flags[slot] = 0;
    this.state[slot] = CqeState.VISIBLE;
    return slot;
  }

  /** Copies a completion into a caller's object. */
  read(slot: number, into: WorkCompletion): void {
    const flags = this.flags[slot];
    into.wrId = this.wrId[slot];
    into.status = STATUS_NAMES[this.status[slot]];
    into.opcode = WC_OP_NAMES[this.opcode[slot]];
    into.byteLen = this.byteLen[slot];
    into.qpNum = this.qpNum[slot];
    into.srcQp = this.srcQp[slot];
    into.withImm = (flags & CqeFlag.IMM) !== 0;
    into.immData = into.withImm ? this.imm[slot] : 0;
    into.withInv = (flags & CqeFlag.INV) !== 0;
    into.invalidatedRkey = into.withInv ? this.imm[slot] : 0;
    into.grh = (flags & CqeFlag.GRH) !== 0;
    into.timestampNs = this.timestampNs[slot];
    into.vendorErr = this.vendorErr[slot];
  }

  /** Forgets a completion. */
  free(slot: number): void {
    this.slots.release(slot);
  }

  protected override growColumns(capacity: number): void {
    this.wrId = grown(this.wrId, capacity);
    this.timestampNs = grown(this.timestampNs, capacity);
    this.qpNum = grown(this.qpNum, capacity);
    this.byteLen = grown(this.byteLen, capacity);
    this.srcQp = grown(this.srcQp, capacity);
    this.imm = grown(this.imm, capacity);
    this.vendorErr = grown(this.vendorErr, capacity);
    this.sequence = grown(this.sequence, capacity);
    this.status = grown(this.status, capacity);
    this.opcode = grown(this.opcode, capacity);
    this.flags = grown(this.flags, capacity);
    this.state = grown(this.state, capacity);
  }
}
