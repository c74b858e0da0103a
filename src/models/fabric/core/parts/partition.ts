import type { PortPlan } from '../../topology/port-plan.js';
import type { Topology } from '../../topology/topology.js';

/** A fabric in parts that are simulated apart for one window at a time. */
export interface Partition {
  readonly count: number;
  /** The part of each node. */
  readonly partOf: Int32Array;
  /** The least delay between two parts: what one does reaches no other within it. Infinity for one part. */
  readonly windowNs: number;
}

/**
 * Divides a fabric into parts of about equal numbers of ports. Pods stay together if the topology knows them, hosts
 * stay with their switch, and what is near in number is near in memory.
 */
export function partitionOf(topology: Topology, plan: PortPlan, count: number): Partition {
  const { nodes } = topology;
  const partOf = new Int32Array(nodes);
  if (count > 1) {
    const units = unitsOf(topology, plan);
    const all = plan.node.length;
    let before = 0;
    for (const unit of units) {
      const ports = unit.reduce((sum, node) => sum + plan.portEnd[node] - plan.portBegin[node], 0);
      const part = Math.min(count - 1, Math.floor(((before + ports / 2) / all) * count));
      for (const node of unit) partOf[node] = part;
      before += ports;
    }
  }
  let windowNs = Infinity;
  for (let port = 0; port < plan.peer.length; port++)
    if (partOf[plan.node[port]] !== partOf[plan.node[plan.peer[port]]])
      windowNs = Math.min(windowNs, plan.delayNs[port]);
  return { count, partOf, windowNs };
}

/** Nodes that stay together: pods, and switches of the core by themselves; without pods, switches with their hosts. */
function unitsOf({ nodes, isSwitch, pods }: Topology, plan: PortPlan): number[][] {
  const units = new Map<number, number[]>();
  const add = (key: number, node: number) => {
    const unit = units.get(key);
    if (unit === undefined) units.set(key, [node]);
    else unit.push(node);
  };
  for (let node = 0; node < nodes; node++) {
    if (pods !== undefined && pods[node] >= 0) {
      add(pods[node], node);
      continue;
    }
    const home = isSwitch[node] !== 0 || plan.portBegin[node] === plan.portEnd[node];
    // Keys of single switches lie behind those of pods.
    add(nodes + (home ? node : plan.node[plan.peer[plan.portBegin[node]]]), node);
  }
  return [...units.entries()].sort(([a], [b]) => a - b).map(([, unit]) => unit);
}
