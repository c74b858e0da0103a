/**
 * Communication management: the datagrams on QP 1 that set up and take down connections (IBTA vol. 1, chapter 12).
 *
 * Besides the messages of connections ({@link CmMessage}) there are those that ask for the queue pair of datagrams and
 * for another path ({@link CmServiceMessage}). Vendor options of later revisions are **not** supported.
 *
 * @example
 * const message = parseCm(payload);
 * if (!isRefusal(message) && message.kind === 'req') console.log(message.localQpn);
 */
import { read32 } from '../bytes/bytes.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import {
  type Apr,
  AprView,
  emitApr,
  emitLap,
  type Lap,
  LapView,
  parseApr,
  parseLap,
} from './alternate-path.js';
import { type Drep, DrepView, emitDrep, parseDrep } from './drep.js';
import { type Dreq, DreqView, emitDreq, parseDreq } from './dreq.js';
import { MAD_BYTES, MAD_HEADER_BYTES, MadView } from './mad.js';
import { CM_ATTRIBUTE_ID, refuseForeignMad } from './message.js';
import { emitMra, type Mra, MraView, parseMra } from './mra.js';
import { emitRej, parseRej, type Rej, RejView } from './rej.js';
import { emitRep, parseRep, type Rep, RepView } from './rep.js';
import { emitReq, parseReq, type Req, ReqView } from './req.js';
import { emitRtu, parseRtu, type Rtu, RtuView } from './rtu.js';
import {
  emitSidrRep,
  emitSidrReq,
  parseSidrRep,
  parseSidrReq,
  type SidrRep,
  SidrRepView,
  type SidrReq,
  SidrReqView,
} from './sidr.js';

export { APR_PRIVATE_DATA_BYTES, APR_STATUS, type Apr, type Lap } from './alternate-path.js';
export * from './drep.js';
export * from './dreq.js';
export * from './mad.js';
export {
  CM_ATTRIBUTE_ID,
  CM_CLASS_VERSION,
  CM_MANAGEMENT_CLASS,
  CM_METHOD_SEND,
  type CmAnswerBase,
  CmAnswerView,
  type CmKind,
  type CmMessageBase,
  CmMessageView,
  padPrivateData,
} from './message.js';
export * from './mra.js';
export { CM_PATH_BYTES, type CmPath, CmPathView } from './path.js';
export * from './rdma-cm-private-data.js';
export * from './rej.js';
export * from './rej-reason.js';
export * from './rep.js';
export * from './req.js';
export * from './rtu.js';
export {
  SIDR_REP_PRIVATE_DATA_BYTES,
  SIDR_REQ_PRIVATE_DATA_BYTES,
  SIDR_STATUS,
  type SidrRep,
  type SidrReq,
  sidrStatusName,
} from './sidr.js';

/** Any message about a connection; `kind` tells which. */
export type CmMessage = Req | Mra | Rej | Rep | Rtu | Dreq | Drep;

/** Any message that is not about the life of a connection. */
export type CmServiceMessage = SidrReq | SidrRep | Lap | Apr;

const TRUNCATED = refusal('cm', 'truncated');
const OVERSIZED = refusal('cm', 'oversized');
const UNKNOWN_KIND = refusal('cm', 'unknown-kind');

const mad = new MadView();
const req = new ReqView();
const mra = new MraView();
const rej = new RejView();
const rep = new RepView();
const rtu = new RtuView();
const dreq = new DreqView();
const drep = new DrepView();
const sidrReq = new SidrReqView();
const sidrRep = new SidrRepView();
const lap = new LapView();
const apr = new AprView();

/** The attribute of a whole datagram of communication management: 256 bytes, no fewer and no more. */
function attributeOf(bytes: Uint8Array, offset: number, end: number): number | Refusal {
  if (!(end - offset >= MAD_BYTES)) return TRUNCATED;
  if (end - offset > MAD_BYTES) return OVERSIZED;
  const refused = mad.wrap(bytes, offset, end) ?? refuseForeignMad(mad);
  const attributeId = mad.attributeId;
  mad.release();
  return refused ?? attributeId;
}

/** What can be told of a message without reading it whole. */
export interface CmGlance {
  /** `CM_ATTRIBUTE_ID`, or 0 where the bytes are no message of communication management. */
  attributeId: number;
  localCommunicationId: number;
  /** Of messages that answer others; a REQ has another field there. */
  remoteCommunicationId: number;
}

