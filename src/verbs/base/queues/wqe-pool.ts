import type { AddressHandle } from '../../address-handle.js';
import type { RemoteAddress } from '../../remote-address.js';
import type { SendList } from '../../send-list.js';
import type {
  BindMwOperation,
  EnableOperation,
  RegMrOperation,
  Sge,
  WaitOperation,
} from '../../work-request.js';
import { highWord, lowWord } from '../memory/address-words.js';
import { grown, NONE } from './column.js';
import { SgeArena } from './sge-arena.js';
import { SlotPool } from './slots.js';

/** Bits of a request's `flags`. */
export const WqeFlag = { SIGNALED: 1, FENCE: 2, SOLICITED: 4, INLINE: 8 } as const;

/** Where a send request is on its way. */
export const Phase = {
  /** In the queue; the device has not begun with it. */
  POSTED: 0,
  /** The device works on it. */
  TAKEN: 1,
  /** It has a result and waits for the requests before it. */
  DONE: 2,
} as const;

/** What does not fit into numbers: inline bytes, the way of a datagram, the rare operations. */
export type WqeExtra =
  | Uint8Array
  | AddressHandle
  | DatagramInline
  | RegMrOperation
  | BindMwOperation
  | WaitOperation
  | EnableOperation;

/** A datagram with inline bytes needs both. */
export interface DatagramInline {
  ah: AddressHandle;
  inline: Uint8Array;
}

/**
 * All work requests of a device, send and receive, as a struct of arrays: a posted request is a slot number. Queues
 * link slots through `next`.
 *
 * Column `remoteLow` holds a datagram's destination queue pair, `rkey` its Q_Key: UD has neither address nor key.
 * Column `imm` holds the immediate data or the key to invalidate, and after the end a failure's vendor code.
 */
export class WqePool extends SlotPool {
  readonly sges = new SgeArena();
  opcode = NONE.uint8;
  flags = NONE.uint8;
  /** One of {@link Phase}; sends only. */
  phase = NONE.uint8;
  /** How the request ended or will end, one of `Status`. */
  status = NONE.uint8;
  sgeCount = NONE.uint16;
  sgeStart = NONE.int32;
  /** Bytes of the message; for a receive the bytes it has room for. */
  length = NONE.uint32;
  wrId = NONE.float64;
  /** The remote address, as two words. */
  remoteHigh = NONE.uint32;
  remoteLow = NONE.uint32;
  rkey = NONE.uint32;
  imm = NONE.uint32;
  /** `compareAdd` and `swap` of atomics at `2 * slot`; empty until the first atomic is posted. */
  operands = NONE.bigUint64;
  /** The same as words, low one first, at `4 * slot`: reading them makes no bigint. */
  operandWords = NONE.uint32;
  /** `undefined` where a request has nothing extra; empty until the first has something. */
  readonly extra: (WqeExtra | undefined)[] = [];

  /** Takes a slot for a request and sets all its columns but the scatter-gather list and the remote side. */
  take(opcode: number, flags: number, wrId: number): number {
    const slot = this.slots.allocate();
    this.opcode[slot] = opcode;
    this.flags[slot] = flags;
    this.phase[slot] = 0;
    this.status[slot] = 0;
    this.sgeCount[slot] = 0;
    this.length[slot] = 0;
    this.wrId[slot] = wrId;
    return slot;
  }

  /** Copies a scatter-gather list and its total into the request. */
  setSges(slot: number, list: readonly Sge[], totalBytes: number): void {
    const count = list.length;
    this.length[slot] = totalBytes;
    this.sgeCount[slot] = count;
    if (count === 0) return;
    const { sges } = this;
    const start = sges.allocate(count);
    this.sgeStart[slot] = start;
    for (let index = 0; index < count; index++) {
      const sge = list[index];
      sges.addr[start + index] = sge.addr;
      sges.length[start + index] = sge.length;
      sges.lkey[start + index] = sge.lkey;
    }
  }

  /** The same of a row of a list. */
  setElements(slot: number, list: SendList, row: number, totalBytes: number): void {
    const count = list.sgeCount[row];
    this.length[slot] = totalBytes;
    this.sgeCount[slot] = count;
    if (count === 0) return;
    const { sges } = this;
    const start = sges.allocate(count);
    const first = row * list.maxSge;
    this.sgeStart[slot] = start;
    for (let index = 0; index < count; index++) {
      sges.addr[start + index] = list.addr[first + index];
      sges.length[start + index] = list.length[first + index];
      sges.lkey[start + index] = list.lkey[first + index];
    }
  }

  /** Keeps the way of a datagram. */
  setTarget(slot: number, ah: AddressHandle, qpn: number, qkey: number): void {
    this.remoteLow[slot] = qpn;
    this.rkey[slot] = qkey;
    const inlined = (this.flags[slot] & WqeFlag.INLINE) !== 0;
    this.keepExtra(slot, inlined ? { ah, inline: this.extra[slot] as Uint8Array } : ah);
  }

  /** Keeps the remote address, as two words. */
  setRemote(slot: number, address: RemoteAddress): void {
    this.remoteHigh[slot] = highWord(address);
    this.remoteLow[slot] = lowWord(address);
  }

  /** Keeps the operands of an atomic. */
  setOperands(slot: number, compareAdd: bigint, swap: bigint): void {
    if (this.operands.length === 0) this.keepOperands(new BigUint64Array(2 * this.capacity));
    this.operands[2 * slot] = compareAdd;
    this.operands[2 * slot + 1] = swap;
  }

  /** Keeps what does not fit into numbers. */
  keepExtra(slot: number, extra: WqeExtra): void {
    if (this.extra.length === 0) this.growExtra(this.capacity);
    this.extra[slot] = extra;
  }

  /** The inline bytes of a request with the INLINE flag. */
  inlineOf(slot: number): Uint8Array {
    const extra = this.extra[slot] as Uint8Array | DatagramInline;
    return extra instanceof Uint8Array ? extra : extra.inline;
  }

  /** The way of a UD request. */
  addressOf(slot: number): AddressHandle {
    const extra = this.extra[slot] as AddressHandle | DatagramInline;
    return 'ah' in extra ? extra.ah : extra;
  }

  /** Forgets a request: its slot and its list may be used again. */
  free(slot: number): void {
    if (this.sgeCount[slot] > 0) this.sges.release(this.sgeStart[slot], this.sgeCount[slot]);
    if (this.extra.length > 0 && this.extra[slot] !== undefined) this.extra[slot] = undefined;
    this.slots.release(slot);
  }

  protected override growColumns(capacity: number): void {
    this.opcode = grown(this.opcode, capacity);
    this.flags = grown(this.flags, capacity);
    this.phase = grown(this.phase, capacity);
    this.status = grown(this.status, capacity);
    this.sgeCount = grown(this.sgeCount, capacity);
    this.sgeStart = grown(this.sgeStart, capacity);
    this.length = grown(this.length, capacity);
    this.wrId = grown(this.wrId, capacity);
    this.remoteHigh = grown(this.remoteHigh, capacity);
    this.remoteLow = grown(this.remoteLow, capacity);
    this.rkey = grown(this.rkey, capacity);
    this.imm = grown(this.imm, capacity);
    if (this.operands.length > 0) this.keepOperands(grown(this.operands, 2 * capacity));
    if (this.extra.length > 0) this.growExtra(capacity);
  }

  private growExtra(capacity: number): void {
    while (this.extra.length < capacity) this.extra.push(undefined);
  }

  private keepOperands(operands: BigUint64Array<ArrayBuffer>): void {
    this.operands = operands;
    this.operandWords = new Uint32Array(operands.buffer);
  }
}
