import type { Timers } from '../core/timers.js';
import type { Wheel } from '../core/wheel.js';
import type { FlowTable } from './flow-table.js';
import type { LightNics } from './light-nics.js';

/**
 * Starts flows at their times, in order. ns-3 reads its flow file as time passes: an event per start time plans the
 * next one, and each flow then goes through two more events of the same nanosecond (its application is initialised and
 * started). Equal times make that visible, so it is the same here.
 */
export class FlowStarts {
  private readonly flows: FlowTable;
  private readonly wheel: Wheel;
  private readonly timers: Timers;
  private readonly nics: LightNics;
  private readonly onBatch: number;
  private readonly onInitialise: number;
  private readonly onStart: number;
  private next = 0;

  constructor(flows: FlowTable, wheel: Wheel, timers: Timers, nics: LightNics) {
    this.flows = flows;
    this.wheel = wheel;
    this.timers = timers;
    this.nics = nics;
    this.onBatch = timers.register(() => this.batch());
    this.onInitialise = timers.register((flow) => this.timers.after(0, this.onStart, flow));
    this.onStart = timers.register((flow) => this.nics.start(flow, this.flows.sourcePort[flow]));
    this.plan();
  }

  private plan(): void {
    const { flows, next, wheel } = this;
    if (next < flows.count) this.timers.after(flows.startNs[next] - wheel.nowNs, this.onBatch, 0);
  }

  private batch(): void {
    const { flows, wheel, timers } = this;
    while (this.next < flows.count && flows.startNs[this.next] === wheel.nowNs) {
      timers.reserve();
      timers.after(0, this.onInitialise, this.next++);
    }
    this.plan();
  }
}
