import { Deadlines } from '../events/deadlines.js';
import type { Timers } from '../events/timers.js';
import type { Wheel } from '../events/wheel.js';
import type { Lanes } from './lanes.js';
import type { PauseLog } from './pause-log.js';
import { type PauseOptions, pauseNs } from './pause-options.js';
import { pausedBit } from './port-queues.js';
import type { Ports } from './ports.js';

/** Who watches pauses: a queue that was held for too long may stop to obey them. */
export interface PauseWatcher {
  /** A pause or resume arrived; false if the queue does not obey. */
  onPause(queue: number, pauses: boolean): boolean;
  /** A pause ran out. */
  onExpired(queue: number): void;
}

/**
 * Ports that are held. A pause that comes twice is a pause. It holds until the resume, or until its quanta are over and
 * nobody repeated it.
 */
export class Pauses {
  /** Resumes of lanes that were not paused. */
  unpairedResumes = 0;
  /** Pauses and resumes that could not be read. */
  corrupt = 0;
  private readonly ports: Ports;
  private readonly wheel: Wheel;
  private readonly log: PauseLog;
  private readonly classOf: readonly number[];
  private readonly serve: (port: number) => void;
  private readonly options: PauseOptions | null;
  private readonly ends: Deadlines | null;
  /** Null if every node reads pauses. */
  private readonly deaf: ReadonlySet<number> | null;
  /** Null unless there is a watchdog. */
  watcher: PauseWatcher | null = null;

  constructor(parts: {
    ports: Ports;
    wheel: Wheel;
    timers: Timers;
    lanes: Lanes;
    log: PauseLog;
    options: PauseOptions | null;
    deafNodes: readonly number[];
    serve: (port: number) => void;
  }) {
    const { ports, wheel, timers, options, log, lanes, serve } = parts;
    this.ports = ports;
    this.wheel = wheel;
    this.log = log;
    this.classOf = lanes.classOf;
    this.options = options;
    this.serve = serve;
    this.deaf = parts.deafNodes.length === 0 ? null : new Set(parts.deafNodes);
    this.ends =
      options === null
        ? null
        : new Deadlines(ports.count << ports.queueShift, wheel, timers, (queue) => {
            this.watcher?.onExpired(queue);
            this.release(queue >> ports.queueShift, queue & ((1 << ports.queueShift) - 1));
          });
  }

  /** A frame that pauses or resumes a lane arrived at a port. */
  receive(port: number, lane: number, pauses: boolean): void {
    const { ports, ends } = this;
    const queue = (port << ports.queueShift) | lane;
    if (this.deaf?.has(ports.node[port]) === true) {
      this.corrupt++;
      return;
    }
    if (this.watcher !== null && !this.watcher.onPause(queue, pauses)) return;
    if (!pauses) {
      if (!ports.isPaused(port, lane)) this.unpairedResumes++;
      ends?.clear(queue);
      this.release(port, lane);
      return;
    }
    if (ends !== null) ends.set(queue, pauseNs(this.options!.quanta, ports.rateBps[port]));
    if (ends === null || !ports.isPaused(port, lane))
      this.log.add(this.wheel.nowNs, port, this.classOf[lane], 1);
    ports.status[port] |= pausedBit(lane);
  }

  /** Lets a lane of a port go on. */
  release(port: number, lane: number): void {
    const { ports } = this;
    if (ports.isPaused(port, lane) || this.options === null)
      this.log.add(this.wheel.nowNs, port, this.classOf[lane], 0);
    ports.status[port] &= ~pausedBit(lane);
    if (ports.isIdle(port)) this.serve(port);
  }
}
