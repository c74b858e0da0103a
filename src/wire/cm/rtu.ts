import type { Refusal } from '../bytes/refusal.js';
import { MAD_BYTES } from './mad.js';
import { beginMessage, type CmAnswerBase, CmAnswerView, requireWidths, writeFields } from './message.js';

/** The bytes that an RTU carries for the consumer. */
export const RTU_PRIVATE_DATA_BYTES = 224;

const PRIVATE_DATA = 8;

/** A checked view over ready-to-use (IBTA vol. 1, table 111). */
export class RtuView extends CmAnswerView {
  constructor() {
    super('rtu', PRIVATE_DATA);
  }
}

/** Ready to use: the third message of the handshake. */
export interface Rtu extends CmAnswerBase {
  kind: 'rtu';
}

const WIDTHS = { remoteCommunicationId: 32 } as const satisfies Partial<Record<keyof Rtu, number>>;

/** Reads an RTU from a view that was wrapped without a refusal. */
export function parseRtu(view: RtuView): Rtu | Refusal {
  return {
    kind: 'rtu',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    remoteCommunicationId: view.remoteCommunicationId,
    privateData: view.privateData.slice(),
  };
}

const writing = new RtuView();

/** Writes an RTU as a whole datagram and returns its size. */
export function emitRtu(rtu: Rtu, bytes: Uint8Array, offset: number): number {
  requireWidths('rtu', rtu, WIDTHS);
  beginMessage(rtu, writing, bytes, offset, RTU_PRIVATE_DATA_BYTES);
  writeFields(rtu, writing, WIDTHS);
  writing.release();
  return MAD_BYTES;
}
