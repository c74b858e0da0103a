import { read24, write24 } from '../bytes/bytes.js';
import type { Refusal } from '../bytes/refusal.js';
import { MAD_BYTES } from './mad.js';
import { beginMessage, type CmAnswerBase, CmAnswerView, requireWidths, writeFields } from './message.js';

/** The bytes that a DREQ carries for the consumer. */
export const DREQ_PRIVATE_DATA_BYTES = 220;

const PRIVATE_DATA = 12;

/** A checked view over a disconnection request (IBTA vol. 1, table 112). */
export class DreqView extends CmAnswerView {
  constructor() {
    super('dreq', PRIVATE_DATA);
  }

  /** The receiver's queue pair, or its end-to-end context on reliable datagram. */
  get remoteQpnOrEecn(): number {
    return read24(this.bytes, this.at(8));
  }
  set remoteQpnOrEecn(value: number) {
    write24(this.bytes, this.at(8), value);
  }
}

/** A request to end the connection. */
export interface Dreq extends CmAnswerBase {
  kind: 'dreq';
  remoteQpnOrEecn: number;
}

const WIDTHS = { remoteCommunicationId: 32, remoteQpnOrEecn: 24 } as const satisfies Partial<
  Record<keyof Dreq, number>
>;

/** Reads a DREQ from a view that was wrapped without a refusal. */
export function parseDreq(view: DreqView): Dreq | Refusal {
  return {
    kind: 'dreq',
    transactionId: view.transactionId,
    localCommunicationId: view.localCommunicationId,
    remoteCommunicationId: view.remoteCommunicationId,
    remoteQpnOrEecn: view.remoteQpnOrEecn,
    privateData: view.privateData.slice(),
  };
}

const writing = new DreqView();

/** Writes a DREQ as a whole datagram and returns its size. */
export function emitDreq(dreq: Dreq, bytes: Uint8Array, offset: number): number {
  requireWidths('dreq', dreq, WIDTHS);
  beginMessage(dreq, writing, bytes, offset, DREQ_PRIVATE_DATA_BYTES);
  writeFields(dreq, writing, WIDTHS);
  writing.release();
  return MAD_BYTES;
}
