/** Traffic classes that Ethernet has. */
const CLASSES = 8;

/**
 * The traffic classes that a run uses, numbered without gaps: lane 0 is control (pause frames, class 0), and each class
 * that a flow has gets the next lane, in order of class. Queues are numbered by port and lane, so that they stay dense.
 */
export class Lanes {
  /** Lane of each class; 0 for classes that no flow uses. */
  readonly laneOf = new Uint8Array(CLASSES);
  /** Class of each lane. */
  readonly classOf: readonly number[];
  /** A queue's number is `(port << queueShift) | lane`. */
  readonly queueShift: number;

  constructor(classes: Iterable<number>) {
    const used = [...new Set(classes)].filter((each) => each !== 0).sort((a, b) => a - b);
    this.classOf = [0, ...used];
    for (const [lane, each] of this.classOf.entries()) this.laneOf[each] = lane;
    this.queueShift = Math.ceil(Math.log2(this.classOf.length));
  }

  /** Queues of a fabric with this many ports. */
  queues(ports: number): number {
    return ports << this.queueShift;
  }
}
