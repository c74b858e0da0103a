import { KelpieError } from '../../../error.js';
import { addressOf, ecmpHash } from './ecmp-hash.js';
import { PortPlan } from './port-plan.js';
import type { Topology } from './topology.js';

/** The order in which a node's neighbours are visited, which decides the order of equal next hops. */
export type VisitOrder = 'descending' | 'ascending';

/** The way between two hosts without any queue. */
export interface RoundTrip {
  /** Twice the delays, and a payload's time on each link one way. */
  readonly rttNs: number;
  readonly bottleneckBps: number;
  /** What fits on the way: round-trip time times bottleneck. */
  readonly windowBytes: number;
}

/** The switches as seen from one destination; by number of switch. */
interface Tree {
  /** Hops to the destination; -1 if it cannot be reached. */
  readonly distance: Int16Array;
  /** When the search reached the switch. */
  readonly place: Int32Array;
  /** The next switch along the way by which the search came; -1 next to the destination. */
  readonly next: Int32Array;
  /** Delays, payload times and least rate from the switch to the one next to the destination. */
  readonly delayNs: Float64Array;
  readonly payloadNs: Float64Array;
  readonly leastBps: Float64Array;
}

/** Seed of the hash by which a host with several ports chooses one: that of ns-3's hash functions. */
const HOST_SEED = 0x8badf00d;

/**
 * Shortest paths with ECMP as HPCC's simulator has them: a search from the destination over switches (hosts do not
 * forward), next hops in the order in which the search reached them, and a hash of the flow with the switch's number as
 * seed to choose one. ns-3 visits neighbours in the order of their objects' addresses, which fall with the node's
 * number: hence `descending`.
 *
 * Hosts that hang on the same switches share a search.
 */
export class Routing {
  private readonly plan: PortPlan;
  private readonly payloadBytes: number;
  private readonly hosts: number[] = [];
  /** Number of each node among the switches; -1 for hosts. */
  private readonly switchOf: Int32Array;
  private readonly switches: number;
  /** Ports of each node in the order of visits. */
  private readonly visits: Int32Array;
  private readonly visitEnd: Int32Array;
  private readonly trees = new Map<string, Tree>();
  private readonly treeOfHost: (Tree | undefined)[] = [];
  private readonly candidates: Int32Array;

  /** Links in `down` are not used. */
  constructor(
    { nodes, isSwitch }: Topology,
    plan: PortPlan,
    payloadBytes: number,
    order: VisitOrder,
    down: ReadonlySet<number> = new Set(),
  ) {
    this.plan = plan;
    this.payloadBytes = payloadBytes;
    this.switchOf = new Int32Array(nodes).fill(-1);
    this.visits = new Int32Array(plan.node.length);
    this.visitEnd = new Int32Array(nodes);
    const sign = order === 'descending' ? -1 : 1;
    let switches = 0;
    let most = 0;
    for (let node = 0; node < nodes; node++) {
      if (isSwitch[node] !== 0) this.switchOf[node] = switches++;
      else this.hosts.push(node);
      const begin = plan.portBegin[node];
      const ports = Array.from({ length: plan.portEnd[node] - begin }, (_, index) => begin + index).filter(
        (port) => !down.has(plan.link[port]),
      );
      ports.sort((a, b) => sign * (this.neighbour(a) - this.neighbour(b)) || a - b);
      this.visits.set(ports, begin);
      this.visitEnd[node] = begin + ports.length;
      most = Math.max(most, ports.length);
    }
    this.switches = switches;
    this.candidates = new Int32Array(most);
  }

  /**
   * Appends the egress ports of the switches on a flow's way to `path` and returns the port by which it leaves its
   * source. `sport` and `dport` are as the packets on this way have them.
   */
  route(source: number, target: number, sport: number, dport: number, path: number[]): number {
    const tree = this.treeOf(target);
    const ports = (sport | (dport << 16)) >>> 0;
    const from = addressOf(source);
    const to = addressOf(target);
    const first = this.choose(tree, source, target, ecmpHash(from, to, ports, HOST_SEED));
    for (let node = this.neighbour(first); node !== target; ) {
      const port = this.choose(tree, node, target, ecmpHash(from, to, ports, node));
      path.push(port);
      node = this.neighbour(port);
    }
    return first;
  }

