import type { QueuePair } from '../../verbs/index.js';
import type { Operation } from '../description/description.js';
import type { Sender } from './sender.js';

/** The Q_Key of every datagram queue pair of a workload. */
export const QKEY = 0x22222222;

/** A batch of requests that is filled and posted again and again. */
export interface Requests {
  /** Fills one of them with the message of a sender at its position, and returns its bytes. */
  fill(slot: number, sender: Sender, sequence: number, signalled: boolean): number;
  /** Posts the first `count`. */
  post(qp: QueuePair, target: Sender['target'], count: number): void;
}

/** Whether a message travels inside its request. */
export function isInline(operation: Operation, bytes: number, inlineBytes: number): boolean {
  return (
    bytes > 0 &&
    bytes <= inlineBytes &&
    operation !== 'READ' &&
    operation !== 'COMPARE_SWAP' &&
    operation !== 'FETCH_ADD'
  );
}
