import type { DoorbellPath, Poster, PostingCosts } from '../../verbs/base/index.js';
import type { CompletionQueue, Thread } from '../../verbs/index.js';
import type { SimulatedDevice } from './device.js';

/**
 * A thread on a simulated core: while one of its steps runs, the verbs that it calls advance the core's own time, and
 * doorbells leave at that time. The next step waits until the core is free.
 */
export class SimulatedThread implements Thread, Poster {
  readonly costs: PostingCosts;
  readonly doorbell: DoorbellPath;
  private readonly device: SimulatedDevice;
  private readonly handler: number;
  private readonly pollPs: number;
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

  constructor(device: SimulatedDevice, name: string, costs: PostingCosts, doorbell: DoorbellPath) {
    this.device = device;
    this.costs = costs;
    this.doorbell = doorbell;
    this.pollPs = Math.round(costs.pollNs * 1000);
    this.handler = device.simulation.register(`${device.name}/${name}`, () => this.onStep());
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
    this.device.watch(cq, this);
  }

  run(step: () => void): void {
    this.step = step;
    this.wake();
  }

  wakeAtNs(timeNs: number): void {
    const { simulation } = this.device;
    simulation.at(Math.max(simulation.now, this.freePs, Math.ceil(timeNs * 1000)), this.handler);
  }

  work(durationNs: number): void {
    this.charge(durationNs * 1000);
  }

  stop(): void {
    this.stopped = true;
  }

  /** A completion is there, and will have to be polled. */
  completionSeen(): void {
    this.debtPs += this.pollPs;
    this.wake();
  }

  private wake(): void {
    if (this.pending || this.stopped || this.step === null) return;
    this.pending = true;
    const { simulation } = this.device;
    simulation.at(Math.max(simulation.now, this.freePs), this.handler);
  }

  /** The step that runs now worked for so long. */
  charge(costPs: number): void {
    this.timePs += costPs;
  }

  private onStep(): void {
    const { simulation } = this.device;
    const now = simulation.now;
    if (this.stopped || this.step === null) return;
    if (now < this.freePs) {
      simulation.at(this.freePs, this.handler);
      return;
    }
    this.pending = false;
    this.timePs = now + this.debtPs;
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
  }
}
