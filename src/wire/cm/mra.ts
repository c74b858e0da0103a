import type { Refusal } from '../bytes/refusal.js';
import { MAD_BYTES } from './mad.js';
import { beginMessage, type CmAnswerBase, CmAnswerView, requireWidths, writeFields } from './message.js';

/** The bytes that an MRA carries for the consumer. */
export const MRA_PRIVATE_DATA_BYTES = 222;

/** Which message an MRA confirms. */
export const MRA_MESSAGE = { req: 0, rep: 1, lap: 2 } as const;

const PRIVATE_DATA = 10;

/** A checked view over a message receipt acknowledgement (IBTA vol. 1, table 107). */
export class MraView extends CmAnswerView {
  constructor() {
    super('mra', PRIVATE_DATA);
  }

  /** One of {@link MRA_MESSAGE}. */
  get messageMraed(): number {
    return this.bits(8, 0, 2);
  }
  set messageMraed(value: number) {
    this.setBits(8, 0, 2, value);
  }

  /** How long the answer may still take: 4.096 µs times two to this power. */
  get serviceTimeout(): number {
    return this.bits(9, 0, 5);
  }
  set serviceTimeout(value: number) {
    this.setBits(9, 0, 5, value);
  }
}

/** The message arrived, its answer takes longer than the sender allowed. */
export interface Mra extends CmAnswerBase {
  kind: 'mra';
  messageMraed: number;
  /** 4.096 µs times two to this power. */
  serviceTimeout: number;
}

const WIDTHS = { remoteCommunicationId: 32, messageMraed: 2, serviceTimeout: 5 } as const satisfies Partial<
  Record<keyof Mra, number>
>;

/** Reads an MRA from a view that was wrapped without a refusal. */
export function parseMra(view: MraView): Mra | Refusal {
  return {
    kind: 'mra',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    remoteCommunicationId: view.remoteCommunicationId,
    messageMraed: view.messageMraed,
    serviceTimeout: view.serviceTimeout,
    privateData: view.privateData.slice(),
  };
}

const writing = new MraView();

/** Writes an MRA as a whole datagram and returns its size. */
export function emitMra(mra: Mra, bytes: Uint8Array, offset: number): number {
  requireWidths('mra', mra, WIDTHS);
  beginMessage(mra, writing, bytes, offset, MRA_PRIVATE_DATA_BYTES);
  writeFields(mra, writing, WIDTHS);
  writing.release();
  return MAD_BYTES;
}
