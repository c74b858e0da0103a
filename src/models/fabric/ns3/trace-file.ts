import type { Topology } from '../topology/topology.js';
import { TextReader } from './text-reader.js';

/**
 * Reads a trace file of HPCC's simulator: the number of nodes to dump, and the nodes; ones that do not exist are skipped.
 */
export function readTrace(file: string, text: string, { nodes }: Topology): number[] {
  const reader = new TextReader(file, text);
  const count = reader.integer('number of nodes', 0, 2 ** 32 - 1);
  const traced: number[] = [];
  for (let index = 0; index < count; index++) {
    const node = reader.integer('node', 0, 2 ** 32 - 1);
    if (node < nodes) traced.push(node);
  }
  return traced;
}
