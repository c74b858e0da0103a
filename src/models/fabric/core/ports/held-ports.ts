import type { PortPlan } from '../../topology/port-plan.js';
import { nameOf } from '../../topology/topology.js';
import type { FabricState } from '../fabric-state.js';
import { PORT, RECORD_SHIFT, type Records } from '../records.js';
import type { Ports } from './ports.js';

/** A port that the other end holds in one class, and why. */
export interface HeldPort {
  readonly port: number;
  readonly trafficClass: number;
  /** From whom to whom it would send. */
  readonly from: string;
  readonly to: string;
  readonly queuedBytes: number;
  /** Ports of the node that holds it where its packets wait: they are congested, or held themselves. */
  readonly because: readonly { readonly port: number; readonly bytes: number }[];
}

/**
 * Everything that nodes of these parts hold at the moment, and what each waits for. `recordsOf` gives the records of a
 * node's part; null if it is another's.
 */
export function heldPorts(
  { ports, plan, lanes, spec: { topology } }: FabricState,
  recordsOf: (node: number) => Records | null,
): HeldPort[] {
  const held: HeldPort[] = [];
  for (let port = 0; port < ports.count; port++)
    for (let paused = ports.paused(port); paused !== 0; paused &= paused - 1) {
      const lane = 31 - Math.clz32(paused & -paused);
      const peer = plan.peer[port];
      const records = recordsOf(plan.node[peer]);
      if (records === null) continue;
      held.push({
        port,
        trafficClass: lanes.classOf[lane],
        from: nameOf(topology, plan.node[port]),
        to: nameOf(topology, plan.node[peer]),
        queuedBytes: ports.queueBytes[(port << ports.queueShift) | lane],
        because: peer < ports.hostPorts ? [] : waitingFrom(ports, plan, records, peer, lane),
      });
    }
  return held;
}

/** Where packets wait that came in by a port of a switch. */
function waitingFrom(
  ports: Ports,
  plan: PortPlan,
  records: Records,
  ingress: number,
  lane: number,
): { port: number; bytes: number }[] {
  const node = plan.node[ingress];
  const found: { port: number; bytes: number }[] = [];
  for (let egress = plan.portBegin[node]; egress < plan.portEnd[node]; egress++) {
    if ((ports.waiting(egress) & (1 << lane)) === 0) continue;
    const queue = (egress << ports.queueShift) | lane;
    let bytes = 0;
    for (let record = ports.head[queue]; ; record = records.next[record]) {
      const at = record << RECORD_SHIFT;
      if (records.words[at + PORT] === ingress) bytes += records.words[at];
      if (record === ports.tail[queue]) break;
    }
    if (bytes > 0) found.push({ port: egress, bytes });
  }
  return found;
}
