import { cutNs } from '../core/events/rounding.js';
import type { Topology } from '../topology/topology.js';
import type { Ns3Config } from './config.js';
import { HPCC_MODE, TELEMETRY_BPS } from './constants.js';

/** What a configuration asks for and does not get, or gets differently from what it says; `traced` is the trace file. */
export function notesOf(config: Ns3Config, topology: Topology, traced: readonly number[]): string[] {
  const { file, ignored, lines } = config;
  const notes = ignored.map(
    ({ key, line }) => `${file}:${line}: ${key} is not a key of HPCC's and is ignored`,
  );
  const place = (key: string) => `${file}:${lines.get(key)}: ${key}`;
  if (config.trace && traced.length > 0)
    notes.push(
      `${place('TRACE_FILE')}: packets of ${traced.length} nodes are not dumped; kelpie writes FCT and PFC files`,
    );
  if (config.queueFile !== null && config.queueStartNs < cutNs(config.stopSeconds, 1e9))
    notes.push(
      `${place('QLEN_MON_FILE')} is not written; --json and --report have the largest queues over time`,
    );
  const uncoded = config.controlMode === HPCC_MODE ? uncodedGbps(topology) : [];
  if (uncoded.length > 0)
    notes.push(
      `${config.topologyFile}: HPCC's telemetry has no code for ${uncoded.join(', ')} Gb/s; such ports count as ${TELEMETRY_BPS[0] / 1e9} Gb/s, as in ns-3`,
    );
  return notes;
}

/** Rates of switch ports that telemetry cannot name. */
function uncodedGbps({ links, isSwitch }: Topology): number[] {
  const rates = new Set<number>();
  for (const { from, to, rateBps } of links)
    if (isSwitch[from] + isSwitch[to] > 0 && !TELEMETRY_BPS.includes(rateBps)) rates.add(rateBps / 1e9);
  return [...rates];
}
