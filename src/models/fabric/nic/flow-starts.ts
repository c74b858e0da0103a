import type { Timers } from '../core/events/timers.js';
import type { Wheel } from '../core/events/wheel.js';
import type { FlowTable } from './flow-table.js';
import type { LightNics } from './light-nics.js';

/**
 * Starts flows as ns-3 does. It reads its flow file as time passes: an event per start time plans the next one, and
 * each flow then goes through two more events of the same nanosecond (its application is initialised and started).
 * Equal times make that visible.
 */
export class Ns3Starts {
  private readonly flows: FlowTable;
  private readonly wheel: Wheel;
  private readonly timers: Timers;
  private readonly onBatch: number;
  private readonly onInitialise: number;
  private readonly onStart: number;
  private next = 0;

  constructor(flows: FlowTable, wheel: Wheel, timers: Timers, nics: LightNics) {
    this.flows = flows;
    this.wheel = wheel;
    this.timers = timers;
    this.onBatch = timers.register(() => this.batch());
    this.onInitialise = timers.register((flow) => timers.after(0, this.onStart, flow));
    this.onStart = timers.register((flow) => nics.start(flow, flows.sourcePort[flow]));
    this.plan();
  }

  private plan(): void {
    const { flows, next, wheel } = this;
    if (next < flows.count) this.timers.after(flows.startNs[next] - wheel.nowNs, this.onBatch, 0);
  }

  private batch(): void {
    const { flows, wheel, timers } = this;
    while (this.next < flows.count && flows.startNs[this.next] === wheel.nowNs)
      timers.after(0, this.onInitialise, this.next++);
    this.plan();
  }
}

/**
 * Plans every start of the flows from some hosts at once, before anything else. Returns what starts a flow that waited
 * for others.
 */
export function planStarts(
  flows: FlowTable,
  wheel: Wheel,
  timers: Timers,
  nics: LightNics,
  isOwn: (host: number) => boolean,
): (flow: number) => void {
  const start = timers.register((flow) => {
    flows.startNs[flow] = wheel.nowNs;
    nics.start(flow, flows.sourcePort[flow]);
  });
  for (let flow = 0; flow < flows.count; flow++)
    if (isOwn(flows.source[flow]) && flows.order.waits[flow] === 0)
      timers.after(flows.startNs[flow], start, flow);
  return (flow) => {
    const readyNs = wheel.nowNs + flows.computeNs[flow];
    timers.after(Math.max(readyNs, flows.startNs[flow]) - wheel.nowNs, start, flow);
  };
}
