/** What the receive path does for the other parts of its device. */
export interface ReceiveJobs {
  /**
   * Takes a turn of the path for a read that is done at `readPs`. The event `handler` comes with `argument` when both are.
   */
  addJob(handler: number, argument: number, readPs: number): void;
  /** The path owes time for an acknowledgement that was generated. */
  charge(): void;
}
