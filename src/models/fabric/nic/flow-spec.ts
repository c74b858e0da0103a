/** A flow to be sent: this many bytes from one host to another. */
export interface FlowSpec {
  readonly source: number;
  readonly target: number;
  /** Traffic class, 0 to 7. */
  readonly trafficClass: number;
  /** Destination port: part of the hash, and of what is printed. */
  readonly dport: number;
  readonly bytes: number;
  /** Nanoseconds since the start of the run. */
  readonly startNs: number;
  /** Bytes that it may have in flight under a control with a window; what fits on its way unless set. */
  readonly windowBytes?: number;
  /**
   * Flows that it waits for: those to its source until they have arrived, those from its source until they were
   * acknowledged. It starts this long after the last of them, and not before `startNs`.
   */
  readonly after?: readonly FlowSpec[];
  readonly computeNs?: number;
}
