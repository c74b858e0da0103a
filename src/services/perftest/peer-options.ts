import type { ConnectionManager, Mtu, QpType } from '../../verbs/index.js';
import type { ExchangeRole } from './byte-channel.js';

/** What is tested. */
export type PeerVerb = 'write' | 'read' | 'send' | 'atomic';

/** One side of a perftest run; the other side is a program of its own with the same choices. */
export interface PeerOptions {
  kind: 'bw' | 'lat';
  verb: PeerVerb;
  role: ExchangeRole;
  /** One after the other; more than one is perftest's `-a`. */
  sizes: readonly number[];
  iterations: number;
  /** Runs for this long instead of `iterations`: perftest's `-D`; infinite until somebody ends it. */
  durationNs?: number;
  /** Connects the queue pairs by RDMA-CM: perftest's `-R`. */
  cm?: { manager: ConnectionManager; address: string; port: number };
  qps: number;
  transport: QpType;
  mtu: Mtu;
  gidIndex: number;
  txDepth: number;
  rxDepth: number;
  /** One completion per this many sends. */
  cqModeration: number;
  inlineBytes: number;
  outReads: number;
  /** Code of the time until a message is sent again; 14 in perftest. */
  timeout: number;
  compareSwap: boolean;
  bidirectional: boolean;
  serviceLevel: number;
  trafficClass: number;
  /** Reports are told in Gb/s and not in MiB/s. */
  gbits: boolean;
  /** How long the peer may be silent while both sides agree, on a real clock; 30 s unless set. */
  silentNs?: number;
  /** Draws 24 bits for a first PSN. */
  randomPsn(): number;
}

/** What one size gave. */
export interface PeerResult {
  sizeBytes: number;
  iterations: number;
  /** Null on the side that only serves. */
  elapsedNs: number | null;
  /** Half a round trip for WRITE and SEND, a whole one for READ and atomics; null in rate tests. */
  latenciesNs: Float64Array | null;
  /** What the peer reported, where it does. */
  theirs: { average: number; peak: number; messageRate: number } | null;
}