  /** The port by which a flow's packets leave a switch; -1 if no way leads on. */
  next(node: number, source: number, target: number, sport: number, dport: number): number {
    const tree = this.treeOf(target);
    if (this.distanceOf(tree, target, node) < 0) return -1;
    const ports = (sport | (dport << 16)) >>> 0;
    return this.choose(tree, node, target, ecmpHash(addressOf(source), addressOf(target), ports, node));
  }

  /** Whether a way leads from a host to another. */
  reaches(source: number, target: number): boolean {
    const tree = this.treeOf(target);
    for (let index = this.plan.portBegin[source]; index < this.visitEnd[source]; index++)
      if (this.distanceOf(tree, target, this.neighbour(this.visits[index])) >= 0) return true;
    return false;
  }

  /** The round trip between two hosts. */
  roundTrip(source: number, target: number): RoundTrip {
    const { plan } = this;
    const tree = this.treeOf(target);
    let first = -1;
    for (let index = plan.portBegin[source]; index < this.visitEnd[source]; index++) {
      const port = this.visits[index];
      if (first < 0 || this.isNearer(tree, target, this.neighbour(port), this.neighbour(first))) first = port;
    }
    if (first < 0 || this.distanceOf(tree, target, this.neighbour(first)) < 0)
      throw unreachable(source, target);
    let delayNs = plan.delayNs[first];
    let payloadNs = this.payloadNs(first);
    let bottleneckBps = plan.rateBps[first];
    if (this.neighbour(first) !== target) {
      const entry = this.switchOf[this.neighbour(first)];
      const last = this.lastPort(tree, entry, target);
      delayNs += tree.delayNs[entry] + plan.delayNs[last];
      payloadNs += tree.payloadNs[entry] + this.payloadNs(last);
      bottleneckBps = Math.min(bottleneckBps, tree.leastBps[entry], plan.rateBps[last]);
    }
    const rttNs = delayNs * 2 + payloadNs;
    return { rttNs, bottleneckBps, windowBytes: Math.floor((rttNs * bottleneckBps) / 8e9) };
  }

  /** The longest round trip and the largest window between any two hosts; 0 for a fabric of fewer than two. */
  longestRoundTrip(): RoundTrip {
    const kinds = this.kindsOfHosts();
    let rttNs = 0;
    let windowBytes = 0;
    for (const [target, sameAsTarget] of kinds)
      for (const [source] of kinds) {
        const from = source !== target ? source : sameAsTarget;
        if (from < 0 || this.distanceOf(this.treeOf(target), target, this.firstHop(from)) < 0) continue;
        const trip = this.roundTrip(from, target);
        rttNs = Math.max(rttNs, trip.rttNs);
        windowBytes = Math.max(windowBytes, trip.windowBytes);
      }
    return { rttNs, windowBytes, bottleneckBps: 0 };
  }

  /** Hosts that differ in no link: one of each kind, with a second one of its kind or -1. */
  private kindsOfHosts(): [number, number][] {
    const { plan } = this;
    const kinds = new Map<string, [number, number]>();
    for (const host of this.hosts) {
      let key = '';
      for (let port = plan.portBegin[host]; port < plan.portEnd[host]; port++) {
        const back = plan.peer[port];
        key += `${plan.node[back]},${plan.delayNs[port]},${plan.rateBps[port]},${plan.delayNs[back]},${plan.rateBps[back]};`;
      }
      const kind = kinds.get(key);
      if (kind === undefined) kinds.set(key, [host, -1]);
      else if (kind[1] < 0) kind[1] = host;
    }
    return [...kinds.values()];
  }

  private firstHop(host: number): number {
    const begin = this.plan.portBegin[host];
    return this.visitEnd[host] > begin ? this.neighbour(this.visits[begin]) : host;
  }

  private neighbour(port: number): number {
    return this.plan.node[this.plan.peer[port]];
  }

  private payloadNs(port: number): number {
    return Math.floor((this.payloadBytes * 8e9) / this.plan.rateBps[port]);
  }

  /** Hops from a neighbour to the target: 0 if it is the target, -1 if no way leads through it. */
  private distanceOf(tree: Tree, target: number, node: number): number {
    if (node === target) return 0;
    const entry = this.switchOf[node];
    return entry < 0 ? -1 : tree.distance[entry];
  }

