import { read24, write24 } from '../bytes/bytes.js';
import { requireAtMost, requireBits } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';
import { EXTENDED_HEADER_BYTES } from './opcode.js';

/** Bytes of an acknowledge extended transport header (IBTA volume 1, 9.5.1). */
export const AETH_BYTES = EXTENDED_HEADER_BYTES.aeth;

const SYNDROME = 0;
const MSN = 1;

const KIND_MASK = 0xe0;
const VALUE_MASK = 0x1f;
const KIND_ACK = 0x00;
const KIND_RNR_NAK = 0x20;
const KIND_NAK = 0x60;

const UNKNOWN_KIND = refusal('aeth', 'unknown-kind');
const UNKNOWN_CODE = refusal('aeth', 'bad-field');

/** NAK codes (IBTA volume 1, table 'NAK codes', 9.7.5.2). */
export const NAK_CODE = {
  PSN_SEQUENCE_ERROR: 0,
  INVALID_REQUEST: 1,
  REMOTE_ACCESS_ERROR: 2,
  REMOTE_OPERATIONAL_ERROR: 3,
  INVALID_RD_REQUEST: 4,
} as const;
const LAST_NAK_CODE = NAK_CODE.INVALID_RD_REQUEST;

/** The credit code that says: no end-to-end flow control. */
export const CREDITS_UNLIMITED = 31;

/** Receive credits by code 0 to 30 (IBTA volume 1, 9.7.7.2); code 31 is {@link CREDITS_UNLIMITED}. */
export const CREDIT_COUNTS: readonly number[] = Object.freeze([
  0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
  6144, 8192, 12288, 16384, 24576, 32768,
]);

/** RNR NAK waits by timer code 0 to 31, in nanoseconds (IBTA volume 1, 9.7.5.2.8). Code 0 is the longest. */
export const RNR_TIMER_NS: readonly number[] = Object.freeze(
  [
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
    4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
  ].map((tensOfMicroseconds) => tensOfMicroseconds * 10_000),
);

/** The largest credit code whose count does not exceed `credits`: a responder must not promise more than it has. */
export function creditCode(credits: number): number {
  let code = CREDIT_COUNTS.length - 1;
  while (code > 0 && CREDIT_COUNTS[code] > credits) code -= 1;
  return code;
}

/** A checked view over an acknowledge extended transport header. */
export class AethView extends View {
  constructor() {
    super('aeth', AETH_BYTES);
  }

  /** The syndrome as it stands: kind in the upper three bits, credit, timer or code in the lower five. */
  get syndrome(): number {
    return this.bytes[this.offset + SYNDROME];
  }
  set syndrome(value: number) {
    this.bytes[this.offset + SYNDROME] = value;
  }

  /** The 24-bit message sequence number. */
  get msn(): number {
    return read24(this.bytes, this.offset + MSN);
  }
  set msn(value: number) {
    write24(this.bytes, this.offset + MSN, value);
  }
}

/** An acknowledgement with the responder's credit code; see {@link CREDIT_COUNTS}. */
export interface AethAck {
  kind: 'ack';
  /** 0 to 30, or {@link CREDITS_UNLIMITED}. */
  creditCode: number;
  msn: number;
}

/** 'Receiver not ready': retry after {@link RNR_TIMER_NS}. */
export interface AethRnrNak {
  kind: 'rnr-nak';
  /** 0 to 31. */
  timerCode: number;
  msn: number;
}

/** A negative acknowledgement with one of {@link NAK_CODE}. */
export interface AethNak {
  kind: 'nak';
  code: number;
  msn: number;
}

/** What an acknowledge extended transport header means. */
export type Aeth = AethAck | AethRnrNak | AethNak;

/** Reads the meaning of a wrapped view; reserved kinds and codes are refused. */
export function parseAeth(view: AethView): Aeth | Refusal {
  const value = view.syndrome & VALUE_MASK;
  const msn = view.msn;
  switch (view.syndrome & KIND_MASK) {
    case KIND_ACK:
      return { kind: 'ack', creditCode: value, msn };
    case KIND_RNR_NAK:
      return { kind: 'rnr-nak', timerCode: value, msn };
    case KIND_NAK:
      return value > LAST_NAK_CODE ? UNKNOWN_CODE : { kind: 'nak', code: value, msn };
    default:
      return UNKNOWN_KIND;
  }
}

/** The syndrome byte of a meaning. */
export function aethSyndrome(meaning: Aeth): number {
  switch (meaning.kind) {
    case 'ack':
      requireBits('aeth.creditCode', meaning.creditCode, 5);
      return KIND_ACK | meaning.creditCode;
    case 'rnr-nak':
      requireBits('aeth.timerCode', meaning.timerCode, 5);
      return KIND_RNR_NAK | meaning.timerCode;
    case 'nak':
      requireAtMost('aeth.code', meaning.code, LAST_NAK_CODE);
      return KIND_NAK | meaning.code;
  }
}

const writer = new AethView();

/** Writes the header and returns its 4 bytes. */
export function emitAeth(meaning: Aeth, bytes: Uint8Array, offset: number): number {
  requireBits('aeth.msn', meaning.msn, 24);
  const syndrome = aethSyndrome(meaning);
  writer.wrapForWriting(bytes, offset);
  writer.syndrome = syndrome;
  writer.msn = meaning.msn;
  writer.release();
  return AETH_BYTES;
}
