import { VerbsError } from '../error.js';
import type { BaseQueuePair } from './objects/queue-pair.js';

const NUMBERS = 1 << 24;
/** Numbers 0 and 1 are the management queue pairs (specification 3.9.5); a few more look better in a trace. */
const FIRST_NUMBER = 0x11;

/**
 * The queue pairs of a device by number. Numbers are given in turn and reused only after all 2^24, so that a packet
 * that is late finds nobody.
 */
export class QpNumbers {
  // A map, not an array: numbers go on for 2^24 connections, and memory must not.
  private readonly byNumber = new Map<number, BaseQueuePair>();
  private nextNumber: number;

  /** `start` draws the number to begin with, 0 up to 1; devices that strangers can reach begin anywhere. */
  constructor(start: () => number = () => 0) {
    this.nextNumber = FIRST_NUMBER + Math.floor(start() * (NUMBERS - FIRST_NUMBER));
  }

  /** Gives a number to a queue pair. */
  assign(qp: BaseQueuePair): number {
    if (this.byNumber.size >= NUMBERS - FIRST_NUMBER)
      throw new VerbsError('LIMIT_REACHED', 'all queue pair numbers are in use');
    while (this.byNumber.has(this.nextNumber)) this.advance();
    const qpNum = this.nextNumber;
    this.byNumber.set(qpNum, qp);
    this.advance();
    return qpNum;
  }

  /** Gives a queue pair one of the numbers below the first that is assigned: those of management. */
  reserve(qp: BaseQueuePair, qpNum: number): number {
    if (qpNum >= FIRST_NUMBER || this.byNumber.has(qpNum))
      throw new VerbsError('LIMIT_REACHED', 'this queue pair number is in use or not one to reserve', {
        field: 'qpNum',
        given: qpNum,
        allowed: `a free one below ${FIRST_NUMBER}`,
      });
    this.byNumber.set(qpNum, qp);
    return qpNum;
  }

  /** The queue pair of a number, or null. */
  get(qpNum: number): BaseQueuePair | null {
    return this.byNumber.get(qpNum) ?? null;
  }

  /** Frees a number. */
  remove(qpNum: number): void {
    this.byNumber.delete(qpNum);
  }

  /** Visits every queue pair, in the order in which they got their numbers. */
  forEach(visit: (qp: BaseQueuePair) => void): void {
    for (const qp of this.byNumber.values()) visit(qp);
  }

  private advance(): void {
    this.nextNumber = this.nextNumber + 1 < NUMBERS ? this.nextNumber + 1 : FIRST_NUMBER;
  }
}
