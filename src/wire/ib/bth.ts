import { read16, read24, write16, write24 } from '../bytes/bytes.js';
import { outOfRange, requireBits } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';
import { opcodeInfo } from './opcode.js';

/** Bytes of a base transport header (IBTA volume 1, 9.2). */
export const BTH_BYTES = 12;

const OPCODE = 0;
const FLAGS = 1;
const PARTITION_KEY = 2;
const NOTIFICATION = 4;
const DESTINATION_QP = 5;
const ACK_REQUEST = 8;
const PSN = 9;

const SOLICITED_EVENT = 0x80;
const MIGRATION_REQUEST = 0x40;
const PAD_SHIFT = 4;
const PAD_MASK = 0x30;
const VERSION_MASK = 0x0f;
const FECN = 0x80;
const BECN = 0x40;
const ACK_REQUEST_BIT = 0x80;

const BAD_VERSION = refusal('bth', 'bad-version');
const UNKNOWN_OPCODE = refusal('bth', 'unknown-opcode');

/** A checked view over a base transport header. */
export class BthView extends View {
  constructor() {
    super('bth', BTH_BYTES);
  }

  /** What the packet is; see `opcodeInfo`. */
  get opcode(): number {
    return this.bytes[this.offset + OPCODE];
  }
  set opcode(value: number) {
    this.bytes[this.offset + OPCODE] = value;
  }

  /** SE: the receiver's completion raises a solicited event. */
  get solicitedEvent(): boolean {
    return this.#flag(FLAGS, SOLICITED_EVENT);
  }
  set solicitedEvent(value: boolean) {
    this.#setFlag(FLAGS, SOLICITED_EVENT, value);
  }

  /** M: the path migration state is 'migrated'. */
  get migrationRequest(): boolean {
    return this.#flag(FLAGS, MIGRATION_REQUEST);
  }
  set migrationRequest(value: boolean) {
    this.#setFlag(FLAGS, MIGRATION_REQUEST, value);
  }

  /** PadCnt: 0 to 3 bytes that fill the payload up to a word. */
  get padBytes(): number {
    return (this.bytes[this.offset + FLAGS] & PAD_MASK) >>> PAD_SHIFT;
  }
  set padBytes(value: number) {
    const rest = this.bytes[this.offset + FLAGS] & ~PAD_MASK;
    this.bytes[this.offset + FLAGS] = rest | ((value << PAD_SHIFT) & PAD_MASK);
  }

  /** TVer: the version of the transport headers, 0. */
  get transportVersion(): number {
    return this.bytes[this.offset + FLAGS] & VERSION_MASK;
  }
  set transportVersion(value: number) {
    const rest = this.bytes[this.offset + FLAGS] & ~VERSION_MASK;
    this.bytes[this.offset + FLAGS] = rest | (value & VERSION_MASK);
  }

  /** P_Key. */
  get partitionKey(): number {
    return read16(this.bytes, this.offset + PARTITION_KEY);
  }
  set partitionKey(value: number) {
    write16(this.bytes, this.offset + PARTITION_KEY, value);
  }

  /** Forward congestion notification: a bit of the byte that the ICRC masks (resv8a). */
  get fecn(): boolean {
    return this.#flag(NOTIFICATION, FECN);
  }
  set fecn(value: boolean) {
    this.#setFlag(NOTIFICATION, FECN, value);
  }

  /** Backward congestion notification; set in a CNP. */
  get becn(): boolean {
    return this.#flag(NOTIFICATION, BECN);
  }
  set becn(value: boolean) {
    this.#setFlag(NOTIFICATION, BECN, value);
  }

  /** The 24-bit number of the destination queue pair. */
  get destinationQp(): number {
    return read24(this.bytes, this.offset + DESTINATION_QP);
  }
  set destinationQp(value: number) {
    write24(this.bytes, this.offset + DESTINATION_QP, value);
  }

  /** A: the responder is to acknowledge. */
  get ackRequest(): boolean {
    return this.#flag(ACK_REQUEST, ACK_REQUEST_BIT);
  }
  set ackRequest(value: boolean) {
    this.#setFlag(ACK_REQUEST, ACK_REQUEST_BIT, value);
  }

  /** The 24-bit packet sequence number. */
  get psn(): number {
    return read24(this.bytes, this.offset + PSN);
  }
  set psn(value: number) {
    write24(this.bytes, this.offset + PSN, value);
  }

  #flag(at: number, bit: number): boolean {
    return (this.bytes[this.offset + at] & bit) !== 0;
  }

  #setFlag(at: number, bit: number, value: boolean): void {
    const rest = this.bytes[this.offset + at] & ~bit;
    this.bytes[this.offset + at] = value ? rest | bit : rest;
  }
}

/** What a base transport header means. The transport version is 0 and reserved bits are left out. */
export interface Bth {
  /** One of `OPCODE`. */
  opcode: number;
  /** SE: the receiver's completion raises a solicited event. */
  solicitedEvent: boolean;
  /** M: the path migration state is 'migrated'. */
  migrationRequest: boolean;
  /** PadCnt: 0 to 3 bytes that fill the payload up to a word. */
  padBytes: number;
  /** P_Key; 0xffff is the default partition with full membership. */
  partitionKey: number;
  /** Forward congestion notification. */
  fecn: boolean;
  /** Backward congestion notification. */
  becn: boolean;
  /** The 24-bit number of the destination queue pair. */
  destinationQp: number;
  /** A: the responder is to acknowledge. */
  ackRequest: boolean;
  /** The 24-bit packet sequence number. */
  psn: number;
}

/** What {@link parseBth} checks, without building a meaning. Reserved bits are ignored on reception (IBTA 9.2). */
export function checkBth(view: BthView): Refusal | null {
  if (view.transportVersion !== 0) return BAD_VERSION;
  return opcodeInfo(view.opcode) === undefined ? UNKNOWN_OPCODE : null;
}

/** Reads the meaning of a wrapped view. */
export function parseBth(view: BthView): Bth | Refusal {
  const refused = checkBth(view);
  if (refused !== null) return refused;
  return {
    opcode: view.opcode,
    solicitedEvent: view.solicitedEvent,
    migrationRequest: view.migrationRequest,
    padBytes: view.padBytes,
    partitionKey: view.partitionKey,
    fecn: view.fecn,
    becn: view.becn,
    destinationQp: view.destinationQp,
    ackRequest: view.ackRequest,
    psn: view.psn,
  };
}

const writer = new BthView();

/** Writes the header and returns its 12 bytes. */
export function emitBth(meaning: Bth, bytes: Uint8Array, offset: number): number {
  if (opcodeInfo(meaning.opcode) === undefined)
    outOfRange('bth.opcode', meaning.opcode, 'a number of OPCODE');
  requireBits('bth.padBytes', meaning.padBytes, 2);
  requireBits('bth.partitionKey', meaning.partitionKey, 16);
  requireBits('bth.destinationQp', meaning.destinationQp, 24);
  requireBits('bth.psn', meaning.psn, 24);
  writer.wrapForWriting(bytes, offset);
  writer.opcode = meaning.opcode;
  writer.solicitedEvent = meaning.solicitedEvent;
  writer.migrationRequest = meaning.migrationRequest;
  writer.padBytes = meaning.padBytes;
  writer.partitionKey = meaning.partitionKey;
  writer.fecn = meaning.fecn;
  writer.becn = meaning.becn;
  writer.destinationQp = meaning.destinationQp;
  writer.ackRequest = meaning.ackRequest;
  writer.psn = meaning.psn;
  writer.release();
  return BTH_BYTES;
}
