import type { RunningFabric } from '../core/running-fabric.js';
import { addressOf } from '../topology/ecmp-hash.js';
import { BASE_HEADER_BYTES } from './constants.js';

const NS_BITS = 8_000_000_000n;

/** How long a flow would take alone, as HPCC's simulator counts it: base headers, whatever the control adds. */
export function idealNs(fabric: RunningFabric, flow: number): number {
  const { spec } = fabric;
  const { flows, routing } = fabric.state;
  const { rttNs, bottleneckBps } = routing.roundTrip(flows.source[flow], flows.target[flow]);
  const bytes = flows.sizeBytes[flow];
  const packets = Math.ceil(bytes / spec.nic.payloadBytes);
  const wireBytes = BigInt(bytes + packets * BASE_HEADER_BYTES);
  return rttNs + Number((wireBytes * NS_BITS) / BigInt(bottleneckBps));
}

/** The FCT file: a line per flow in order of completion: addresses, ports, bytes, start, completion time, ideal. */
export function fctLines(fabric: RunningFabric, epochNs: number): string {
  const { flows } = fabric;
  let text = '';
  for (const flow of fabric.finished) {
    const fields = [
      hexAddress(flows.source[flow]),
      hexAddress(flows.target[flow]),
      flows.sport[flow],
      flows.dport[flow],
      flows.sizeBytes[flow],
      flows.startNs[flow] + epochNs,
      flows.endNs[flow] - flows.startNs[flow],
      idealNs(fabric, flow),
    ];
    text += `${fields.join(' ')}\n`;
  }
  return text;
}

/** The PFC file: a line per pause (1) and resume (0) at the port that obeys it: time, node, is switch, interface, kind. */
export function pfcLines(fabric: RunningFabric, epochNs: number): string {
  const { pauseLog } = fabric;
  const { plan, ports } = fabric.state;
  let text = '';
  for (let index = 0; index < pauseLog.count; index++) {
    const port = pauseLog.port[index];
    const isSwitch = port < ports.hostPorts ? 0 : 1;
    const time = pauseLog.timeNs[index] + epochNs;
    text += `${time} ${plan.node[port]} ${isSwitch} ${plan.interfaceOf(port)} ${pauseLog.pauses[index]}\n`;
  }
  return text;
}

function hexAddress(node: number): string {
  return addressOf(node).toString(16).padStart(8, '0');
}
