/** A link between two nodes; both directions alike unless told. */
export interface Link {
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
  readonly links: readonly Link[];
}
