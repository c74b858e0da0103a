import type { Simulation } from '../../engine/index.js';
import type { Awaited } from '../../verbs/base/queues/mailbox.js';
import type { Clock } from '../../verbs/clock.js';
import { VerbsError } from '../../verbs/error.js';

/** How many events are worked through before a program that waits is looked at again. */
const EVENTS_A_TURN = 256;

/**
 * Time that stands still until somebody waits: drives a simulation under programs that call verbs, sleep, or await
 * events. Providers in virtual time share it.
 */
export class VirtualTime implements Clock {
  readonly virtual = true;
  readonly simulation: Simulation;
  /** Where programs began to wait for completions and async events; those where nobody does any more go in time. */
  private readonly mailboxes = new Set<Awaited>();
  private readonly ticksPerNs: number;
  private running = false;
  private driving = false;
  private mayBeAwaited = false;
  /** Programs that wait for something which is neither a completion nor an async event. */
  private waits = 0;
  /** A program that waited can go on. */
  private hasAnswer = false;

  /** A tick is the unit of the simulation's time. */
  constructor(simulation: Simulation, ticksPerNs: number) {
    this.simulation = simulation;
    this.ticksPerNs = ticksPerNs;
  }

  get nowNs(): number {
    return this.simulation.now / this.ticksPerNs;
  }

  async sleep(durationNs: number): Promise<void> {
    if (!(durationNs >= 0 && durationNs * this.ticksPerNs < Number.MAX_SAFE_INTEGER)) {
      const detail = { field: 'durationNs', given: durationNs, allowed: 'nanoseconds, 0 or more' };
      throw new VerbsError('OUT_OF_RANGE', 'this is not a duration', detail);
    }
    this.advance(this.simulation.now + Math.round(durationNs * this.ticksPerNs));
  }

  /** Schedules an event at a time on this clock, now where it is past; `simulation.cancel` takes it back. */
  timer(atNs: number, handler: number): number {
    const ticks = Math.ceil(atNs * this.ticksPerNs);
    return this.simulation.timer(Math.max(this.simulation.now, ticks), handler);
  }

  /** A program begins (1) or ends (-1) to wait for something of the devices. */
  waiting(step: 1 | -1): void {
    this.waits += step;
    if (step > 0) this.drive();
  }

  /** A program waits for an event at a mailbox: time passes until none does. */
  watch(mailbox: Awaited): void {
    this.mailboxes.add(mailbox);
    this.drive();
  }

  /** What a program waits for has come: it gets its turn before more time passes. */
  answered(): void {
    this.hasAnswer = true;
  }

  step(untilNs: number): boolean {
    return this.fireOne(Math.floor(untilNs * this.ticksPerNs));
  }

  /** Works through everything that needs no time. */
  settle(): void {
    if (this.simulation.mayBeDue) this.advance(this.simulation.now);
    if (this.mayBeAwaited && this.simulation.pending > 0) this.drive();
  }

  /** Lets time pass up to a moment; from inside an event it does nothing. */
  advance(untilTicks: number): void {
    if (this.running) return;
    this.running = true;
    try {
      this.simulation.run(untilTicks);
    } finally {
      this.running = false;
    }
  }

  /** Lets time pass while a program does nothing but wait for an event. */
  private drive(): void {
    this.mayBeAwaited = true;
    if (this.driving) return;
    this.driving = true;
    // A turn of the host's own loop first: whatever else the program can do, it does before time passes.
    setTimeout(() => {
      this.driving = false;
      this.hasAnswer = false;
      for (let events = 0; events < EVENTS_A_TURN && !this.hasAnswer; events++) {
        this.mayBeAwaited = this.isAwaited();
        if (!this.mayBeAwaited || !this.fireOne(Number.POSITIVE_INFINITY)) return;
      }
      this.drive();
    }, 0);
  }

  private fireOne(untilTicks: number): boolean {
    if (this.running) return false;
    this.running = true;
    try {
      return this.simulation.step(untilTicks);
    } finally {
      this.running = false;
    }
  }

  private isAwaited(): boolean {
    if (this.waits > 0) return true;
    for (const mailbox of this.mailboxes) {
      if (mailbox.awaited) return true;
      this.mailboxes.delete(mailbox);
    }
    return false;
  }
}
