import {
  read16,
  read24,
  read32,
  read64Exact,
  write16,
  write24,
  write32,
  write64Exact,
} from '../bytes/bytes.js';
import { requireBits64 } from '../bytes/field.js';
import type { Refusal } from '../bytes/refusal.js';
import { MAD_BYTES } from './mad.js';
import { beginMessage, type CmMessageBase, CmMessageView, requireWidths, writeFields } from './message.js';
import {
  type CmPath,
  CmPathView,
  emitCmPath,
  isEmptyCmPath,
  parseCmPath,
  requireAlternateCmPath,
  requireCmPath,
} from './path.js';

/** The bytes that a REQ carries for the consumer; RDMA-CM takes the first 36 of them. */
export const REQ_PRIVATE_DATA_BYTES = 92;

/** What stands in the two bits of the transport service type. */
export const TRANSPORT_SERVICE_TYPE = { rc: 0, uc: 1, rd: 2, extended: 3 } as const;

const PRIMARY_PATH = 52;
const ALTERNATE_PATH = 96;
const PRIVATE_DATA = 140;

/** A checked view over a connection request (IBTA vol. 1, table 106). */
export class ReqView extends CmMessageView {
  constructor() {
    super('req', PRIVATE_DATA);
  }

  /** The service that is asked for; {@link rdmaCmServiceId} makes one from a port. */
  get serviceId(): bigint {
    return read64Exact(this.bytes, this.at(8));
  }
  set serviceId(value: bigint) {
    write64Exact(this.bytes, this.at(8), value);
  }

  /** The sender's channel adapter. */
  get localCaGuid(): bigint {
    return read64Exact(this.bytes, this.at(16));
  }
  set localCaGuid(value: bigint) {
    write64Exact(this.bytes, this.at(16), value);
  }

  /** For datagram services only. */
  get localQueueKey(): number {
    return read32(this.bytes, this.at(28));
  }
  set localQueueKey(value: number) {
    write32(this.bytes, this.at(28), value);
  }

  /** The sender's queue pair. */
  get localQpn(): number {
    return read24(this.bytes, this.at(32));
  }
  set localQpn(value: number) {
    write24(this.bytes, this.at(32), value);
  }

  /** Outstanding READs and atomics that the sender answers. */
  get responderResources(): number {
    return this.bits(35, 0, 8);
  }
  set responderResources(value: number) {
    this.setBits(35, 0, 8, value);
  }

  /** End-to-end context, reliable datagram only. */
  get localEecn(): number {
    return read24(this.bytes, this.at(36));
  }
  set localEecn(value: number) {
    write24(this.bytes, this.at(36), value);
  }

  /** Outstanding READs and atomics that the sender issues. */
  get initiatorDepth(): number {
    return this.bits(39, 0, 8);
  }
  set initiatorDepth(value: number) {
    this.setBits(39, 0, 8, value);
  }

  /** End-to-end context, reliable datagram only. */
  get remoteEecn(): number {
    return read24(this.bytes, this.at(40));
  }
  set remoteEecn(value: number) {
    write24(this.bytes, this.at(40), value);
  }

  /** The time in which the receiver should answer: 4.096 µs times two to this power. */
  get remoteCmResponseTimeout(): number {
    return this.bits(43, 0, 5);
  }
  set remoteCmResponseTimeout(value: number) {
    this.setBits(43, 0, 5, value);
  }

  /** One of {@link TRANSPORT_SERVICE_TYPE}. */
  get transportServiceType(): number {
    return this.bits(43, 5, 2);
  }
  set transportServiceType(value: number) {
    this.setBits(43, 5, 2, value);
  }

  /** Whether the sender counts end-to-end credits. */
  get endToEndFlowControl(): boolean {
    return this.bits(43, 7, 1) === 1;
  }
  set endToEndFlowControl(value: boolean) {
    this.setBits(43, 7, 1, value ? 1 : 0);
  }

  /** The first PSN that the receiver of this message sends. */
  get startingPsn(): number {
    return read24(this.bytes, this.at(44));
  }
  set startingPsn(value: number) {
    write24(this.bytes, this.at(44), value);
  }

  /** The time in which the sender answers: 4.096 µs times two to this power. */
  get localCmResponseTimeout(): number {
    return this.bits(47, 0, 5);
  }
  set localCmResponseTimeout(value: number) {
    this.setBits(47, 0, 5, value);
  }

  /** How often to retry after a timeout or a sequence error. */
  get retryCount(): number {
    return this.bits(47, 5, 3);
  }
  set retryCount(value: number) {
    this.setBits(47, 5, 3, value);
  }

  /** The partition of the connection. */
  get partitionKey(): number {
    return read16(this.bytes, this.at(48));
  }
  set partitionKey(value: number) {
    write16(this.bytes, this.at(48), value);
  }

  /** 1 to 5 for 256 to 4096 bytes. */
  get pathMtuCode(): number {
    return this.bits(50, 0, 4);
  }
  set pathMtuCode(value: number) {
    this.setBits(50, 0, 4, value);
  }

  /** Whether a reliable datagram channel is there already. */
  get rdcExists(): boolean {
    return this.bits(50, 4, 1) === 1;
  }
  set rdcExists(value: boolean) {
    this.setBits(50, 4, 1, value ? 1 : 0);
  }

  /** How often to retry after receiver-not-ready; 7 is forever. */
  get rnrRetryCount(): number {
    return this.bits(50, 5, 3);
  }
  set rnrRetryCount(value: number) {
    this.setBits(50, 5, 3, value);
  }