  private isNearer(tree: Tree, target: number, node: number, other: number): boolean {
    const distance = this.distanceOf(tree, target, node);
    const otherDistance = this.distanceOf(tree, target, other);
    if (distance < 0) return false;
    if (otherDistance < 0 || distance < otherDistance) return true;
    if (distance > otherDistance || distance === 0) return false;
    return tree.place[this.switchOf[node]] < tree.place[this.switchOf[other]];
  }

  private choose(tree: Tree, node: number, target: number, hash: number): number {
    const { plan, visits, candidates, switchOf } = this;
    let count = 0;
    let nearest = Infinity;
    for (let index = plan.portBegin[node]; index < this.visitEnd[node]; index++) {
      const port = visits[index];
      const next = this.neighbour(port);
      const distance = this.distanceOf(tree, target, next);
      if (distance < 0 || distance > nearest) continue;
      if (distance < nearest) {
        nearest = distance;
        count = 0;
      }
      let slot = count++;
      if (distance > 0) {
        const place = tree.place[switchOf[next]];
        for (; slot > 0 && tree.place[switchOf[this.neighbour(candidates[slot - 1])]] > place; slot--)
          candidates[slot] = candidates[slot - 1];
      }
      candidates[slot] = port;
    }
    if (count === 0) throw unreachable(node, target);
    return candidates[hash % count];
  }

  /** The port of the last switch before the target, on the way from a switch by which the search came. */
  private lastPort(tree: Tree, entry: number, target: number): number {
    const { plan } = this;
    let last = entry;
    while (tree.next[last] >= 0) last = tree.next[last];
    for (let index = plan.portBegin[target]; index < this.visitEnd[target]; index++) {
      const port = this.visits[index];
      if (this.switchOf[this.neighbour(port)] === last) return plan.peer[port];
    }
    throw unreachable(target, target);
  }

  private treeOf(target: number): Tree {
    const known = this.treeOfHost[target];
    if (known !== undefined) return known;
    const { plan, visits } = this;
    const neighbours: number[] = [];
    for (let index = plan.portBegin[target]; index < this.visitEnd[target]; index++)
      neighbours.push(this.neighbour(visits[index]));
    const key = neighbours.join(',');
    const tree = this.trees.get(key) ?? this.search(neighbours);
    this.trees.set(key, tree);
    this.treeOfHost[target] = tree;
    return tree;
  }

  /** Breadth first from a destination's neighbours. */
  private search(neighbours: readonly number[]): Tree {
    const { plan, visits, switchOf, switches } = this;
    const tree: Tree = {
      distance: new Int16Array(switches).fill(-1),
      place: new Int32Array(switches),
      next: new Int32Array(switches).fill(-1),
      delayNs: new Float64Array(switches),
      payloadNs: new Float64Array(switches),
      leastBps: new Float64Array(switches).fill(Infinity),
    };
    const queue: number[] = [];
    for (const node of neighbours) {
      const entry = switchOf[node];
      if (entry < 0 || tree.distance[entry] >= 0) continue;
      tree.distance[entry] = 1;
      tree.place[entry] = queue.push(node);
    }
    for (let head = 0; head < queue.length; head++) {
      const node = queue[head];
      const here = switchOf[node];
      for (let index = plan.portBegin[node]; index < this.visitEnd[node]; index++) {
        const port = visits[index];
        const entry = switchOf[this.neighbour(port)];
        if (entry < 0 || tree.distance[entry] >= 0) continue;
        const towards = plan.peer[port];
        tree.distance[entry] = tree.distance[here] + 1;
        tree.place[entry] = queue.push(this.neighbour(port));
        tree.next[entry] = here;
        tree.delayNs[entry] = tree.delayNs[here] + plan.delayNs[towards];
        tree.payloadNs[entry] = tree.payloadNs[here] + this.payloadNs(towards);
        tree.leastBps[entry] = Math.min(tree.leastBps[here], plan.rateBps[towards]);
      }
    }
    return tree;
  }
}

/** The longest round trip between two hosts of a topology. */
export function longestRoundTripNs(topology: Topology, payloadBytes: number): number {
  return new Routing(topology, new PortPlan(topology), payloadBytes, 'descending').longestRoundTrip().rttNs;
}

function unreachable(source: number, target: number): KelpieError {
  return new KelpieError('FABRIC_UNREACHABLE', `there is no path from node ${source} to node ${target}`, {
    field: 'topology',
    given: `${source} to ${target}`,
    allowed: 'hosts that switches connect',
  });
}
