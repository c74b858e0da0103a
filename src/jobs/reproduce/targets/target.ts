/** A number, or words such as `>90` and `line rate`. */
export type TargetValue = number | string;

/** What a paper measured, as a row: `value` or `ratio` with a relative tolerance, or a `trend` that must hold. */
export interface Target {
  id: string;
  /** In words; the paper has the rest. */
  setting: string;
  metric: string | readonly string[];
  value?: TargetValue | readonly TargetValue[] | Readonly<Record<string, TargetValue>>;
  ratio?: number;
  trend?: string;
  unit?: string | readonly string[];
  /** Relative: 0.1 is ±10 %. */
  tolerance?: number;
  /** Where it was published, unless the file is of one paper. */
  source?: string;
  note?: string;
}

/** A parameter of a Collie trigger that a break changes. */
export type CollieParameter =
  | 'transport'
  | 'qps'
  | 'mrs'
  | 'wq'
  | 'mtu'
  | 'batch'
  | 'sge'
  | 'sizes'
  | 'bidirectional'
  | 'memory'
  | 'acs'
  | 'loopback'
  | 'registers'
  | 'relaxedOrdering';

/** Where the buffers lie: by socket for each host, or in words. */
export type CollieMemory = string | { a: string; b: string };

/** A concrete trigger of Collie's appendix A. */
export interface CollieTarget {
  id: string;
  /** Subsystem of Table 1. */
  on: string;
  transport: 'RC' | 'UC' | 'UD';
  op: 'READ' | 'WRITE' | 'SEND';
  /** Per direction. */
  qps: number;
  bidirectional?: boolean;
  mrs: number;
  mrBytes: number;
  /** Depth of send and receive queue. */
  wq: number;
  mtu: 256 | 512 | 1024 | 2048 | 4096;
  /** WQEs per post. */
  batch: number;
  sge: number;
  /** The message pattern; a list is the elements of one message. */
  sizes: readonly (number | readonly number[])[];
  senders?: { sameHost: number; otherHost: number };
  memory?: CollieMemory;
  acs?: 'redirect' | 'direct';
  loopback?: boolean;
  registers?: 'shipped' | 'fixed';
  relaxedOrdering?: boolean;
  symptom: 'pause' | 'throughput';
  pauseRatioAbout?: number;
  /** Share of the line rate. */
  throughputBelow?: number;
  gbpsAbout?: number;
  gbpsBelow?: number;
  /** As the authors and vendors name it. */
  cause: string;
  note?: string;
  /** Each of these changes alone clears the symptom. */
  breaks: Partial<Record<CollieParameter, unknown>>;
}
