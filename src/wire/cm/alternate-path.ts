import type { Refusal } from '../bytes/refusal.js';
import { MAD_BYTES } from './mad.js';
import { beginMessage, type CmAnswerBase, CmAnswerView, requireWidths, writeFields } from './message.js';

/** The bytes that the messages carry for the consumer. */
const LAP_PRIVATE_DATA_BYTES = 168;
export const APR_PRIVATE_DATA_BYTES = 148;

/** Why an alternate path is not loaded (IBTA vol. 1, table 116). */
export const APR_STATUS = { success: 0, invalidCommunicationId: 1, unsupported: 2, rejected: 3 } as const;

/** A checked view over a request to load an alternate path (12.8.1). The path itself is not looked at: none is loaded. */
export class LapView extends CmAnswerView {
  constructor() {
    super('lap', 64);
  }
}

/** A request to load an alternate path. */
export interface Lap extends CmAnswerBase {
  kind: 'lap';
}

/** A checked view over the answer (12.8.2). */
export class AprView extends CmAnswerView {
  constructor() {
    super('apr', 84);
  }

  get outcome(): number {
    return this.bits(9, 0, 8);
  }
  set outcome(value: number) {
    this.setBits(9, 0, 8, value);
  }
}

/** What became of the request. */
export interface Apr extends CmAnswerBase {
  kind: 'apr';
  /** One of {@link APR_STATUS}. */
  outcome: number;
}

const LAP_WIDTHS = { remoteCommunicationId: 32 } as const;
const APR_WIDTHS = { remoteCommunicationId: 32, outcome: 8 } as const;

/** Reads a LAP from a view that was wrapped without a refusal. */
export function parseLap(view: LapView): Lap | Refusal {
  return {
    kind: 'lap',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    remoteCommunicationId: view.remoteCommunicationId,
    privateData: view.privateData.slice(),
  };
}

/** Reads an APR from a view that was wrapped without a refusal. */
export function parseApr(view: AprView): Apr | Refusal {
  return {
    kind: 'apr',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    remoteCommunicationId: view.remoteCommunicationId,
    outcome: view.outcome,
    privateData: view.privateData.slice(),
  };
}

const writingLap = new LapView();
const writingApr = new AprView();

/** Writes a LAP as a whole datagram, without a path, and returns its size. */
export function emitLap(lap: Lap, bytes: Uint8Array, offset: number): number {
  requireWidths('lap', lap, LAP_WIDTHS);
  beginMessage(lap, writingLap, bytes, offset, LAP_PRIVATE_DATA_BYTES);
  writeFields(lap, writingLap, LAP_WIDTHS);
  writingLap.release();
  return MAD_BYTES;
}

/** Writes an APR as a whole datagram and returns its size. */
export function emitApr(apr: Apr, bytes: Uint8Array, offset: number): number {
  requireWidths('apr', apr, APR_WIDTHS);
  beginMessage(apr, writingApr, bytes, offset, APR_PRIVATE_DATA_BYTES);
  writeFields(apr, writingApr, APR_WIDTHS);
  writingApr.release();
  return MAD_BYTES;
}
