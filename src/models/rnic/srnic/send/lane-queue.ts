import { FairQueue } from '../../../resource/fair-queue.js';

/** What the lanes of a send side are: traffic classes, or tenants on a device that keeps accounts. */
export interface LaneWeights {
  /** By lane. */
  readonly weights: readonly number[];
  /** Lanes that go before all others, the highest first. */
  readonly strict: readonly number[];
}

/** One lane: first come, first served. */
export const ONE_LANE: LaneWeights = { weights: [1], strict: [] };

/**
 * Queue pairs that wait, a queue for each lane: strict lanes go first, the others get shares of the bytes sent by their
 * weights. Another policy than the round robin of SRNIC changes the pop alone (NSDI'23, §4.3.1); with one lane in use it is
 * that round robin.
 */
export class LaneQueue {
  private readonly lanes: FairQueue;
  private readonly weights: readonly number[];
  private readonly strict: readonly number[];

  constructor({ weights, strict }: LaneWeights) {
    this.lanes = new FairQueue(weights.length);
    this.weights = weights;
    this.strict = strict;
  }

  get length(): number {
    return this.lanes.length;
  }

  push(pair: number, lane: number): void {
    this.lanes.push(lane, pair);
  }

  /** Takes the queue pair whose turn it is; -1 where none waits. */
  shift(): number {
    const { lanes, strict } = this;
    for (let place = 0; place < strict.length; place++) {
      const pair = lanes.shift(strict[place]);
      if (pair >= 0) return pair;
    }
    const lane = lanes.next();
    return lane < 0 ? -1 : lanes.shift(lane);
  }

  /** A lane has sent this many bytes. */
  charge(lane: number, bytes: number): void {
    this.lanes.charge(lane, bytes / this.weights[lane]);
  }
}
