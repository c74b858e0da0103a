import { memoryNeed, type Workload } from '../../../workload/index.js';

/**
 * What an experiment asks of a simulator, in about microseconds of a processor, fitted to 12,000 experiments of hunts on
 * `collie-f-as-tested` (half of them within 20 %). It decides the order in which a hunt takes outcomes, so it has to be the
 * same wherever the experiment is made, and whatever the simulator's own events are.
 */
const COST = {
  once: 4000,
  connection: 65,
  sendWqe: 0.75,
  receiveWqe: 0.4,
  region: 0.6,
  packet: 2.4,
  message: 2.4,
} as const;

/** What an experiment has delivered so far, all its tenants together. */
export interface DeliveredSoFar {
  packets: number;
  messages: number;
}

/** What it costs to set a workload up: the least that an experiment costs. */
export function setUpCost(workload: Workload): number {
  const { connections, regions, sendWqes, receiveWqes } = memoryNeed(workload, false);
  return (
    COST.once +
    COST.connection * connections +
    COST.sendWqe * sendWqes +
    COST.receiveWqe * receiveWqes +
    COST.region * regions
  );
}

/** What an experiment has cost when it has delivered this much; it never falls. */
export function costOf(workload: Workload, { packets, messages }: DeliveredSoFar): number {
  return setUpCost(workload) + COST.packet * packets + COST.message * messages;
}
