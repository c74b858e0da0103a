import { read32, write32 } from '../bytes/bytes.js';
import { outOfRange, requireBits, requireBits64, requireBytes } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { emitMad, MAD_BYTES, MAD_HEADER_BYTES, MadView } from './mad.js';

/** The management class of communication management. */
export const CM_MANAGEMENT_CLASS = 0x07;
/** The class version that every implementation speaks. */
export const CM_CLASS_VERSION = 2;
/** ComMgtSend, the one method that the messages here use. */
export const CM_METHOD_SEND = 0x03;

/** The attribute id of each message (IBTA vol. 1, table 105). */
export const CM_ATTRIBUTE_ID = {
  req: 0x0010,
  mra: 0x0011,
  rej: 0x0012,
  rep: 0x0013,
  rtu: 0x0014,
  dreq: 0x0015,
  drep: 0x0016,
  sidrReq: 0x0017,
  sidrRep: 0x0018,
  lap: 0x0019,
  apr: 0x001a,
} as const;

/** The messages of communication management that Kelpie speaks. */
export type CmKind = keyof typeof CM_ATTRIBUTE_ID;

const WRONG_CLASS = refusal('cm', 'wrong-protocol');
const BAD_CLASS_VERSION = refusal('cm', 'bad-version');
const NOT_A_SEND = refusal('cm', 'unsupported');

/** What decides whether a datagram belongs to communication management at all; the message is not looked at. */
export function refuseForeignMad(view: MadView): Refusal | null {
  if (view.managementClass !== CM_MANAGEMENT_CLASS) return WRONG_CLASS;
  if (view.classVersion !== CM_CLASS_VERSION) return BAD_CLASS_VERSION;
  return view.method === CM_METHOD_SEND ? null : NOT_A_SEND;
}

/**
 * The part that the views of all messages share: a whole datagram of 256 bytes whose body begins after the common
 * header. Places in subclasses are written as the tables of IBTA vol. 1 chapter 12 write them: the byte in the body
 * and the bit in the byte, counted from the most significant.
 *
 * The status and the attribute modifier of the header say nothing in these messages (the modifier carries vendor
 * options in later revisions): they are written as zero and not looked at.
 */
export abstract class CmMessageView extends MadView {
  readonly kind: CmKind;
  readonly #privateDataAt: number;
  readonly #wrongKind: Refusal;

  constructor(kind: CmKind, privateDataAt: number) {
    super(kind, MAD_BYTES);
    this.kind = kind;
    this.#privateDataAt = privateDataAt;
    this.#wrongKind = refusal(kind, 'unknown-kind');
  }

  /** The sender's name for the connection. */
  get localCommunicationId(): number {
    return read32(this.bytes, this.at(0));
  }
  set localCommunicationId(value: number) {
    write32(this.bytes, this.at(0), value);
  }

  /** The bytes that the message carries for the consumer, without a copy. */
  get privateData(): Uint8Array {
    return this.bytes.subarray(
      this.at(this.#privateDataAt),
      this.offset + Math.min(MAD_BYTES, this.end - this.offset),
    );
  }
  set privateData(value: Uint8Array) {
    this.bytes.set(value, this.at(this.#privateDataAt));
  }

  /** Where a byte of the body lies in the buffer. */
  protected at(bodyByte: number): number {
    return this.offset + MAD_HEADER_BYTES + bodyByte;
  }

  /** Reads up to eight bits that lie inside one byte of the body. */
  protected bits(bodyByte: number, firstBit: number, width: number): number {
    return (this.bytes[this.at(bodyByte)] >>> (8 - firstBit - width)) & (2 ** width - 1);
  }

  /** Writes up to eight bits that lie inside one byte of the body, and leaves their neighbours. */
  protected setBits(bodyByte: number, firstBit: number, width: number, value: number): void {
    const shift = 8 - firstBit - width;
    const mask = (2 ** width - 1) << shift;
    const at = this.at(bodyByte);
    this.bytes[at] = (this.bytes[at] & ~mask) | ((value << shift) & mask);
  }

  protected override check(): Refusal | null {
    const refused = super.check() ?? refuseForeignMad(this);
    if (refused !== null) return refused;
    return this.attributeId === CM_ATTRIBUTE_ID[this.kind] ? null : this.#wrongKind;
  }
}

/** The views of all messages but REQ, which is sent before the other side has a name for the connection. */
export abstract class CmAnswerView extends CmMessageView {
  /** The receiver's name for the connection; zero in a REJ that answers an unreadable message. */
  get remoteCommunicationId(): number {
    return read32(this.bytes, this.at(4));
  }
  set remoteCommunicationId(value: number) {
    write32(this.bytes, this.at(4), value);
  }
}

/** What the meanings of all messages share. */
export interface CmMessageBase {
  /** Ties a message to its answer. */
  transactionId: bigint;
  /** The sender's name for the connection. */
  localCommunicationId: number;
  /** Bytes for the consumer: always the whole field, see {@link padPrivateData}. */
  privateData: Uint8Array;
}

/** What the meanings of all messages but REQ share. */
export interface CmAnswerBase extends CmMessageBase {
  /** The receiver's name for the connection. */
  remoteCommunicationId: number;
}

/** Throws unless each named field of `meaning` is an unsigned integer of the given number of bits. */
export function requireWidths<Name extends string>(
  header: string,
  meaning: Readonly<Record<NoInfer<Name>, number>>,
  widths: Readonly<Record<Name, number>>,
): void {
  for (const name in widths) requireBits(`${header}.${name}`, meaning[name], widths[name]);
}

/** Copies the named fields of a meaning into the view that writes them. */
export function writeFields<Name extends string>(
  meaning: Readonly<Record<NoInfer<Name>, number>>,
  view: Record<NoInfer<Name>, number>,
  widths: Readonly<Record<Name, number>>,
): void {
  for (const name in widths) view[name] = meaning[name];
}

/**
 * Points `view` at room for the message, zeroes all 256 bytes and writes what all messages share. Checks what it
 * writes, so a message calls it after its own checks and before its own writes.
 */
export function beginMessage(
  message: CmMessageBase,
  view: CmMessageView,
  bytes: Uint8Array,
  offset: number,
  privateDataBytes: number,
): void {
  requireBits(`${view.kind}.localCommunicationId`, message.localCommunicationId, 32);
  requireBits64(`${view.kind}.transactionId`, message.transactionId);
  requireBytes(`${view.kind}.privateData`, message.privateData, privateDataBytes);
  view.wrapForWriting(bytes, offset, MAD_BYTES);
  bytes.fill(0, offset, offset + MAD_BYTES);
  emitMad(
    {
      managementClass: CM_MANAGEMENT_CLASS,
      classVersion: CM_CLASS_VERSION,
      method: CM_METHOD_SEND,
      status: 0,
      classSpecific: 0,
      transactionId: message.transactionId,
      attributeId: CM_ATTRIBUTE_ID[view.kind],
      attributeModifier: 0,
    },
    bytes,
    offset,
  );
  view.localCommunicationId = message.localCommunicationId;
  view.privateData = message.privateData;
}

/**
 * The private data of a message: `given`, filled up with zeros to the size of the field. Messages do not say how much
 * of the field is used, so a reader always gets all of it.
 *
 * @example
 * padPrivateData(REP_PRIVATE_DATA_BYTES, new Uint8Array([1, 2, 3]));
 */
export function padPrivateData(size: number, given: Uint8Array = new Uint8Array(0)): Uint8Array {
  if (given.length > size) outOfRange('privateData', given.length, `at most ${size} bytes`);
  const padded = new Uint8Array(size);
  padded.set(given);
  return padded;
}
