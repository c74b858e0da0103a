import { nameOf, type Topology } from '../../models/fabric/index.js';

/** The node of a name or number; null if there is none. */
export function findNode(topology: Topology, given: string | number): number | null {
  if (typeof given === 'number') return given < topology.nodes ? given : null;
  for (let node = 0; node < topology.nodes; node++) if (nameOf(topology, node) === given) return node;
  return null;
}
