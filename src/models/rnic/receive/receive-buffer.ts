import type { Simulation } from '../../../engine/index.js';
import { Checker } from '../../../engine/index.js';
import { PRIORITIES } from '../../fabric/cable-side.js';

/** What the buffer needs to know of its device and link. */
export interface ReceiveBufferOptions {
  xoffBytes: number;
  xonBytes: number;
  /** Total room; a packet that finds none is lost, which a lossless configuration never lets happen. */
  bufferBytes: number;
  /** Whether it may pause the other end. */
  lossless: boolean;
  /** Tells the other end to stop or to go on with a class. */
  pause(priority: number, paused: boolean): void;
}

/**
 * The receive buffer of a port: it holds a packet from its last bit until the device has placed it, and pauses a class
 * of the other end between XOFF and XON.
 */
export class ReceiveBuffer {
  highWaterBytes = 0;
  drops = 0;
  pauseFrames = 0;
  readonly checker = new Checker();
  private readonly simulation: Simulation;
  private readonly options: ReceiveBufferOptions;
  private readonly bytes = new Float64Array(PRIORITIES);
  private readonly asserted = new Uint8Array(PRIORITIES);
  private readonly sincePs = new Float64Array(PRIORITIES);
  private readonly totalPs = new Float64Array(PRIORITIES);
  private held = 0;
  /** The share of the buffer and of its thresholds that is used. */
  private share = 1;

  constructor(simulation: Simulation, options: ReceiveBufferOptions) {
    this.simulation = simulation;
    this.options = options;
  }

  /** Bytes in it. */
  get occupancyBytes(): number {
    return this.held;
  }

  /** It uses a share of its room from now on. */
  resize(share: number): void {
    this.share = share;
  }

  /** Takes a packet in; false where there is no room. */
  admit(bytes: number, priority: number): boolean {
    const { options } = this;
    if (this.held + bytes > options.bufferBytes * this.share) {
      this.drops++;
      return false;
    }
    this.held += bytes;
    this.bytes[priority] += bytes;
    if (this.held > this.highWaterBytes) this.highWaterBytes = this.held;
    if (
      options.lossless &&
      this.asserted[priority] === 0 &&
      this.bytes[priority] > options.xoffBytes * this.share
    )
      this.assert(priority, 1);
    return true;
  }

  /** Whether a class has more in it than may be there when its other end goes on after a pause. */
  isFilled(priority: number): boolean {
    return this.bytes[priority] > this.options.xonBytes * this.share;
  }

  /** Lets a packet go. */
  release(bytes: number, priority: number): void {
    this.held -= bytes;
    this.bytes[priority] -= bytes;
    this.checker.check(
      this.bytes[priority] >= 0,
      'receive buffer gives back no more than it took',
      'bytes',
      this.bytes[priority],
      0,
    );
    if (this.asserted[priority] === 1 && this.bytes[priority] < this.options.xonBytes * this.share)
      this.assert(priority, 0);
  }

  /** Time that this side has held the other end in a class, up to now. */
  pauseAssertedPs(priority: number): number {
    const open = this.asserted[priority] === 1 ? this.simulation.now - this.sincePs[priority] : 0;
    return this.totalPs[priority] + open;
  }

  private assert(priority: number, paused: number): void {
    this.asserted[priority] = paused;
    this.pauseFrames++;
    if (paused === 1) this.sincePs[priority] = this.simulation.now;
    else this.totalPs[priority] += this.simulation.now - this.sincePs[priority];
    this.options.pause(priority, paused === 1);
  }
}
