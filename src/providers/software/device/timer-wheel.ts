import { type EventId, EventQueue } from '../../../engine/index.js';

const NS_PER_MS = 1e6;
/** Nearer than this, Node's timers are too coarse: the loop turns without sleeping. */
const NEAR_NS = 1.5 * NS_PER_MS;
const NONE = -1;

/**
 * The timers of all queue pairs of a device: the engine's wheel of events, in real time, behind one timer of Node's. A
 * timer is named by the tag of its queue pair; none is an object.
 */
export class TimerWheel {
  private readonly queue = new EventQueue();
  /** By tag: its event, or -1. */
  private readonly events: EventId[] = [];
  private readonly nowNs: () => number;
  /** Called when timers may be due; calls {@link TimerWheel.run}. */
  private readonly onDue: () => void;
  private timeout: NodeJS.Timeout | null = null;
  private timeoutNs = Number.POSITIVE_INFINITY;
  private turning = false;
  private stopped = false;

  constructor(nowNs: () => number, onDue: () => void) {
    this.nowNs = nowNs;
    this.onDue = onDue;
  }

  /** Sets the timer of a tag, in place of one that was set. */
  set(tag: number, atNs: number): void {
    this.clear(tag);
    if (!Number.isFinite(atNs) || this.stopped) return;
    this.queue.push(Math.max(Math.ceil(atNs), this.queue.time), 0, tag, 0, 0);
    this.events[tag] = this.queue.pushed;
    this.arm();
  }

  clear(tag: number): void {
    const event = this.events[tag] ?? NONE;
    if (event === NONE) return;
    this.queue.cancel(event);
    this.events[tag] = NONE;
  }

  /** Calls `fire` for every timer that is due. */
  run(fire: (tag: number) => void): void {
    const nowNs = this.nowNs();
    while (this.queue.popUntil(nowNs)) {
      const tag = this.queue.a;
      this.events[tag] = NONE;
      fire(tag);
    }
    this.arm();
  }

  /** No timer comes any more. */
  stop(): void {
    this.stopped = true;
    if (this.timeout !== null) clearTimeout(this.timeout);
    this.timeout = null;
  }

  private arm(): void {
    const nextNs = this.queue.peekTime();
    if (nextNs === Number.POSITIVE_INFINITY || this.stopped || this.turning) return;
    const leftNs = nextNs - this.nowNs();
    if (leftNs <= NEAR_NS) {
      this.turning = true;
      setImmediate(this.due);
      return;
    }
    if (this.timeoutNs <= nextNs) return;
    if (this.timeout !== null) clearTimeout(this.timeout);
    this.timeoutNs = nextNs;
    this.timeout = setTimeout(this.expired, Math.floor((leftNs - NS_PER_MS) / NS_PER_MS));
  }

  private readonly expired = (): void => {
    this.timeout = null;
    this.timeoutNs = Number.POSITIVE_INFINITY;
    this.due();
  };

  private readonly due = (): void => {
    this.turning = false;
    if (!this.stopped) this.onDue();
  };
}
