/** What a class of weight 1 may send per turn. */
const QUANTUM_BYTES = 4096;

/**
 * How the lanes of ports share them: strict ones go before all others (802.1Qaz), the others get turns by weight
 * (deficit round robin).
 */
export class LaneShares {
  private readonly lanes: number;
  private readonly strict: readonly number[];
  private readonly quantum: Float64Array;
  private readonly deficit: Float64Array;
  /** By port: whose turn it is. */
  private readonly turns: Uint8Array;

  /** `weights` has one for each lane; `strict` the lanes that go first, the highest first. */
  constructor(ports: number, weights: readonly number[], strict: readonly number[]) {
    this.lanes = weights.length;
    this.strict = strict;
    this.quantum = Float64Array.from(weights, (weight) => QUANTUM_BYTES * weight);
    this.deficit = new Float64Array(ports * this.lanes);
    this.turns = new Uint8Array(ports);
  }

  /** The strict lane that goes first of those that are ready; -1 if none is. */
  strictOf(ready: number): number {
    const { strict } = this;
    for (let place = 0; place < strict.length; place++)
      if ((ready & (1 << strict[place])) !== 0) return strict[place];
    return -1;
  }

  /** The ready lane whose turn it is. */
  turn(port: number, ready: number): number {
    let lane = this.turns[port];
    while ((ready & (1 << lane)) === 0) lane = lane + 1 === this.lanes ? 0 : lane + 1;
    this.turns[port] = lane;
    return lane;
  }

  /** Whether a lane may send this many bytes in this turn; if not, it has more of them in its next. */
  grants(port: number, lane: number, bytes: number): boolean {
    const at = port * this.lanes + lane;
    const { deficit } = this;
    if (deficit[at] >= bytes) {
      deficit[at] -= bytes;
      return true;
    }
    deficit[at] += this.quantum[lane];
    this.turns[port] = lane + 1 === this.lanes ? 0 : lane + 1;
    return false;
  }

  /** A lane has nothing left to send: it saves nothing up. */
  forget(port: number, lane: number): void {
    this.deficit[port * this.lanes + lane] = 0;
  }
}
