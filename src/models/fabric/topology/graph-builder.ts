import type { FabricLink, Topology } from './topology.js';

/** A cable: its rate, and its delay with whatever the nodes at its ends add. */
export interface Cable {
  readonly gbps: number;
  readonly delayNs: number;
}

/** Builds a topology node by node. Hosts are added before switches, so that they have the lowest numbers. */
export class GraphBuilder {
  private readonly names: string[] = [];
  private readonly switches: number[] = [];
  private readonly pods: number[] = [];
  private readonly links: FabricLink[] = [];

  /** Adds a host; returns its number. */
  host(name: string, pod: number): number {
    this.names.push(name);
    this.switches.push(0);
    this.pods.push(pod);
    return this.names.length - 1;
  }

  /** Adds a switch; returns its number. Pod -1 is the core. */
  switch(name: string, pod: number): number {
    const node = this.host(name, pod);
    this.switches[node] = 1;
    return node;
  }

  /** Connects two nodes; the way back has the same delay unless set. */
  link(from: number, to: number, { gbps, delayNs }: Cable, backDelayNs = delayNs): void {
    this.links.push({
      from,
      to,
      rateBps: Math.round(gbps * 1e9),
      delayNs: Math.round(delayNs),
      backDelayNs: Math.round(backDelayNs),
    });
  }

  build(): Topology {
    return {
      nodes: this.names.length,
      isSwitch: Uint8Array.from(this.switches),
      links: this.links,
      names: this.names,
      pods: Int32Array.from(this.pods),
    };
  }
}