  /** How often a message of this exchange is repeated. */
  get maxCmRetries(): number {
    return this.bits(51, 0, 4);
  }
  set maxCmRetries(value: number) {
    this.setBits(51, 0, 4, value);
  }

  /** Whether the sender's queue pair receives from a shared receive queue. */
  get srq(): boolean {
    return this.bits(51, 4, 1) === 1;
  }
  set srq(value: boolean) {
    this.setBits(51, 4, 1, value ? 1 : 0);
  }

  /** The transport where the service type is `extended`. */
  get extendedTransportType(): number {
    return this.bits(51, 5, 3);
  }
  set extendedTransportType(value: number) {
    this.setBits(51, 5, 3, value);
  }

  /** Points `path` at the primary path. */
  wrapPrimaryPath(path: CmPathView): Refusal | null {
    return path.wrap(this.bytes, this.at(PRIMARY_PATH), this.end);
  }

  /** Points `path` at the alternate path. */
  wrapAlternatePath(path: CmPathView): Refusal | null {
    return path.wrap(this.bytes, this.at(ALTERNATE_PATH), this.end);
  }
}

/** A connection request: the first message of an exchange. */
export interface Req extends CmMessageBase {
  kind: 'req';
  serviceId: bigint;
  localCaGuid: bigint;
  localQueueKey: number;
  localQpn: number;
  responderResources: number;
  localEecn: number;
  initiatorDepth: number;
  remoteEecn: number;
  /** 4.096 µs times two to this power. */
  remoteCmResponseTimeout: number;
  transportServiceType: number;
  endToEndFlowControl: boolean;
  /** The first PSN that the receiver of this message sends. */
  startingPsn: number;
  /** 4.096 µs times two to this power. */
  localCmResponseTimeout: number;
  retryCount: number;
  partitionKey: number;
  pathMtuCode: number;
  rdcExists: boolean;
  rnrRetryCount: number;
  maxCmRetries: number;
  srq: boolean;
  extendedTransportType: number;
  primaryPath: CmPath;
  /** Null where there is none, which the wire says with an alternate path of zeros. */
  alternatePath: CmPath | null;
}

const WIDTHS = {
  localQueueKey: 32,
  localQpn: 24,
  responderResources: 8,
  localEecn: 24,
  initiatorDepth: 8,
  remoteEecn: 24,
  remoteCmResponseTimeout: 5,
  transportServiceType: 2,
  startingPsn: 24,
  localCmResponseTimeout: 5,
  retryCount: 3,
  partitionKey: 16,
  pathMtuCode: 4,
  rnrRetryCount: 3,
  maxCmRetries: 4,
  extendedTransportType: 3,
} as const satisfies Partial<Record<keyof Req, number>>;

const path = new CmPathView();

/** Reads a REQ from a view that was wrapped without a refusal. */
export function parseReq(view: ReqView): Req | Refusal {
  const primaryRefused = view.wrapPrimaryPath(path);
  if (primaryRefused !== null) return primaryRefused;
  const primaryPath = parseCmPath(path);
  const alternateRefused = view.wrapAlternatePath(path);
  if (alternateRefused !== null) return alternateRefused;
  const alternatePath = parseCmPath(path);
  path.release();
  return {
    kind: 'req',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    serviceId: view.serviceId,
    localCaGuid: view.localCaGuid,
    localQueueKey: view.localQueueKey,
    localQpn: view.localQpn,
    responderResources: view.responderResources,
    localEecn: view.localEecn,
    initiatorDepth: view.initiatorDepth,
    remoteEecn: view.remoteEecn,
    remoteCmResponseTimeout: view.remoteCmResponseTimeout,
    transportServiceType: view.transportServiceType,
    endToEndFlowControl: view.endToEndFlowControl,
    startingPsn: view.startingPsn,
    localCmResponseTimeout: view.localCmResponseTimeout,
    retryCount: view.retryCount,
    partitionKey: view.partitionKey,
    pathMtuCode: view.pathMtuCode,
    rdcExists: view.rdcExists,
    rnrRetryCount: view.rnrRetryCount,
    maxCmRetries: view.maxCmRetries,
    srq: view.srq,
    extendedTransportType: view.extendedTransportType,
    primaryPath,
    alternatePath: isEmptyCmPath(alternatePath) ? null : alternatePath,
    privateData: view.privateData.slice(),
  };
}

const writing = new ReqView();

/** Writes a REQ as a whole datagram and returns its size. */
export function emitReq(req: Req, bytes: Uint8Array, offset: number): number {
  requireWidths('req', req, WIDTHS);
  requireBits64('req.serviceId', req.serviceId);
  requireBits64('req.localCaGuid', req.localCaGuid);
  requireCmPath('req.primaryPath', req.primaryPath);
  if (req.alternatePath !== null) requireAlternateCmPath('req.alternatePath', req.alternatePath);
  beginMessage(req, writing, bytes, offset, REQ_PRIVATE_DATA_BYTES);
  writeFields(req, writing, WIDTHS);
  writing.serviceId = req.serviceId;
  writing.localCaGuid = req.localCaGuid;
  writing.endToEndFlowControl = req.endToEndFlowControl;
  writing.rdcExists = req.rdcExists;
  writing.srq = req.srq;
  writing.wrapPrimaryPath(path);
  emitCmPath(req.primaryPath, path);
  if (req.alternatePath !== null) {
    writing.wrapAlternatePath(path);
    emitCmPath(req.alternatePath, path);
  }
  path.release();
  writing.release();
  return MAD_BYTES;
}
