/** A link between two nodes; both directions alike unless set. */
export interface FabricLink {
  readonly from: number;
  readonly to: number;
  readonly rateBps: number;
  readonly delayNs: number;
  /** Share of packets lost on the way, each direction by itself; 0 unless set. */
  readonly lossRate?: number;
  /** Rate and delay from `to` to `from`, if they differ. */
  readonly backRateBps?: number;
  readonly backDelayNs?: number;
}

/** A fabric's graph: nodes are numbered from 0, and each is a host or a switch. */
export interface Topology {
  readonly nodes: number;
  /** 1 for switches. */
  readonly isSwitch: Uint8Array;
  readonly links: readonly FabricLink[];
  /** What people call the nodes; default: their numbers. */
  readonly names?: readonly string[];
  /** Which part of the fabric a node belongs to, -1 for the core: parts can be simulated apart. */
  readonly pods?: Int32Array;
}

/** What people call a node. */
export function nameOf(topology: Topology, node: number): string {
  return topology.names?.[node] ?? `${topology.isSwitch[node] === 0 ? 'host' : 'switch'} ${node}`;
}
