import type { Topology } from './topology.js';

/**
 * The ports of a topology: two per link. Ports of hosts come first, then those of switches; the ports of a node follow
 * each other in the order of its links, which is how ns-3 numbers a node's interfaces.
 */
export class PortPlan {
  readonly hostPorts: number;
  readonly node: Int32Array;
  readonly peer: Int32Array;
  readonly rateBps: Float64Array;
  readonly delayNs: Int32Array;
  readonly lossRate: Float64Array;
  /** The first port of each node; the node's last is before `portEnd`. */
  readonly portBegin: Int32Array;
  readonly portEnd: Int32Array;
  /** The link that a port is an end of. */
  readonly link: Int32Array;

  constructor({ nodes, isSwitch, links }: Topology) {
    const count = links.length * 2;
    const degree = new Int32Array(nodes);
    for (const { from, to } of links) {
      degree[from]++;
      degree[to]++;
    }
    this.portBegin = new Int32Array(nodes);
    let next = 0;
    for (let node = 0; node < nodes; node++)
      if (isSwitch[node] === 0) {
        this.portBegin[node] = next;
        next += degree[node];
      }
    this.hostPorts = next;
    for (let node = 0; node < nodes; node++)
      if (isSwitch[node] !== 0) {
        this.portBegin[node] = next;
        next += degree[node];
      }
    this.portEnd = this.portBegin.slice();
    this.node = new Int32Array(count);
    this.peer = new Int32Array(count);
    this.rateBps = new Float64Array(count);
    this.delayNs = new Int32Array(count);
    this.lossRate = new Float64Array(count);
    this.link = new Int32Array(count);
    for (const [index, each] of links.entries()) {
      const near = this.portEnd[each.from]++;
      const far = this.portEnd[each.to]++;
      this.place(near, far, each.from, index, each.rateBps, each.delayNs);
      this.place(
        far,
        near,
        each.to,
        index,
        each.backRateBps ?? each.rateBps,
        each.backDelayNs ?? each.delayNs,
      );
      this.lossRate[near] = each.lossRate ?? 0;
      this.lossRate[far] = each.lossRate ?? 0;
    }
  }

  /** The number of a port at its node, from 1: ns-3's interface 0 is the loopback. */
  interfaceOf(port: number): number {
    return port - this.portBegin[this.node[port]] + 1;
  }

  private place(
    port: number,
    peer: number,
    node: number,
    link: number,
    rateBps: number,
    delayNs: number,
  ): void {
    this.node[port] = node;
    this.peer[port] = peer;
    this.rateBps[port] = rateBps;
    this.delayNs[port] = delayNs;
    this.link[port] = link;
  }
}
