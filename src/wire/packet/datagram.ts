import { KelpieError } from '../../error.js';
import { outOfRange } from '../bytes/field.js';
import { isRefusal, type Refusal, refusal } from '../bytes/refusal.js';
import { BTH_BYTES, type Bth, BthView, checkBth, emitBth } from '../ib/bth.js';
import {
  type ExtendedHeaders,
  ExtendedHeadersView,
  emitExtendedHeaders,
  parseExtendedHeaders,
} from '../ib/extended.js';
import { ICRC_BYTES, readIcrc } from '../ib/icrc.js';
import { OPCODES, type OpcodeInfo, opcodeInfo } from '../ib/opcode.js';

const BAD_LENGTH = refusal('roce', 'bad-length');
const TRUNCATED = refusal('roce', 'truncated');

/** A checked view over the UDP payload of a RoCEv2 packet: BTH, extended headers, payload, pad, ICRC. */
export class RoceDatagramView {
  /** What an opcode says about its packet. */
  readonly #infoOf: typeof opcodeInfo;
  readonly bth = new BthView();
  /** The extended headers; those that the opcode does not ask for point at nothing. */
  readonly extended = new ExtendedHeadersView();
  /** What the opcode says about the packet. */
  info: OpcodeInfo = OPCODES[0];
  /** Where the payload begins. */
  payloadOffset = 0;
  /** Where the payload ends and its pad begins. */
  payloadEnd = 0;
  /** Where the ICRC stands. */
  icrcOffset = 0;

  /** `infoOf`: for packets with other headers than the specification's; default: `opcodeInfo`. */
  constructor(infoOf: typeof opcodeInfo = opcodeInfo) {
    this.#infoOf = infoOf;
  }

  /** Points the view at the UDP payload `bytes[offset, end)`. The ICRC is not verified: it needs the IP header. */
  wrap(bytes: Uint8Array, offset: number, end: number): Refusal | null {
    const refused = this.#locate(bytes, offset, end);
    if (refused !== null) this.release();
    return refused;
  }

  #locate(bytes: Uint8Array, offset: number, end: number): Refusal | null {
    const refused = this.bth.wrap(bytes, offset, end) ?? checkBth(this.bth);
    if (refused !== null) return refused;
    const icrcOffset = end - ICRC_BYTES;
    const info = this.#infoOf(this.bth.opcode) as OpcodeInfo;
    const payloadOffset = offset + BTH_BYTES + info.headerBytes;
    if (payloadOffset > icrcOffset) return TRUNCATED;
    const wrong = this.extended.wrap(info, bytes, offset + BTH_BYTES, icrcOffset);
    if (wrong !== null) return wrong;
    const paddedBytes = icrcOffset - payloadOffset;
    const padBytes = this.bth.padBytes;
    // IBTA 9.2.3: the pad fills the payload up to a multiple of four bytes, so the padded payload is one.
    if (paddedBytes % 4 !== 0 || padBytes > paddedBytes) return BAD_LENGTH;
    if (!info.hasPayload && paddedBytes !== 0) return BAD_LENGTH;
    this.info = info;
    this.payloadOffset = payloadOffset;
    this.payloadEnd = icrcOffset - padBytes;
    this.icrcOffset = icrcOffset;
    return null;
  }

  /** Points every view at nothing. */
  release(): void {
    this.bth.release();
    this.extended.release();
    this.payloadOffset = 0;
    this.payloadEnd = 0;
    this.icrcOffset = 0;
  }
}

/** What a BTH means inside a packet, whose pad follows from the payload. */
export type RoceBth = Omit<Bth, 'padBytes'>;

/** What the UDP payload of a RoCEv2 packet means. */
export interface RoceDatagram extends ExtendedHeaders {
  bth: RoceBth;
  /** A view on the bytes that were parsed; copy it to keep it. */
  payload: Uint8Array;
}

/** A datagram with the ICRC that it carries, which only those who know the IP header can verify. */
export interface ReceivedDatagram extends RoceDatagram {
  icrc: number;
}

/** Reads the meaning of a wrapped view over `bytes`. */
export function parseDatagramView(view: RoceDatagramView, bytes: Uint8Array): RoceDatagram | Refusal {
  const { bth } = view;
  const meaning: RoceDatagram = {
    bth: {
      opcode: bth.opcode,
      solicitedEvent: bth.solicitedEvent,
      migrationRequest: bth.migrationRequest,
      partitionKey: bth.partitionKey,
      fecn: bth.fecn,
      becn: bth.becn,
      destinationQp: bth.destinationQp,
      ackRequest: bth.ackRequest,
      psn: bth.psn,
    },
    payload: bytes.subarray(view.payloadOffset, view.payloadEnd),
  };
  return parseExtendedHeaders(view.info, view.extended, meaning) ?? meaning;
}

const reader = new RoceDatagramView();

/**
 * Reads a RoCEv2 packet from its UDP payload alone, for those who receive through a UDP socket.
 *
 * @example
 * const datagram = parseRoceDatagram(message);
 * if (!isRefusal(datagram)) console.log(opcodeInfo(datagram.bth.opcode)?.name, datagram.payload.length);
 */
export function parseRoceDatagram(
  bytes: Uint8Array,
  offset = 0,
  end = bytes.length,
): ReceivedDatagram | Refusal {
  const refused = reader.wrap(bytes, offset, end);
  if (refused !== null) return refused;
  const meaning = parseDatagramView(reader, bytes);
  const icrc = readIcrc(bytes, reader.icrcOffset);
  reader.release();
  return isRefusal(meaning) ? meaning : { ...meaning, icrc };
}

/** Bytes of the UDP payload that a datagram will take, pad and ICRC included. */
export function roceDatagramBytes(datagram: RoceDatagram): number {
  const info = knownOpcode(datagram.bth.opcode);
  return BTH_BYTES + info.headerBytes + ((datagram.payload.length + 3) & ~3) + ICRC_BYTES;
}

function knownOpcode(opcode: number): OpcodeInfo {
  return opcodeInfo(opcode) ?? outOfRange('bth.opcode', opcode, 'a number of OPCODE');
}

/** Writes BTH, extended headers, payload and pad, leaves the ICRC to the caller, and returns where it belongs. */
export function emitDatagramBody(datagram: RoceDatagram, bytes: Uint8Array, offset: number): number {
  const { bth, payload } = datagram;
  const info = knownOpcode(bth.opcode);
  if (payload.length > 0 && !info.hasPayload) {
    throw new KelpieError('WIRE_WRONG_HEADERS', `a packet of opcode ${info.name} carries no payload`, {
      field: 'payload.length',
      given: payload.length,
      allowed: '0',
    });
  }
  const padBytes = -payload.length & 3;
  let at = offset;
  at += emitBth({ ...bth, padBytes }, bytes, at);
  at += emitExtendedHeaders(info, datagram, bytes, at);
  bytes.set(payload, at);
  at += payload.length;
  bytes.fill(0, at, at + padBytes);
  return at + padBytes;
}
