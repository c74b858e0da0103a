import type { WorldGraph } from '../../../profiles/index.js';
import type { SimulatedDevice } from './device.js';

/** A full frame there, an acknowledgement back. */
const FRAME_BYTES = 4096 + 62;
const ACK_BYTES = 66;
/** Inside a device, for a packet there or back: simulated devices take 0.8 to 1 us on average. */
const INSIDE_NS = 1000;

/**
 * The longest round trip of a world without queues, from a packet that a device decides to send to its acknowledgement:
 * cables and switches with the time of a full frame, and what the devices at both ends take. Ways are those with the
 * fewest hops.
 */
export function longestRoundTripNs(graph: WorldGraph, devices: readonly SimulatedDevice[]): number {
  const latencyOf = new Map(graph.switches.map(({ name, constants }) => [name, constants.switchLatencyNs]));
  const deviceOf = new Map(devices.map((device) => [device.name, device]));
  const neighbours = new Map<string, { to: string; ns: number }[]>();
  for (const { ends, gbps, propagationNs } of graph.links)
    for (const [from, to] of [ends, [...ends].reverse()]) {
      const ports = ends.map((end) => deviceOf.get(end)?.subsystem.device.constants.portGbps ?? Infinity);
      const rate = Math.min(...ports, gbps > 0 ? gbps : Infinity);
      const frameNs = ((FRAME_BYTES + ACK_BYTES) * 8) / rate;
      const ns = 2 * (propagationNs + (latencyOf.get(to) ?? 0)) + frameNs;
      neighbours.set(from, [...(neighbours.get(from) ?? []), { to, ns }]);
    }
  let longestNs = 0;
  // Devices on one switch are as far from all others, but for their own cables.
  const starts = latencyOf.size === 0 ? [...deviceOf.keys()] : [...latencyOf.keys()];
  for (const start of starts) {
    const first = (neighbours.get(start) ?? []).filter(({ to }) => deviceOf.has(to));
    const own = first.reduce((longest, { ns }) => Math.max(longest, ns), 0);
    for (const [end, ns] of distances(start, neighbours, latencyOf))
      if (deviceOf.has(end)) longestNs = Math.max(longestNs, ns + (latencyOf.size === 0 ? 0 : own));
  }
  const deviceNs = devices.reduce((longest, device) => Math.max(longest, ownNs(device)), 0);
  return longestNs + deviceNs;
}

/** Times by the fewest hops; devices do not forward. */
function distances(
  start: string,
  neighbours: ReadonlyMap<string, readonly { to: string; ns: number }[]>,
  forwards: ReadonlyMap<string, number>,
): Map<string, number> {
  const found = new Map([[start, 0]]);
  const queue = [start];
  for (const node of queue) {
    if (node !== start && !forwards.has(node)) continue;
    for (const { to, ns } of neighbours.get(node) ?? []) {
      if (found.has(to)) continue;
      found.set(to, found.get(node)! + ns);
      queue.push(to);
    }
  }
  return found;
}

/**
 * What the devices at both ends add to a round trip: their ports, and the read of the payload, pipelines and the decision
 * to acknowledge, which are about as much on all devices. A little too much does no harm: windows are made for it.
 */
export function ownNs({ subsystem }: SimulatedDevice): number {
  return 4 * subsystem.device.constants.portLatencyNs + 2 * INSIDE_NS;
}
