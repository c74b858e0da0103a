import type { Timers } from '../core/events/timers.js';
import type { Wheel } from '../core/events/wheel.js';
import type { Lanes } from '../core/ports/lanes.js';
import type { Pauses, PauseWatcher } from '../core/ports/pauses.js';
import { discardsBit } from '../core/ports/port-queues.js';
import type { Ports } from '../core/ports/ports.js';
import type { SwitchPlane } from './switch-plane.js';
import type { WatchdogEvent, WatchdogOptions } from './watchdog-options.js';

/** Share of an interval above which a queue counts as held all the time. */
const HELD_SHARE = 0.99;

/**
 * SONiC's PFC watchdog on every lossless egress queue of the switches of a domain. It looks at regular times; bad looks
 * take an interval off the detection time, and a good one gives all of it back. A queue in a storm does not obey pauses
 * and, with the action `drop`, loses what it has and what comes; it is restored when no pause came for long enough.
 */
export class Watchdog implements PauseWatcher {
  readonly events: WatchdogEvent[] = [];
  /** Timers of its own that were handled. */
  handled = 0;
  private readonly options: WatchdogOptions;
  private readonly ports: Ports;
  private readonly wheel: Wheel;
  private readonly timers: Timers;
  private readonly lanes: Lanes;
  private readonly switches: SwitchPlane;
  private readonly pauses: Pauses;
  private readonly poll: number;
  private polling = false;
  /** Queues that a pause ever reached: the ones to look at. */
  private readonly watched: number[] = [];
  private readonly isWatched: Uint8Array;
  /** Per queue, of the present interval: pauses that came, and whether one ended. */
  private readonly frames: Int32Array;
  private readonly ended: Uint8Array;
  private readonly heldAtBegin: Uint8Array;
  /** Per queue: time held in this interval, and since when it is held. */
  private readonly heldNs: Float64Array;
  private readonly sinceNs: Float64Array;
  private readonly leftNs: Float64Array;
  private readonly stormed: Uint8Array;

  constructor(
    options: WatchdogOptions,
    parts: {
      ports: Ports;
      wheel: Wheel;
      timers: Timers;
      lanes: Lanes;
      switches: SwitchPlane;
      pauses: Pauses;
    },
  ) {
    const { ports, wheel, timers, lanes, switches, pauses } = parts;
    const queues = ports.count << ports.queueShift;
    this.options = options;
    this.ports = ports;
    this.wheel = wheel;
    this.timers = timers;
    this.lanes = lanes;
    this.switches = switches;
    this.pauses = pauses;
    this.isWatched = new Uint8Array(queues);
    this.frames = new Int32Array(queues);
    this.ended = new Uint8Array(queues);
    this.heldAtBegin = new Uint8Array(queues);
    this.heldNs = new Float64Array(queues);
    this.sinceNs = new Float64Array(queues).fill(-1);
    this.leftNs = new Float64Array(queues).fill(options.detectNs);
    this.stormed = new Uint8Array(queues);
    this.poll = timers.register(() => this.onPoll());
    pauses.watcher = this;
  }

  onPause(queue: number, pauses: boolean): boolean {
    if (queue >> this.ports.queueShift < this.ports.hostPorts) return true;
    if (this.isWatched[queue] === 0) {
      this.isWatched[queue] = 1;
      this.watched.push(queue);
    }
    const { nowNs } = this.wheel;
    if (pauses) {
      this.frames[queue]++;
      if (this.sinceNs[queue] < 0) this.sinceNs[queue] = nowNs;
    } else {
      this.onExpired(queue);
    }
    this.plan();
    return this.stormed[queue] === 0 || this.options.action === 'alert';
  }

  onExpired(queue: number): void {
    this.ended[queue] = 1;
    if (this.sinceNs[queue] >= 0) this.heldNs[queue] += this.wheel.nowNs - this.sinceNs[queue];
    this.sinceNs[queue] = -1;
  }

  /** Looks come at multiples of the interval, and only while there is something to look at. */
  private plan(): void {
    if (this.polling) return;
    this.polling = true;
    const { pollNs } = this.options;
    this.timers.after(pollNs - (this.wheel.nowNs % pollNs), this.poll, 0);
  }

  private onPoll(): void {
    this.handled++;
    this.polling = false;
    let active = false;
    for (const queue of this.watched) {
      if (this.stormed[queue] !== 0) this.lookAtStorm(queue);
      else this.look(queue);
      if (this.stormed[queue] !== 0 || this.sinceNs[queue] >= 0) active = true;
    }
    if (active) this.plan();
  }

  private look(queue: number): void {
    const { pollNs, detectNs } = this.options;
    const bad = this.isBad(queue);
    const left = this.leftNs[queue];
    this.beginInterval(queue);
    if (!bad) {
      this.leftNs[queue] = detectNs;
    } else if (left > pollNs) {
      this.leftNs[queue] = left - pollNs;
    } else {
      this.leftNs[queue] = this.options.restoreNs;
      this.storm(queue);
    }
  }

  private lookAtStorm(queue: number): void {
    const { pollNs, detectNs, restoreNs } = this.options;
    const quiet = this.frames[queue] === 0;
    this.beginInterval(queue);
    if (!quiet) {
      this.leftNs[queue] = restoreNs;
    } else if (this.leftNs[queue] > pollNs) {
      this.leftNs[queue] -= pollNs;
    } else {
      this.leftNs[queue] = detectNs;
      this.restore(queue);
    }
  }

  private isBad(queue: number): boolean {
    const { ports, options, wheel } = this;
    const held = this.sinceNs[queue] >= 0;
    if (options.rule === 'broadcom')
      return held && this.heldAtBegin[queue] !== 0 && this.frames[queue] > 0 && this.ended[queue] === 0;
    const sinceNs = Math.max(this.sinceNs[queue], wheel.nowNs - options.pollNs);
    const heldNs = this.heldNs[queue] + (held ? wheel.nowNs - sinceNs : 0);
    return ports.queueBytes[queue] > 0 && heldNs > HELD_SHARE * options.pollNs;
  }

  private beginInterval(queue: number): void {
    this.frames[queue] = 0;
    this.ended[queue] = 0;
    this.heldNs[queue] = 0;
    this.heldAtBegin[queue] = this.sinceNs[queue] >= 0 ? 1 : 0;
  }

  private storm(queue: number): void {
    const { port, lane } = this.placeOf(queue);
    this.note(queue, 'storm');
    this.stormed[queue] = 1;
    if (this.options.action === 'alert') return;
    if (this.options.action === 'drop') {
      this.ports.status[port] |= discardsBit(lane);
      this.switches.discard(port, lane);
    }
    this.pauses.release(port, lane);
  }

  private restore(queue: number): void {
    const { port, lane } = this.placeOf(queue);
    this.note(queue, 'restored');
    this.stormed[queue] = 0;
    this.ports.status[port] &= ~discardsBit(lane);
    this.sinceNs[queue] = -1;
  }

  private note(queue: number, kind: WatchdogEvent['kind']): void {
    const { port, lane } = this.placeOf(queue);
    const trafficClass = this.lanes.classOf[lane];
    this.events.push({ timeNs: this.wheel.nowNs, port, trafficClass, kind });
  }

  private placeOf(queue: number): { port: number; lane: number } {
    const { queueShift } = this.ports;
    return { port: queue >> queueShift, lane: queue & ((1 << queueShift) - 1) };
  }
}
