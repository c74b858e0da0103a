import { nameOf, type RunningFabric } from '../../models/fabric/index.js';

/** One direction of a link: what it carried, and what waited for it. */
export interface CableUse {
  readonly from: string;
  readonly to: string;
  readonly gbps: number;
  readonly sentBytes: number;
  /** Share of what it could have carried until the last flow ended, or the run if there are full hosts. */
  readonly utilisation: number;
  /** How long at least one class was held by the other end. */
  readonly pausedNs: number;
  /** The most bytes that were seen waiting for it. */
  readonly peakQueueBytes: number;
}

/** Every direction of every link, by the number of the port that it leaves. */
export function cableUse(fabric: RunningFabric, peakBytes: Int32Array): CableUse[] {
  const { ports, plan } = fabric.state;
  const { topology } = fabric.spec;
  const lastNs = Math.max(1, ...busyEnd(fabric));
  const pausedNs = pausedTimes(fabric, lastNs);
  return Array.from({ length: ports.count }, (_, port) => ({
    from: nameOf(topology, plan.node[port]),
    to: nameOf(topology, plan.node[plan.peer[port]]),
    gbps: plan.rateBps[port] / 1e9,
    sentBytes: ports.sentBytes[port],
    utilisation: (ports.sentBytes[port] * 8e9) / (plan.rateBps[port] * lastNs),
    pausedNs: pausedNs[port],
    peakQueueBytes: peakBytes[port],
  }));
}

/** When the last flow ended, or how far the run came if some did not or full hosts sent beside them. */
function busyEnd(fabric: RunningFabric): [number] {
  const { endNs, count } = fabric.flows;
  if (fabric.finishedFlows < count || fabric.spec.guests !== undefined) return [fabric.nowNs];
  return [endNs.reduce((latest, each) => Math.max(latest, each), 0)];
}

function pausedTimes(fabric: RunningFabric, lastNs: number): Float64Array {
  const { pauseLog } = fabric;
  const { count } = fabric.state.ports;
  const held = new Int32Array(count);
  const sinceNs = new Float64Array(count);
  const totalNs = new Float64Array(count);
  for (let index = 0; index < pauseLog.count; index++) {
    const port = pauseLog.port[index];
    const before = held[port];
    const bit = 1 << pauseLog.trafficClass[index];
    held[port] = pauseLog.pauses[index] !== 0 ? before | bit : before & ~bit;
    if (before === 0 && held[port] !== 0) sinceNs[port] = pauseLog.timeNs[index];
    if (before !== 0 && held[port] === 0) totalNs[port] += pauseLog.timeNs[index] - sinceNs[port];
  }
  for (let port = 0; port < count; port++)
    if (held[port] !== 0) totalNs[port] += Math.max(0, lastNs - sinceNs[port]);
  return totalNs;
}
