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

/** The bytes that the messages carry for the consumer. */
export const SIDR_REQ_PRIVATE_DATA_BYTES = 216;
export const SIDR_REP_PRIVATE_DATA_BYTES = 136;

/** What became of a request for a queue pair of datagrams (IBTA vol. 1, table 119). */
export const SIDR_STATUS = { success: 0, unsupported: 1, rejected: 2, noQueuePair: 3 } as const;

/** What a status is called; its number where it has no name. */
export function sidrStatusName(status: number): string {
  return Object.entries(SIDR_STATUS).find(([, value]) => value === status)?.[0] ?? String(status);
}

/** A checked view over a request for the queue pair of a service (IBTA vol. 1, 12.11.1). */
export class SidrReqView extends CmMessageView {
  constructor() {
    super('sidrReq', 16);
  }

  get partitionKey(): number {
    return read16(this.bytes, this.at(4));
  }
  set partitionKey(value: number) {
    write16(this.bytes, this.at(4), value);
  }

  get serviceId(): bigint {
    return read64Exact(this.bytes, this.at(8));
  }
  set serviceId(value: bigint) {
    write64Exact(this.bytes, this.at(8), value);
  }
}

/** Who asks for the queue pair of a service; its name for the request is `localCommunicationId`. */
export interface SidrReq extends CmMessageBase {
  kind: 'sidrReq';
  partitionKey: number;
  serviceId: bigint;
}

/** A checked view over the answer (12.11.2). */
export class SidrRepView extends CmMessageView {
  constructor() {
    super('sidrRep', 96);
  }

  get outcome(): number {
    return this.bits(4, 0, 8);
  }
  set outcome(value: number) {
    this.setBits(4, 0, 8, value);
  }

  get qpn(): number {
    return read24(this.bytes, this.at(8));
  }
  set qpn(value: number) {
    write24(this.bytes, this.at(8), value);
  }

  get serviceId(): bigint {
    return read64Exact(this.bytes, this.at(12));
  }
  set serviceId(value: bigint) {
    write64Exact(this.bytes, this.at(12), value);
  }

  get queueKey(): number {
    return read32(this.bytes, this.at(20));
  }
  set queueKey(value: number) {
    write32(this.bytes, this.at(20), value);
  }
}

/** The queue pair and queue key, or why there are none; `localCommunicationId` is the requester's name for the request. */
export interface SidrRep extends CmMessageBase {
  kind: 'sidrRep';
  /** One of {@link SIDR_STATUS}. */
  outcome: number;
  qpn: number;
  serviceId: bigint;
  queueKey: number;
}

const REQ_WIDTHS = { partitionKey: 16 } as const;
const REP_WIDTHS = { outcome: 8, qpn: 24, queueKey: 32 } as const;

/** Reads a SIDR_REQ from a view that was wrapped without a refusal. */
export function parseSidrReq(view: SidrReqView): SidrReq | Refusal {
  return {
    kind: 'sidrReq',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    partitionKey: view.partitionKey,
    serviceId: view.serviceId,
    privateData: view.privateData.slice(),
  };
}

/** Reads a SIDR_REP from a view that was wrapped without a refusal. */
export function parseSidrRep(view: SidrRepView): SidrRep | Refusal {
  return {
    kind: 'sidrRep',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    outcome: view.outcome,
    qpn: view.qpn,
    serviceId: view.serviceId,
    queueKey: view.queueKey,
    privateData: view.privateData.slice(),
  };
}

const writingReq = new SidrReqView();
const writingRep = new SidrRepView();

/** Writes a SIDR_REQ as a whole datagram and returns its size. */
export function emitSidrReq(req: SidrReq, bytes: Uint8Array, offset: number): number {
  requireWidths('sidrReq', req, REQ_WIDTHS);
  requireBits64('sidrReq.serviceId', req.serviceId);
  beginMessage(req, writingReq, bytes, offset, SIDR_REQ_PRIVATE_DATA_BYTES);
  writeFields(req, writingReq, REQ_WIDTHS);
  writingReq.serviceId = req.serviceId;
  writingReq.release();
  return MAD_BYTES;
}

/** Writes a SIDR_REP as a whole datagram and returns its size. */
export function emitSidrRep(rep: SidrRep, bytes: Uint8Array, offset: number): number {
  requireWidths('sidrRep', rep, REP_WIDTHS);
  requireBits64('sidrRep.serviceId', rep.serviceId);
  beginMessage(rep, writingRep, bytes, offset, SIDR_REP_PRIVATE_DATA_BYTES);
  writeFields(rep, writingRep, REP_WIDTHS);
  writingRep.serviceId = rep.serviceId;
  writingRep.release();
  return MAD_BYTES;
}
