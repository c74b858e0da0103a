import { cutNs } from '../core/events/rounding.js';
import type { FlowSpec } from '../nic/flow-spec.js';
import { Reach } from '../topology/reach.js';
import type { Topology } from '../topology/topology.js';
import { TextReader } from './text-reader.js';

const MOST_FLOWS = 16_777_216;
const MOST_BYTES = 2 ** 32 - 1;
const LATEST_START_SECONDS = 1e6;

/**
 * Reads a flow file of HPCC's simulator: the number of flows, then per flow `source target class dport bytes start`,
 * the start in seconds, in order of start. Starts are since the beginning of ns-3's time.
 */
export function readFlows(file: string, text: string, topology: Topology): FlowSpec[] {
  const { nodes, isSwitch } = topology;
  const reach = new Reach(topology);
  const reader = new TextReader(file, text);
  const count = reader.integer('number of flows', 0, MOST_FLOWS);
  const flows: FlowSpec[] = [];
  let lastNs = 0;
  for (let index = 0; index < count; index++) {
    const source = host(reader, 'source', nodes, isSwitch);
    const target = host(reader, 'target', nodes, isSwitch);
    if (source === target) reader.refuse('target', target, 'another host than the source');
    if (!reach.connects(source, target))
      reader.refuse('target', target, `a host that switches connect with the source, ${source}`);
    const trafficClass = reader.integer('class', 0, 7);
    const dport = reader.integer('destination port', 0, 65_535);
    const bytes = reader.integer('number of bytes', 1, MOST_BYTES);
    const start = reader.number('start', 'seconds');
    if (start < 0 || start > LATEST_START_SECONDS) reader.refuse('start', start, '0 to 1000000 seconds');
    const startNs = cutNs(start, 1e9);
    if (startNs < lastNs) reader.refuse('start', start, `no earlier than the flow before it`);
    lastNs = startNs;
    flows.push({ source, target, trafficClass, dport, bytes, startNs });
  }
  return flows;
}

function host(reader: TextReader, field: string, nodes: number, isSwitch: Uint8Array): number {
  const node = reader.integer(field, 0, nodes - 1);
  if (isSwitch[node] !== 0) reader.refuse(field, node, 'a host, not a switch');
  return node;
}
