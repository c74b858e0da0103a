import { read16, write16 } from '../bytes/bytes.js';
import { outOfRange } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { MAD_BYTES } from './mad.js';
import { beginMessage, type CmAnswerBase, CmAnswerView, requireWidths, writeFields } from './message.js';

/** The bytes that a REJ carries for the consumer. */
export const REJ_PRIVATE_DATA_BYTES = 148;
/** The room for additional information, whose form the reason decides. */
export const REJ_ADDITIONAL_INFORMATION_BYTES = 72;

/** Which message a REJ rejects. */
export const REJ_MESSAGE = { req: 0, rep: 1, none: 2 } as const;

const ADDITIONAL_INFORMATION = 12;
const PRIVATE_DATA = 84;

const BAD_INFORMATION_LENGTH = refusal('rej', 'bad-length');

/** A checked view over a rejection (IBTA vol. 1, table 108). */
export class RejView extends CmAnswerView {
  constructor() {
    super('rej', PRIVATE_DATA);
  }

  /** One of {@link REJ_MESSAGE}. */
  get messageRejected(): number {
    return this.bits(8, 0, 2);
  }
  set messageRejected(value: number) {
    this.setBits(8, 0, 2, value);
  }

  /** How many bytes of additional information are valid. */
  get additionalInformationBytes(): number {
    return this.bits(9, 0, 7);
  }
  set additionalInformationBytes(value: number) {
    this.setBits(9, 0, 7, value);
  }

  /** One of {@link REJ_REASON}. */
  get reason(): number {
    return read16(this.bytes, this.at(10));
  }
  set reason(value: number) {
    write16(this.bytes, this.at(10), value);
  }

  /** The valid part of the additional information, without a copy. */
  get additionalInformation(): Uint8Array {
    const from = this.at(ADDITIONAL_INFORMATION);
    return this.bytes.subarray(from, from + this.additionalInformationBytes);
  }
  set additionalInformation(value: Uint8Array) {
    this.additionalInformationBytes = value.length;
    this.bytes.set(value, this.at(ADDITIONAL_INFORMATION));
  }

  protected override check(): Refusal | null {
    const refused = super.check();
    if (refused !== null) return refused;
    return this.additionalInformationBytes <= REJ_ADDITIONAL_INFORMATION_BYTES
      ? null
      : BAD_INFORMATION_LENGTH;
  }
}

/** A rejection: there will be no connection. */
export interface Rej extends CmAnswerBase {
  kind: 'rej';
  messageRejected: number;
  reason: number;
  /** At most 72 bytes. */
  additionalInformation: Uint8Array;
}

const WIDTHS = { remoteCommunicationId: 32, messageRejected: 2, reason: 16 } as const satisfies Partial<
  Record<keyof Rej, number>
>;

/** Reads a REJ from a view that was wrapped without a refusal. */
export function parseRej(view: RejView): Rej | Refusal {
  return {
    kind: 'rej',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    remoteCommunicationId: view.remoteCommunicationId,
    messageRejected: view.messageRejected,
    reason: view.reason,
    additionalInformation: view.additionalInformation.slice(),
    privateData: view.privateData.slice(),
  };
}

const writing = new RejView();

/** Writes a REJ as a whole datagram and returns its size. */
export function emitRej(rej: Rej, bytes: Uint8Array, offset: number): number {
  requireWidths('rej', rej, WIDTHS);
  const information = rej.additionalInformation;
  if (!(information instanceof Uint8Array && information.length <= REJ_ADDITIONAL_INFORMATION_BYTES)) {
    outOfRange(
      'rej.additionalInformation',
      information?.length,
      `at most ${REJ_ADDITIONAL_INFORMATION_BYTES} bytes`,
    );
  }
  beginMessage(rej, writing, bytes, offset, REJ_PRIVATE_DATA_BYTES);
  writeFields(rej, writing, WIDTHS);
  writing.additionalInformation = rej.additionalInformation;
  writing.release();
  return MAD_BYTES;
}
