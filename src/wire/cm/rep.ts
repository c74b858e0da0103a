import { read24, read32, read64Exact, write24, write32, write64Exact } from '../bytes/bytes.js';
import { requireBits64 } from '../bytes/field.js';
import type { Refusal } from '../bytes/refusal.js';
import { MAD_BYTES } from './mad.js';
import { beginMessage, type CmAnswerBase, CmAnswerView, requireWidths, writeFields } from './message.js';

/** The bytes that a REP carries for the consumer. */
export const REP_PRIVATE_DATA_BYTES = 196;

const PRIVATE_DATA = 36;

/** A checked view over the reply to a connection request (IBTA vol. 1, table 110). */
export class RepView extends CmAnswerView {
  constructor() {
    super('rep', PRIVATE_DATA);
  }

  /** For datagram services only. */
  get localQueueKey(): number {
    return read32(this.bytes, this.at(8));
  }
  set localQueueKey(value: number) {
    write32(this.bytes, this.at(8), value);
  }

  /** The sender's queue pair. */
  get localQpn(): number {
    return read24(this.bytes, this.at(12));
  }
  set localQpn(value: number) {
    write24(this.bytes, this.at(12), value);
  }

  /** End-to-end context, reliable datagram only. */
  get localEecn(): number {
    return read24(this.bytes, this.at(16));
  }
  set localEecn(value: number) {
    write24(this.bytes, this.at(16), value);
  }

  /** The first PSN that the receiver of this message sends. */
  get startingPsn(): number {
    return read24(this.bytes, this.at(20));
  }
  set startingPsn(value: number) {
    write24(this.bytes, this.at(20), value);
  }

  /** Outstanding READs and atomics that the sender answers. */
  get responderResources(): number {
    return this.bits(24, 0, 8);
  }
  set responderResources(value: number) {
    this.setBits(24, 0, 8, value);
  }

  /** Outstanding READs and atomics that the sender issues. */
  get initiatorDepth(): number {
    return this.bits(25, 0, 8);
  }
  set initiatorDepth(value: number) {
    this.setBits(25, 0, 8, value);
  }

  /** The sender's delay before an acknowledgement: 4.096 µs times two to this power. */
  get targetAckDelay(): number {
    return this.bits(26, 0, 5);
  }
  set targetAckDelay(value: number) {
    this.setBits(26, 0, 5, value);
  }

  /** What became of the alternate path: 0 accepted, 1 not supported, 2 not accepted. */
  get failoverAccepted(): number {
    return this.bits(26, 5, 2);
  }
  set failoverAccepted(value: number) {
    this.setBits(26, 5, 2, value);
  }

  /** Whether the sender counts end-to-end credits. */
  get endToEndFlowControl(): boolean {
    return this.bits(26, 7, 1) === 1;
  }
  set endToEndFlowControl(value: boolean) {
    this.setBits(26, 7, 1, value ? 1 : 0);
  }

  /** How often to retry after receiver-not-ready; 7 is forever. */
  get rnrRetryCount(): number {
    return this.bits(27, 0, 3);
  }
  set rnrRetryCount(value: number) {
    this.setBits(27, 0, 3, value);
  }

  /** Whether the sender's queue pair receives from a shared receive queue. */
  get srq(): boolean {
    return this.bits(27, 3, 1) === 1;
  }
  set srq(value: boolean) {
    this.setBits(27, 3, 1, value ? 1 : 0);
  }

  /** The sender's channel adapter. */
  get localCaGuid(): bigint {
    return read64Exact(this.bytes, this.at(28));
  }
  set localCaGuid(value: bigint) {
    write64Exact(this.bytes, this.at(28), value);
  }
}

/** The reply to a REQ: the connection is accepted. */
export interface Rep extends CmAnswerBase {
  kind: 'rep';
  localQueueKey: number;
  localQpn: number;
  localEecn: number;
  /** The first PSN that the receiver of this message sends. */
  startingPsn: number;
  responderResources: number;
  initiatorDepth: number;
  /** 4.096 µs times two to this power. */
  targetAckDelay: number;
  failoverAccepted: number;
  endToEndFlowControl: boolean;
  rnrRetryCount: number;
  srq: boolean;
  localCaGuid: bigint;
}

const WIDTHS = {
  remoteCommunicationId: 32,
  localQueueKey: 32,
  localQpn: 24,
  localEecn: 24,
  startingPsn: 24,
  responderResources: 8,
  initiatorDepth: 8,
  targetAckDelay: 5,
  failoverAccepted: 2,
  rnrRetryCount: 3,
} as const satisfies Partial<Record<keyof Rep, number>>;

/** Reads a REP from a view that was wrapped without a refusal. */
export function parseRep(view: RepView): Rep | Refusal {
  return {
    kind: 'rep',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    remoteCommunicationId: view.remoteCommunicationId,
    localQueueKey: view.localQueueKey,
    localQpn: view.localQpn,
    localEecn: view.localEecn,
    startingPsn: view.startingPsn,
    responderResources: view.responderResources,
    initiatorDepth: view.initiatorDepth,
    targetAckDelay: view.targetAckDelay,
    failoverAccepted: view.failoverAccepted,
    endToEndFlowControl: view.endToEndFlowControl,
    rnrRetryCount: view.rnrRetryCount,
    srq: view.srq,
    localCaGuid: view.localCaGuid,
    privateData: view.privateData.slice(),
  };
}

const writing = new RepView();

/** Writes a REP as a whole datagram and returns its size. */
export function emitRep(rep: Rep, bytes: Uint8Array, offset: number): number {
  requireWidths('rep', rep, WIDTHS);
  requireBits64('rep.localCaGuid', rep.localCaGuid);
  beginMessage(rep, writing, bytes, offset, REP_PRIVATE_DATA_BYTES);
  writeFields(rep, writing, WIDTHS);
  writing.endToEndFlowControl = rep.endToEndFlowControl;
  writing.srq = rep.srq;
  writing.localCaGuid = rep.localCaGuid;
  writing.release();
  return MAD_BYTES;
}
