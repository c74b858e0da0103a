import type { Topology } from './topology.js';

/** Which hosts can send to each other: switches pass packets on, hosts do not. */
export class Reach {
  private readonly isSwitch: Uint8Array;
  /** Per node the nodes at the other ends of its links; of hosts alone. */
  private readonly neighbours = new Map<number, number[]>();
  /** Per switch a switch that it is connected with, nearer to the one that stands for all of them. */
  private readonly parent: Int32Array;

  constructor({ nodes, isSwitch, links }: Topology) {
    this.isSwitch = isSwitch;
    this.parent = Int32Array.from({ length: nodes }, (_, node) => node);
    for (const { from, to } of links) {
      if (isSwitch[from] !== 0 && isSwitch[to] !== 0) this.parent[this.root(from)] = this.root(to);
      if (isSwitch[from] === 0) this.add(from, to);
      if (isSwitch[to] === 0) this.add(to, from);
    }
  }

  /** Whether a way leads from a host to another. */
  connects(source: number, target: number): boolean {
    const ends = this.neighbours.get(target) ?? [];
    return (this.neighbours.get(source) ?? []).some(
      (near) =>
        near === target ||
        (this.isSwitch[near] !== 0 &&
          ends.some((far) => this.isSwitch[far] !== 0 && this.root(far) === this.root(near))),
    );
  }

  private add(host: number, neighbour: number): void {
    const known = this.neighbours.get(host);
    if (known === undefined) this.neighbours.set(host, [neighbour]);
    else known.push(neighbour);
  }

  private root(node: number): number {
    const { parent } = this;
    let at = node;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }
}
