import { FLOW, META, RECORD_SHIFT, type Records, SEQ, TIMER } from '../records.js';
import type { Wheel } from './wheel.js';

/** Called with the timer's argument. */
export type TimerHandler = (argument: number) => void;

/** Anything that happens at a time and is no packet: flows that start, links that fail, samples, watchdogs. */
export class Timers {
  private readonly records: Records;
  private readonly wheel: Wheel;
  private readonly handlers: TimerHandler[] = [];

  constructor(records: Records, wheel: Wheel) {
    this.records = records;
    this.wheel = wheel;
  }

  /** Registers a handler once, when the fabric is built; returns its number. */
  register(handler: TimerHandler): number {
    this.handlers.push(handler);
    return this.handlers.length - 1;
  }

  /** Plans a call of a handler this many nanoseconds from now. */
  after(delayNs: number, handler: number, argument: number): void {
    const record = this.records.take();
    const { words, ends } = this.records;
    const at = record << RECORD_SHIFT;
    words[at + META] = TIMER;
    ends[at + FLOW] = argument;
    ends[at + SEQ] = handler;
    this.wheel.after(delayNs, record);
  }

  fire(record: number): void {
    const { ends } = this.records;
    const at = record << RECORD_SHIFT;
    const handler = this.handlers[ends[at + SEQ]];
    const argument = ends[at + FLOW];
    this.records.free(record);
    handler(argument);
  }
}
