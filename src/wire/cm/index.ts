/**
 * Communication management: the datagrams on QP 1 that set up and take down connections (IBTA vol. 1, chapter 12).
 *
 * Alternate paths are carried, but LAP, APR and SIDR messages and the vendor options of later revisions are **not**
 * supported.
 *
 * @example
 * const message = parseCm(payload);
 * if (!isRefusal(message) && message.kind === 'req') console.log(message.localQpn);
 */
import { type Refusal, refusal } from '../bytes/refusal.js';
import { type Drep, DrepView, emitDrep, parseDrep } from './drep.js';
import { type Dreq, DreqView, emitDreq, parseDreq } from './dreq.js';
import { MAD_BYTES, MadView } from './mad.js';
import { CM_ATTRIBUTE_ID, refuseForeignMad } from './message.js';
import { emitMra, type Mra, MraView, parseMra } from './mra.js';
import { emitRej, parseRej, type Rej, RejView } from './rej.js';
import { emitRep, parseRep, type Rep, RepView } from './rep.js';
import { emitReq, parseReq, type Req, ReqView } from './req.js';
import { emitRtu, parseRtu, type Rtu, RtuView } from './rtu.js';

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

/** Any message of communication management; `kind` tells which. */
export type CmMessage = Req | Mra | Rej | Rep | Rtu | Dreq | Drep;

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

/** Reads a message of any kind. The bytes are one whole datagram: 256 bytes, no fewer and no more. */
export function parseCm(bytes: Uint8Array, offset = 0, end: number = bytes.length): CmMessage | Refusal {
  if (!(end - offset >= MAD_BYTES)) return TRUNCATED;
  if (end - offset > MAD_BYTES) return OVERSIZED;
  const refused = mad.wrap(bytes, offset, end) ?? refuseForeignMad(mad);
  const attributeId = mad.attributeId;
  mad.release();
  if (refused !== null) return refused;
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
      return UNKNOWN_KIND;
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
