/**
 * Who may use a switch's memory. Chosen when a fabric is built; the hot path calls one class only. Queues are numbered
 * by port and lane, over the whole fabric; lane 0 (pause frames) is never asked about.
 *
 * A packet is admitted once, on arrival, and released once, when it begins to leave. Between the two calls the policy
 * accounts for its bytes.
 */
export interface BufferPolicy {
  /**
   * Whether a packet that leaves at once needs no accounting: admitting and releasing it would change nothing, drop
   * nothing and pause nobody. Carries most hops.
   */
  passes(ingressQueue: number, bytes: number): boolean;
  /** Takes a packet in, or says no: then it is dropped. */
  admit(ingressQueue: number, egressQueue: number, bytes: number): boolean;
  /** After `admit`: whether to pause the sender now. Answers once; a pause is taken as sent. */
  pauses(ingressQueue: number): boolean;
  /** A packet begins to leave. */
  release(ingressQueue: number, egressQueue: number, bytes: number): void;
  /**
   * After `release`: a queue whose sender is to be resumed now, or -1. Asked until it says -1; a resume is taken as
   * sent.
   */
  resumes(ingressQueue: number): number;
  /** What a queue may still put into its headroom; a packet that fits there is never dropped. */
  headroomLeft(ingressQueue: number): number;
  /** Bytes on the policy's books, of all switches: 0 when they are empty. */
  heldBytes(): number;
  /** Whether the sender of a queue is paused. */
  isPaused(ingressQueue: number): boolean;
  /** Queues whose sender is paused. */
  pausedQueues(): number;
  /**
   * Bytes of a port's traffic up to which nothing is dropped and nobody paused, where the other ports hold no more than
   * that each; absent where there is no such number.
   */
  calmBytes?(ports: number): number;
}

/** What a policy may know of the ports whose packets it holds, by their numbers. */
export interface BufferPorts {
  readonly count: number;
  /** A queue's number is `(port << queueShift) | lane`. */
  readonly queueShift: number;
  /** Ports below this number are hosts'. */
  readonly hostPorts: number;
  /** The switch that each belongs to. */
  readonly node: Int32Array;
  readonly rateBps: Float64Array;
  readonly delayNs: Int32Array;
}
