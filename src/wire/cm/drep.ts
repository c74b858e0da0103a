import type { Refusal } from '../bytes/refusal.js';
import { MAD_BYTES } from './mad.js';
import { beginMessage, type CmAnswerBase, CmAnswerView, requireWidths, writeFields } from './message.js';

/** The bytes that a DREP carries for the consumer. */
export const DREP_PRIVATE_DATA_BYTES = 224;

const PRIVATE_DATA = 8;

/** A checked view over the reply to a disconnection (IBTA vol. 1, table 113). */
export class DrepView extends CmAnswerView {
  constructor() {
    super('drep', PRIVATE_DATA);
  }
}

/** The reply to a DREQ: the connection is gone. */
export interface Drep extends CmAnswerBase {
  kind: 'drep';
}

const WIDTHS = { remoteCommunicationId: 32 } as const satisfies Partial<Record<keyof Drep, number>>;

/** Reads a DREP from a view that was wrapped without a refusal. */
export function parseDrep(view: DrepView): Drep | Refusal {
  return {
    kind: 'drep',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    remoteCommunicationId: view.remoteCommunicationId,
    privateData: view.privateData.slice(),
  };
}

const writing = new DrepView();

/** Writes a DREP as a whole datagram and returns its size. */
export function emitDrep(drep: Drep, bytes: Uint8Array, offset: number): number {
  requireWidths('drep', drep, WIDTHS);
  beginMessage(drep, writing, bytes, offset, DREP_PRIVATE_DATA_BYTES);
  writeFields(drep, writing, WIDTHS);
  writing.release();
  return MAD_BYTES;
}
