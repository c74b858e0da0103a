import { KelpieError } from '../error.js';
import { EventQueue } from './event-queue.js';
import { refuseEvent } from './event-refusal.js';
import type { EventId, Handler, Queue } from './queue.js';

/** Sees every event just before its handler runs. */
export type Trace = (time: number, handlerName: string, a: number, b: number, c: number) => void;

/** Parts of a simulation that can be exchanged. */
export interface SimulationOptions {
  /** The queue; an `EventQueue` unless set. */
  queue?: Queue;
  trace?: Trace;
}

/**
 * A deterministic discrete-event simulation: a clock in integer ticks, numbered handlers and a queue of events.
 *
 * @example
 * const simulation = new Simulation();
 * const ping = simulation.register('ping', (count) => {
 *   if (count < 3) simulation.after(100, ping, count + 1);
 * });
 * simulation.at(0, ping, 1);
 * simulation.run(); // 3 events; simulation.now is 200
 */
export class Simulation {
  /** The present, in ticks. */
  now = 0;
  /** Number of events that have fired. */
  events = 0;
  /** Set it to see every event, `undefined` to stop. `run` looks once, so a change takes effect at the next run. */
  trace?: Trace;
  private readonly queue: Queue;
  private readonly handlers: Handler[] = [];
  private readonly names: string[] = [];
  private stopped = false;
  private due = false;
  private running = false;

  constructor(options: SimulationOptions = {}) {
    this.queue = options.queue ?? new EventQueue();
    this.trace = options.trace;
  }

  /** How many events are pending. */
  get pending(): number {
    return this.queue.size;
  }

  /** Whether an event may be pending that is due now: false is certain, and costs nothing to ask. */
  get mayBeDue(): boolean {
    return this.due;
  }

  /** Makes a handler known under a name, for traces, and returns its number, for events. */
  register(name: string, handler: Handler): number {
    this.names.push(name);
    return this.handlers.push(handler) - 1;
  }

  /** Schedules an event at a time not before the present. */
  at(time: number, handler: number, a = 0, b = 0, c = 0): void {
    if (
      !(time >= this.now && time <= Number.MAX_SAFE_INTEGER && Math.floor(time) === time) ||
      !(handler >= 0 && handler < this.handlers.length) ||
      (handler | 0) !== handler ||
      (a | 0) !== a ||
      (b | 0) !== b ||
      (c | 0) !== c
    )
      refuseEvent({ time, handler, a, b, c, now: this.now, handlers: this.handlers.length });
    if (time === this.now) this.due = true;
    this.queue.push(time, handler, a, b, c);
  }

  /**
   * Schedules an event a delay from now: the way to do it where it is done often, as a delay is a small integer and costs
   * no allocation in a call.
   *
   * It is longer than what the compiler inlines (460 bytes of bytecode), on purpose: inlined at every call it would, with
   * the queue's push in it, take the room there of what is worth inlining. That was a tenth of a simulation's time.
   */
  after(delay: number, handler: number, a = 0, b = 0, c = 0): void {
    const { now } = this;
    const time = now + delay;
    const handlers = this.handlers.length;
    if (!(delay >= 0)) refuseEvent({ time, handler, a, b, c, now, handlers });
    if (!(time <= Number.MAX_SAFE_INTEGER)) refuseEvent({ time, handler, a, b, c, now, handlers });
    if (Math.floor(time) !== time) refuseEvent({ time, handler, a, b, c, now, handlers });
    if (!(handler >= 0 && handler < handlers)) refuseEvent({ time, handler, a, b, c, now, handlers });
    if ((handler | 0) !== handler) refuseEvent({ time, handler, a, b, c, now, handlers });
    if ((a | 0) !== a) refuseEvent({ time, handler, a, b, c, now, handlers });
    if ((b | 0) !== b) refuseEvent({ time, handler, a, b, c, now, handlers });
    if ((c | 0) !== c) refuseEvent({ time, handler, a, b, c, now, handlers });
    if (delay === 0) this.due = true;
    this.queue.push(time, handler, a, b, c);
  }

  /**
   * As `after`, for an event that another, `asOfDelay` from now, would have scheduled: it stands among the events of its
   * instant as if that had been. Who folds two events into one by it changes nothing for the rest.
   */
  afterAsOf(asOfDelay: number, delay: number, handler: number, a = 0, b = 0, c = 0): void {
    const { queue } = this;
    queue.standAsOf(this.now + asOfDelay);
    this.after(delay, handler, a, b, c);
    queue.standNow();
  }

  /** Schedules an event that `cancel` can take back by the id returned. */
  timer(time: number, handler: number, a = 0, b = 0, c = 0): EventId {
    this.at(time, handler, a, b, c);
    return this.scheduled;
  }

  /** The id of the event that was scheduled last, by which `cancel` can take it back. */
  get scheduled(): EventId {
    return this.queue.pushed;
  }

  /** Takes back what was scheduled; false if it has already fired or been cancelled. */
  cancel(id: EventId): boolean {
    return this.queue.cancel(id);
  }

  /** Ends the current `run` after the event that calls it. */
  stop(): void {
    this.stopped = true;
  }

  /** Fires the earliest event; false if there is none up to and at `untilTime`. */
  step(untilTime = Number.POSITIVE_INFINITY): boolean {
    this.enter();
    try {
      if (!this.queue.popUntil(untilTime)) return false;
      this.due = true;
      if (this.trace) this.traceEvent(this.trace);
      this.fire();
      return true;
    } finally {
      this.running = false;
    }
  }

  /**
   * Fires every event up to and at `untilTime`, in order, and returns how many. Then it is `untilTime`, unless a
   * handler called `stop` or no end was given: then it is the time of the last event.
   */
  run(untilTime = Number.POSITIVE_INFINITY): number {
    if (
      !(untilTime >= this.now) ||
      (untilTime !== Number.POSITIVE_INFINITY && !Number.isSafeInteger(untilTime))
    ) {
      throw new KelpieError('SIMULATION_TIME', 'a simulation cannot run until then', {
        field: 'untilTime',
        given: untilTime,
        allowed: `an integer from ${this.now} on, or Infinity`,
      });
    }
    this.enter();
    this.stopped = false;
    const before = this.events;
    try {
      if (this.trace) this.runTraced(untilTime, this.trace);
      else this.runPlain(untilTime);
    } finally {
      this.running = false;
    }
    if (!this.stopped && untilTime !== Number.POSITIVE_INFINITY) this.now = untilTime;
    this.due = this.stopped;
    return this.events - before;
  }

  // Two loops, chosen once a run: without a trace there is not even a test for one.
  private runPlain(untilTime: number): void {
    const { queue, handlers } = this;
    while (!this.stopped && queue.popUntil(untilTime)) {
      this.now = queue.time;
      this.events++;
      queue.call(handlers);
    }
  }

  private runTraced(untilTime: number, trace: Trace): void {
    while (!this.stopped && this.queue.popUntil(untilTime)) {
      this.traceEvent(trace);
      this.fire();
    }
  }

  /** Calls the handler of the event in the queue's fields. */
  private fire(): void {
    const { queue } = this;
    this.now = queue.time;
    this.events++;
    queue.call(this.handlers);
  }

  private traceEvent(trace: Trace): void {
    const { queue } = this;
    trace(queue.time, this.names[queue.handler], queue.a, queue.b, queue.c);
  }

  private enter(): void {
    if (this.running)
      throw new KelpieError('SIMULATION_RUNNING', 'a handler cannot run the simulation that runs it');
    this.running = true;
  }
}
