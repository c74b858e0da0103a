import type { Clock } from '../../verbs/index.js';

const NS_PER_MS = 1e6;
/** Node's timers count milliseconds and may come one late; what is shorter is waited for turn by turn of the loop. */
const TIMER_NS = 2 * NS_PER_MS;

/** Real time, as `performance.now` has it. */
export class RealTimeClock implements Clock {
  readonly virtual = false;
  /** Called between turns of a short sleep: whoever sleeps waits for something, most likely for datagrams. */
  private readonly idle: () => void;

  constructor(idle: () => void) {
    this.idle = idle;
  }

  get nowNs(): number {
    return Math.floor(performance.now() * NS_PER_MS);
  }

  async sleep(durationNs: number): Promise<void> {
    const untilNs = this.nowNs + durationNs;
    if (durationNs >= TIMER_NS) await timer(Math.floor((durationNs - NS_PER_MS) / NS_PER_MS));
    do {
      this.idle();
      await turn();
    } while (this.nowNs < untilNs);
  }
}

function timer(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
