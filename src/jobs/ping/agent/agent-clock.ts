/** The time that an agent lives in: that of the world, or one that never waits. */
export interface AgentClock {
  /** Milliseconds since 1970, or since the start of a simulated day. */
  readonly nowMs: number;
  /** Resolves at that time, or when the signal is aborted. */
  waitUntil(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Time that passes as soon as nobody has anything to do: a simulated day takes as long as its probes.
 *
 * @example
 * const clock = new VirtualClock();
 * await clock.waitUntil(300_000); // at once
 */
export class VirtualClock implements AgentClock {
  nowMs: number;

  constructor(startMs = 0) {
    this.nowMs = startMs;
  }

  async waitUntil(ms: number): Promise<void> {
    this.nowMs = Math.max(this.nowMs, ms);
  }
}
