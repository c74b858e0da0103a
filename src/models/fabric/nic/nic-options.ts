import type { RecoveryOptions } from './recovery-options.js';

/** What light NICs are like. */
export interface NicOptions {
  readonly payloadBytes: number;
  /** Bytes that a data packet has on the wire beside its payload. */
  readonly headerBytes: number;
  readonly ackBytes: number;
  /** The class whose pause holds acknowledgements at hosts; 0 is never paused. */
  readonly ackPauseClass: number;
  /** Offset from which on every packet is acknowledged; before it, ends of chunks are. */
  readonly ackIntervalBytes: number;
  readonly chunkBytes: number;
  /** A gap makes the receiver go back to the beginning of its chunk, not to what is missing. */
  readonly backToChunk: boolean;
  /** How long a receiver waits before it asks for the same packet again. */
  readonly askAgainNs: number;
  /** Whether packets are spaced by the flow's rate; if not, by the line's. */
  readonly paces: boolean;
  readonly recovery: RecoveryOptions;
  /**
   * Whether a receiver forgets a flow as soon as the sender is done with it, as in ns-3: what of it was sent twice and
   * comes later then begins a flow, with a gap. It discards such packets unless set.
   */
  readonly forgetsDone?: boolean;
  /** Least time between two marks that a receiver reports of one flow: its CNP timer; 0 unless set: all of them. */
  readonly notifyNs?: number;
  /**
   * Flows of a NIC wait for their pace in one line: who may go later holds all behind it. Each has a wait of its own
   * unless set.
   */
  readonly pacesInLine?: boolean;
}
