import type { Simulation } from '../../../engine/index.js';
import { IndexQueue } from '../../resource/index-queue.js';

/** What is held of one function: until when, for which receive ring, and the packets that wait. */
class Hold {
  untilPs = 0;
  ring: object | null = null;
  armed = false;
  readonly waiting = new IndexQueue();
}

/**
 * Functions whose error handling holds their own packets, while those of others go on: the packets stand aside, still
 * in the receive buffer, until the hold ends (Husky §5.1: with SR-IOV an RC RNR does not affect other functions).
 */
export class FunctionHolds {
  private readonly simulation: Simulation;
  private readonly resume: (packet: number) => void;
  private readonly handler: number;
  private readonly holds: (Hold | undefined)[] = [];

  /** `resume` gets back each packet that `park` was given. */
  constructor(simulation: Simulation, name: string, resume: (packet: number) => void) {
    this.simulation = simulation;
    this.resume = resume;
    this.handler = simulation.register(name, (number) => this.fire(number));
  }

  /** Holds a function; a receive posted to `ring` ends it early, null where nothing does. */
  hold(number: number, untilPs: number, ring: object | null): void {
    this.holds[number] ??= new Hold();
    const hold = this.holds[number];
    if (untilPs > hold.untilPs) hold.untilPs = untilPs;
    hold.ring = ring;
    this.arm(number, hold);
  }

  /** Whether packets of this function must stand aside. */
  isHeld(number: number): boolean {
    const hold = this.holds[number];
    return hold !== undefined && (hold.untilPs > this.simulation.now || hold.waiting.length > 0);
  }

  /** Keeps a packet until its function goes on. */
  park(number: number, packet: number): void {
    this.holds[number]!.waiting.push(packet);
  }

  /** Receives were posted: the hold that waited for them ends. */
  receivesThere(ring: object): void {
    for (let number = 0; number < this.holds.length; number++) {
      const hold = this.holds[number];
      if (hold === undefined || hold.ring !== ring) continue;
      hold.ring = null;
      hold.untilPs = this.simulation.now;
      // One may be due at the end of the hold as well: it then finds nothing to do.
      this.simulation.after(0, this.handler, number);
    }
  }

  private arm(number: number, hold: Hold): void {
    if (hold.armed) return;
    hold.armed = true;
    this.simulation.at(hold.untilPs, this.handler, number);
  }

  private fire(number: number): void {
    const hold = this.holds[number]!;
    hold.armed = false;
    // A packet may bring the next hold; those behind it wait for that one.
    for (let left = hold.waiting.length; left > 0 && hold.untilPs <= this.simulation.now; left--)
      this.resume(hold.waiting.shift());
    if (hold.untilPs > this.simulation.now) this.arm(number, hold);
  }
}
