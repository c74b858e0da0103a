import type { Simulation } from '../../../engine/index.js';
import { IndexQueue } from '../../resource/index-queue.js';

/** Bytes that a function may send at once after a pause. */
const BURST_BYTES = 8192;

/**
 * The rate limit of a function (a physical or virtual one): a token bucket over all bytes that its queue pairs send.
 * What the send scheduler finds held back waits here, first in, first out, one event a release; it holds no processing
 * unit meanwhile.
 */
export class FunctionLimiter {
  private readonly simulation: Simulation;
  private readonly psPerByte: number;
  private readonly release: (entry: number) => void;
  private readonly waiting = new IndexQueue();
  private readonly handler: number;
  /** When the bytes sent so far would have left at the limit. */
  private paidPs = Number.NEGATIVE_INFINITY;
  private armed = false;
  /** One that was released has not had its turn yet. */
  private released = false;

  /** `release` gets back what `park` was given. */
  constructor(simulation: Simulation, name: string, gbps: number, release: (entry: number) => void) {
    this.simulation = simulation;
    this.psPerByte = 8000 / gbps;
    this.release = release;
    this.handler = simulation.register(name, () => this.fire());
  }

  /** Whether the bucket is empty. */
  get holds(): boolean {
    return this.freePs > this.simulation.now;
  }

  /** Keeps an entry until the bucket has something again. */
  park(entry: number): void {
    this.waiting.push(entry);
    this.visited();
  }

  /** An entry of the function has had its turn, whether or not it sent. */
  visited(): void {
    this.released = false;
    this.arm();
  }

  /** Takes bytes that are sent now; the last packet may overdraw. */
  spend(bytes: number): void {
    const earliest = this.simulation.now - BURST_BYTES * this.psPerByte;
    this.paidPs = Math.max(this.paidPs, earliest) + bytes * this.psPerByte;
  }

  private get freePs(): number {
    return Math.ceil(this.paidPs);
  }

  private arm(): void {
    if (this.armed || this.released || this.waiting.length === 0) return;
    this.armed = true;
    this.simulation.at(Math.max(this.simulation.now, this.freePs), this.handler);
  }

  private fire(): void {
    this.armed = false;
    if (this.holds) return this.arm();
    this.released = true;
    this.release(this.waiting.shift());
  }
}
