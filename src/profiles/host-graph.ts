import { KelpieError } from '../error.js';
import type { Host, HostLink } from './resolve.js';

/** A way through the graph of a host. */
export interface HostWay {
  readonly links: readonly HostLink[];
  /** Indices of the nodes, first to last. */
  readonly nodes: readonly number[];
  readonly latencyNs: number;
}

/** Ways that were found, by `from * nodes + to`: a world has many hosts of one graph, and graphs never change. */
const found = new WeakMap<Host, Map<number, HostWay>>();

/**
 * The way of least latency between two nodes (Dijkstra over a graph of a few dozen nodes). DMA passes through sockets
 * and switches, never through another device.
 */
export function shortestWay(host: Host, from: number, to: number): HostWay {
  let ways = found.get(host);
  if (ways === undefined) {
    ways = new Map();
    found.set(host, ways);
  }
  const key = from * host.nodes.length + to;
  let way = ways.get(key);
  if (way === undefined) {
    way = findShortest(host, from, to);
    ways.set(key, way);
  }
  return way;
}

function findShortest(host: Host, from: number, to: number): HostWay {
  const { nodes, links } = host;
  const best = new Map<number, HostWay>([[from, { links: [], nodes: [from], latencyNs: 0 }]]);
  const open = new Set([from]);
  while (open.size > 0) {
    const node = [...open].reduce((least, each) =>
      best.get(each)!.latencyNs < best.get(least)!.latencyNs ? each : least,
    );
    open.delete(node);
    const way = best.get(node)!;
    if (node === to) return way;
    if (node !== from && nodes[node].kind !== 'socket' && nodes[node].kind !== 'switch') continue;
    for (const link of links) {
      if (!link.ends.includes(node)) continue;
      const next = link.ends[0] === node ? link.ends[1] : link.ends[0];
      const latencyNs = way.latencyNs + link.latencyNs;
      if (latencyNs >= (best.get(next)?.latencyNs ?? Number.POSITIVE_INFINITY)) continue;
      best.set(next, { links: [...way.links, link], nodes: [...way.nodes, next], latencyNs });
      open.add(next);
    }
  }
  throw new KelpieError(
    'HOST_GRAPH',
    `${nodes[from].name} and ${nodes[to].name} of ${host.name} are not joined`,
  );
}

/** The node of a kind that is nearest to another by latency, the first of equals. */
export function nearestNode(host: Host, from: number, kind: Host['nodes'][number]['kind']): number {
  let found = -1;
  let leastNs = Number.POSITIVE_INFINITY;
  host.nodes.forEach((node, index) => {
    if (node.kind !== kind) return;
    const { latencyNs } = shortestWay(host, from, index);
    if (latencyNs >= leastNs) return;
    found = index;
    leastNs = latencyNs;
  });
  return found;
}
