import type { FabricLink, Topology } from '../topology/topology.js';
import { TextReader } from './text-reader.js';
import { readDelay, readRate } from './units.js';

/** ns-3 numbers nodes in the middle two bytes of an address. */
export const MOST_NODES = 65_536;
const MOST_LINKS = 4_194_304;
const LONGEST_DELAY_NS = 1e9;
const FASTEST_BPS = 10e12;

/**
 * Reads a topology of HPCC's simulator: `nodes switches links`, the switches' numbers, then per link
 * `from to rate delay error-rate`. What follows the declared number of links is ignored, as there.
 */
export function readTopology(file: string, text: string): Topology {
  const reader = new TextReader(file, text);
  const nodes = reader.integer('number of nodes', 1, MOST_NODES);
  const switches = reader.integer('number of switches', 0, nodes);
  const count = reader.integer('number of links', 0, MOST_LINKS);
  const isSwitch = new Uint8Array(nodes);
  for (let index = 0; index < switches; index++) isSwitch[reader.integer('switch', 0, nodes - 1)] = 1;
  const links: FabricLink[] = [];
  for (let index = 0; index < count; index++) links.push(readLink(reader, nodes));
  const first = isSwitch.indexOf(0);
  if (first < 0) reader.refuse('number of switches', switches, `0 to ${nodes - 1}: there is a host`);
  if (!links.some(({ from, to }) => from === first || to === first))
    reader.refuse('link', 'nothing', `a link to node ${first}, the first host, whose rate is that of NICs`);
  return { nodes, isSwitch, links };
}

function readLink(reader: TextReader, nodes: number): FabricLink {
  const from = reader.integer('end of a link', 0, nodes - 1);
  const to = reader.integer('end of a link', 0, nodes - 1);
  if (from === to) reader.refuse('link', `${from} ${to}`, 'two different nodes');
  const rateBps = readRate(reader, 'rate');
  if (rateBps < 1e6 || rateBps > FASTEST_BPS) reader.refuse('rate', rateBps, '1Mbps to 10000Gbps');
  const delayNs = readDelay(reader, 'delay');
  if (delayNs < 1 || delayNs > LONGEST_DELAY_NS) reader.refuse('delay', `${delayNs}ns`, '1ns to 1s');
  const lossRate = reader.number('error rate', 'a share from 0 to 1');
  if (lossRate < 0 || lossRate > 1) reader.refuse('error rate', lossRate, 'a share from 0 to 1');
  return { from, to, rateBps, delayNs, lossRate };
}
