import { grown } from '../../../../verbs/base/queues/column.js';
import { LaneQueue, ONE_LANE } from './lane-queue.js';

/**
 * The event multiplexer of a scheduler that keeps no WQEs (SRNIC, NSDI'23, §4.3.1): doorbells, credit updates and dequeues
 * come to it one after the other. It has two things to say of each queue pair: whether its send queue has something
 * (active), and whether its window allows something (credit). A queue pair with both stands in the schedule queue or has
 * its turn (ready), once, so that two bytes for each queue pair are enough for the queue.
 */
export class EventMultiplexer {
  private readonly queue: LaneQueue;
  private count = 0;
  private active = new Uint8Array(0);
  private credit = new Uint8Array(0);
  private ready = new Uint8Array(0);

  constructor(queue = new LaneQueue(ONE_LANE)) {
    this.queue = queue;
  }

  /** A queue pair was made; its number is the count of those before it. */
  add(): void {
    if (this.count === this.active.length) {
      const capacity = Math.max(64, 2 * this.count);
      this.active = grown(this.active, capacity);
      this.credit = grown(this.credit, capacity);
      this.ready = grown(this.ready, capacity);
    }
    this.count++;
  }

  /** Queue pairs that wait for their turn. */
  get length(): number {
    return this.queue.length;
  }

  /** Whether a queue pair waits for its turn or has it. */
  isReady(pair: number): boolean {
    return this.ready[pair] === 1;
  }

  /** What a doorbell, an acknowledgement or a timer changed of a queue pair; true where that puts it into the queue. */
  update(pair: number, active: boolean, credit: boolean, lane = 0): boolean {
    this.active[pair] = active ? 1 : 0;
    this.credit[pair] = credit ? 1 : 0;
    if (!active || !credit || this.ready[pair] === 1) return false;
    this.ready[pair] = 1;
    this.queue.push(pair, lane);
    return true;
  }

  /** Gives the first queue pair its turn; -1 where none waits. */
  dequeue(): number {
    return this.queue.shift();
  }

  /** A turn is over: with something left and credit for it the queue pair goes to the tail. */
  endTurn(pair: number, active: boolean, credit: boolean, lane = 0): void {
    this.ready[pair] = 0;
    this.update(pair, active, credit, lane);
  }
}
