import type { Random } from '../../../engine/index.js';
import type { BaseCompletionQueue, DoorbellPath, Poster, PostingCosts } from '../../../verbs/base/index.js';
import type { CompletionQueue, Thread } from '../../../verbs/index.js';
import type { SimulatedDevice } from '../device/device.js';
import type { Core, Cores } from './cores.js';

/** What posting to a device costs a core, as of a state of the host. */
export interface CorePosting {
  readonly version: number;
  readonly costs: PostingCosts;
  readonly doorbell: DoorbellPath;
  readonly pollPs: number;
  /** What a core that waits for a completion takes on average to see one that is there. */
  readonly noticePs: number;
  /** What a core that slept takes to wake. */
  readonly wakePs: number;
}

/**
 * A thread on a simulated core: while one of its steps runs, the verbs that it calls advance the core's own time, and
 * doorbells leave at that time. The next step waits until the core is free; other threads may be on it.
 */
export class SimulatedThread implements Thread, Poster {
  private readonly device: SimulatedDevice;
  private readonly handler: number;
  /** The socket that it runs on; null: the device's own. */
  private readonly socket: number | null;
  private posting: CorePosting;
  private readonly core: Core;
  private readonly random: Random;
  /** As which it posts to other devices of its host. */
  private readonly elsewhere = new Map<SimulatedDevice, ForeignPoster>();
  private step: (() => void) | null = null;
  private pending = false;
  private stopped = false;
  private inStep = false;
  private freePs = 0;
  /** Of all steps so far, the last one to its end. */
  private busyPs = 0;
  private debtPs = 0;
  /** The core's time while a step runs. */
  timePs = 0;

  constructor(device: SimulatedDevice, name: string, socket: number | null, cores: Cores, random: Random) {
    this.device = device;
    this.socket = socket;
    this.random = random;
    this.posting = device.coreOn(socket);
    this.core = cores.next(socket);
    this.handler = device.simulation.register(`${device.name}/${name}`, (timed) => this.onStep(timed === 1));
  }

  get costs(): PostingCosts {
    return this.postingNow.costs;
  }

  get doorbell(): DoorbellPath {
    return this.postingNow.doorbell;
  }

  /** As which it posts to a device of its host: the way there is another one. */
  posterOn(device: SimulatedDevice): Poster {
    if (device === this.device) return this;
    let poster = this.elsewhere.get(device);
    if (poster === undefined) {
      poster = new ForeignPoster(this, device, this.socket ?? this.device.socket);
      this.elsewhere.set(device, poster);
    }
    return poster;
  }

  get nowNs(): number {
    return (this.inStep ? this.timePs : this.device.simulation.now) / 1000;
  }

  /** A step that still runs counts as far as it has come: no stretch of time has more work in it than it is long. */
  get busyNs(): number {
    const aheadPs = Math.max(0, this.freePs - this.device.simulation.now);
    return (this.busyPs - aheadPs) / 1000;
  }

  watch(cq: CompletionQueue): void {
    const { carrier } = (cq as BaseCompletionQueue).context;
    (carrier as SimulatedDevice).watch(cq, this);
  }

  run(step: () => void): void {
    this.step = step;
    this.wake(0);
  }

  wakeAtNs(timeNs: number): void {
    const { simulation } = this.device;
    const atPs = Math.max(simulation.now, this.core.freePs, Math.ceil(timeNs * 1000));
    simulation.after(atPs - simulation.now, this.handler, 1);
  }

  work(durationNs: number): void {
    this.charge(durationNs * 1000);
  }

  stop(): void {
    this.stopped = true;
  }

  /** A completion is there, and will have to be polled. */
  completionSeen(): void {
    const { pollPs, noticePs } = this.postingNow;
    this.debtPs += pollPs;
    this.wake(noticePs);
  }

  /** What posting costs its core now: the host may have changed. */
  private get postingNow(): CorePosting {
    if (this.posting.version !== this.device.host.version) this.posting = this.device.coreOn(this.socket);
    return this.posting;
  }

  /**
   * A core that waits for a time sleeps if that pays, by the rule that it does where the wait is longer than the way back;
   * one that waits for a completion polls.
   */
  private wakingPs(nowPs: number): number {
    const { wakePs } = this.postingNow;
    return nowPs - this.core.freePs > wakePs ? wakePs : 0;
  }

  /**
   * The next step begins when the core is free; one that waits needs a while to notice, longer or shorter by what else
   * its caches and the mesh have to do.
   */
  private wake(noticePs: number): void {
    if (this.pending || this.stopped || this.step === null) return;
    this.pending = true;
    const { simulation } = this.device;
    const busyPs = this.core.freePs - simulation.now;
    simulation.after(busyPs > 0 ? busyPs : this.drawPs(noticePs), this.handler);
  }

  private drawPs(meanPs: number): number {
    return meanPs === 0 ? 0 : Math.round(this.random.nextExponential(meanPs));
  }

  /** The step that runs now worked for this long. */
  charge(costPs: number): void {
    this.timePs += costPs;
  }

  private onStep(timed: boolean): void {
    const { simulation } = this.device;
    const now = simulation.now;
    if (this.stopped || this.step === null) return;
    if (now < this.core.freePs) {
      simulation.after(this.core.freePs - now, this.handler, timed ? 1 : 0);
      return;
    }
    this.pending = false;
    this.timePs = now + this.debtPs + (timed ? this.wakingPs(now) : 0);
    this.debtPs = 0;
    this.device.enterThread(this);
    this.inStep = true;
    try {
      this.step();
    } finally {
      this.inStep = false;
      this.device.enterThread(null);
    }
    this.timePs = Math.round(this.timePs);
    this.busyPs += this.timePs - now;
    this.freePs = this.timePs;
    this.core.freePs = this.timePs;
  }
}

/** A thread as it posts to another device of its host. */
class ForeignPoster implements Poster {
  private readonly thread: SimulatedThread;
  private readonly device: SimulatedDevice;
  private readonly socket: number;
  private core: CorePosting;

  constructor(thread: SimulatedThread, device: SimulatedDevice, socket: number) {
    this.thread = thread;
    this.device = device;
    this.socket = socket;
    this.core = device.coreOn(socket);
  }

  get costs(): PostingCosts {
    return this.coreNow.costs;
  }

  get doorbell(): DoorbellPath {
    return this.coreNow.doorbell;
  }

  get timePs(): number {
    return this.thread.timePs;
  }

  charge(costPs: number): void {
    this.thread.charge(costPs);
  }

  private get coreNow(): CorePosting {
    if (this.core.version !== this.device.host.version) this.core = this.device.coreOn(this.socket);
    return this.core;
  }
}
