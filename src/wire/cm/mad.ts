import { read16, read32, read64Exact, write16, write32, write64Exact } from '../bytes/bytes.js';
import { requireBits, requireBits64 } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';

/** The size of the header that every management datagram begins with (IBTA vol. 1, §13.4.2). */
export const MAD_HEADER_BYTES = 24;
/** The size of every management datagram, header included; what a message does not use is zero. */
export const MAD_BYTES = 256;
/** The only base version there is. */
export const MAD_BASE_VERSION = 1;

const BASE_VERSION = 0;
const MANAGEMENT_CLASS = 1;
const CLASS_VERSION = 2;
const METHOD = 3;
const STATUS = 4;
const CLASS_SPECIFIC = 6;
const TRANSACTION_ID = 8;
const ATTRIBUTE_ID = 16;
const RESERVED = 18;
const ATTRIBUTE_MODIFIER = 20;

const BAD_BASE_VERSION = refusal('mad', 'bad-version');

/** A checked view over the common header of a management datagram. */
export class MadView extends View {
  constructor(header = 'mad', minimumBytes: number = MAD_HEADER_BYTES) {
    super(header, minimumBytes);
  }

  /** Version of the header itself: 1. */
  get baseVersion(): number {
    return this.bytes[this.offset + BASE_VERSION] | 0;
  }
  set baseVersion(value: number) {
    this.bytes[this.offset + BASE_VERSION] = value;
  }

  /** Which kind of agent is spoken to: 0x07 for communication management. */
  get managementClass(): number {
    return this.bytes[this.offset + MANAGEMENT_CLASS] | 0;
  }
  set managementClass(value: number) {
    this.bytes[this.offset + MANAGEMENT_CLASS] = value;
  }

  /** Version of the management class. */
  get classVersion(): number {
    return this.bytes[this.offset + CLASS_VERSION] | 0;
  }
  set classVersion(value: number) {
    this.bytes[this.offset + CLASS_VERSION] = value;
  }

  /** What to do with the attribute; the top bit marks a response. */
  get method(): number {
    return this.bytes[this.offset + METHOD] | 0;
  }
  set method(value: number) {
    this.bytes[this.offset + METHOD] = value;
  }

  /** Result of a response. */
  get status(): number {
    return read16(this.bytes, this.offset + STATUS);
  }
  set status(value: number) {
    write16(this.bytes, this.offset + STATUS, value);
  }

  /** Sixteen bits that belong to the management class. */
  get classSpecific(): number {
    return read16(this.bytes, this.offset + CLASS_SPECIFIC);
  }
  set classSpecific(value: number) {
    write16(this.bytes, this.offset + CLASS_SPECIFIC, value);
  }

  /** The number that ties the messages of one exchange together. */
  get transactionId(): bigint {
    return read64Exact(this.bytes, this.offset + TRANSACTION_ID);
  }
  set transactionId(value: bigint) {
    write64Exact(this.bytes, this.offset + TRANSACTION_ID, value);
  }

  /** What the datagram is about; in communication management the message itself. */
  get attributeId(): number {
    return read16(this.bytes, this.offset + ATTRIBUTE_ID);
  }
  set attributeId(value: number) {
    write16(this.bytes, this.offset + ATTRIBUTE_ID, value);
  }

  /** Further detail of the attribute. */
  get attributeModifier(): number {
    return read32(this.bytes, this.offset + ATTRIBUTE_MODIFIER);
  }
  set attributeModifier(value: number) {
    write32(this.bytes, this.offset + ATTRIBUTE_MODIFIER, value);
  }

  /** Zeroes the sixteen reserved bits after the attribute id. */
  clearReserved(): void {
    write16(this.bytes, this.offset + RESERVED, 0);
  }

  protected override check(): Refusal | null {
    return this.baseVersion === MAD_BASE_VERSION ? null : BAD_BASE_VERSION;
  }
}

/** The common header of a management datagram; the base version is always 1. */
export interface Mad {
  managementClass: number;
  classVersion: number;
  method: number;
  status: number;
  classSpecific: number;
  transactionId: bigint;
  attributeId: number;
  attributeModifier: number;
}

/** Reads the common header from a view that was wrapped without a refusal. */
export function parseMad(view: MadView): Mad | Refusal {
  return {
    managementClass: view.managementClass,
    classVersion: view.classVersion,
    method: view.method,
    status: view.status,
    classSpecific: view.classSpecific,
    transactionId: view.transactionId,
    attributeId: view.attributeId,
    attributeModifier: view.attributeModifier,
  };
}

const writing = new MadView();

/** Writes the common header and returns its size. */
export function emitMad(mad: Mad, bytes: Uint8Array, offset: number): number {
  requireBits('mad.managementClass', mad.managementClass, 8);
  requireBits('mad.classVersion', mad.classVersion, 8);
  requireBits('mad.method', mad.method, 8);
  requireBits('mad.status', mad.status, 16);
  requireBits('mad.classSpecific', mad.classSpecific, 16);
  requireBits64('mad.transactionId', mad.transactionId);
  requireBits('mad.attributeId', mad.attributeId, 16);
  requireBits('mad.attributeModifier', mad.attributeModifier, 32);
  writing.wrapForWriting(bytes, offset);
  writing.baseVersion = MAD_BASE_VERSION;
  writing.managementClass = mad.managementClass;
  writing.classVersion = mad.classVersion;
  writing.method = mad.method;
  writing.status = mad.status;
  writing.classSpecific = mad.classSpecific;
  writing.transactionId = mad.transactionId;
  writing.attributeId = mad.attributeId;
  writing.clearReserved();
  writing.attributeModifier = mad.attributeModifier;
  writing.release();
  return MAD_HEADER_BYTES;
}