/** Looks at a datagram and fills `glance`: floods are judged by it, without an object for each message. */
export function glanceCm(bytes: Uint8Array, offset: number, end: number, glance: CmGlance): void {
  const attributeId = attributeOf(bytes, offset, end);
  glance.attributeId = 0;
  if (typeof attributeId !== 'number') return;
  glance.attributeId = attributeId;
  glance.localCommunicationId = read32(bytes, offset + MAD_HEADER_BYTES);
  glance.remoteCommunicationId = read32(bytes, offset + MAD_HEADER_BYTES + 4);
}

/** Reads a message about a connection. The bytes are one whole datagram. */
export function parseCm(bytes: Uint8Array, offset = 0, end: number = bytes.length): CmMessage | Refusal {
  const attributeId = attributeOf(bytes, offset, end);
  switch (attributeId) {
    case CM_ATTRIBUTE_ID.req:
      return parseWith(req, parseReq, bytes, offset, end);
    case CM_ATTRIBUTE_ID.mra:
      return parseWith(mra, parseMra, bytes, offset, end);
    case CM_ATTRIBUTE_ID.rej:
      return parseWith(rej, parseRej, bytes, offset, end);
    case CM_ATTRIBUTE_ID.rep:
      return parseWith(rep, parseRep, bytes, offset, end);
    case CM_ATTRIBUTE_ID.rtu:
      return parseWith(rtu, parseRtu, bytes, offset, end);
    case CM_ATTRIBUTE_ID.dreq:
      return parseWith(dreq, parseDreq, bytes, offset, end);
    case CM_ATTRIBUTE_ID.drep:
      return parseWith(drep, parseDrep, bytes, offset, end);
    default:
      return typeof attributeId === 'number' ? UNKNOWN_KIND : attributeId;
  }
}

/** Reads a message that is not about the life of a connection, as `parseCm` reads the others. */
export function parseCmService(
  bytes: Uint8Array,
  offset = 0,
  end: number = bytes.length,
): CmServiceMessage | Refusal {
  const attributeId = attributeOf(bytes, offset, end);
  switch (attributeId) {
    case CM_ATTRIBUTE_ID.sidrReq:
      return parseWith(sidrReq, parseSidrReq, bytes, offset, end);
    case CM_ATTRIBUTE_ID.sidrRep:
      return parseWith(sidrRep, parseSidrRep, bytes, offset, end);
    case CM_ATTRIBUTE_ID.lap:
      return parseWith(lap, parseLap, bytes, offset, end);
    case CM_ATTRIBUTE_ID.apr:
      return parseWith(apr, parseApr, bytes, offset, end);
    default:
      return typeof attributeId === 'number' ? UNKNOWN_KIND : attributeId;
  }
}

/** Writes such a message as one datagram and returns its size, which is always 256. */
export function emitCmService(message: CmServiceMessage, bytes: Uint8Array, offset: number): number {
  switch (message.kind) {
    case 'sidrReq':
      return emitSidrReq(message, bytes, offset);
    case 'sidrRep':
      return emitSidrRep(message, bytes, offset);
    case 'lap':
      return emitLap(message, bytes, offset);
    case 'apr':
      return emitApr(message, bytes, offset);
  }
}

function parseWith<V extends MadView, M>(
  view: V,
  parse: (view: V) => M | Refusal,
  bytes: Uint8Array,
  offset: number,
  end: number,
): M | Refusal {
  const refused = view.wrap(bytes, offset, end);
  if (refused !== null) return refused;
  const message = parse(view);
  view.release();
  return message;
}

/** Writes a message of any kind as one datagram and returns its size, which is always 256. */
export function emitCm(message: CmMessage, bytes: Uint8Array, offset: number): number {
  switch (message.kind) {
    case 'req':
      return emitReq(message, bytes, offset);
    case 'mra':
      return emitMra(message, bytes, offset);
    case 'rej':
      return emitRej(message, bytes, offset);
    case 'rep':
      return emitRep(message, bytes, offset);
    case 'rtu':
      return emitRtu(message, bytes, offset);
    case 'dreq':
      return emitDreq(message, bytes, offset);
    case 'drep':
      return emitDrep(message, bytes, offset);
  }
}
