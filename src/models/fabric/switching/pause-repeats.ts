import { Deadlines } from '../core/events/deadlines.js';
import type { Timers } from '../core/events/timers.js';
import type { Wheel } from '../core/events/wheel.js';
import { type PauseOptions, pauseNs } from '../core/ports/pause-options.js';
import type { Ports } from '../core/ports/ports.js';

/** Pauses that run out are repeated in half their time. */
export class PauseRepeats {
  private readonly ports: Ports;
  private readonly quanta: number;
  private readonly deadlines: Deadlines;
  private repeat: (queue: number) => void = () => {};

  constructor(ports: Ports, wheel: Wheel, timers: Timers, { quanta }: PauseOptions) {
    this.ports = ports;
    this.quanta = quanta;
    this.deadlines = new Deadlines(ports.count << ports.queueShift, wheel, timers, (queue) =>
      this.repeat(queue),
    );
  }

  /** Who repeats the pause of a queue, if it is still wanted. */
  onDue(repeat: (queue: number) => void): void {
    this.repeat = repeat;
  }

  /** A lane of the other end of a port was paused now. */
  plan(port: number, lane: number): void {
    const { ports } = this;
    const heldNs = pauseNs(this.quanta, ports.rateBps[ports.peer[port]]);
    this.deadlines.set((port << ports.queueShift) | lane, Math.max(1, Math.floor(heldNs / 2)));
  }
}
