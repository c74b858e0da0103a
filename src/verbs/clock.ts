/**
 * A provider's time. Real time on a real device; on a simulated one time stands still until somebody waits.
 */
export interface Clock {
  /** Nanoseconds since some fixed moment; never goes back. */
  readonly nowNs: number;
  /** Whether time passes only when somebody waits for it. */
  readonly virtual: boolean;
  /** Lets `durationNs` pass. On a virtual clock the provider works through all events up to then. */
  sleep(durationNs: number): Promise<void>;
  /**
   * Lets time pass to the next thing that happens, unless that is after `untilNs`; false where nothing happens by then,
   * and then no time has passed. Absent where time is real.
   */
  step?(untilNs: number): boolean;
}
