import type { Abilities } from './needs.js';

/** A worker as its heartbeats show it. */
export interface WorkerPresence extends Abilities {
  readonly name: string;
  readonly version: string;
  /** Where workers of other machines reach this one. */
  readonly address?: string;
  /** Tasks that run at a time. */
  readonly threads: number;
  readonly running: readonly {
    readonly campaign: number;
    readonly index: number;
    readonly sinceMs: number;
  }[];
  /** Tasks that gave a result, and tries that failed. */
  readonly done: number;
  readonly failed: number;
  readonly busyMs: number;
  /** Other versions of Kelpie whose tasks it refuses. */
  readonly refused: readonly string[];
  /** Takes no more tasks and ends with those that it has. */
  readonly draining: boolean;
  readonly atMs: number;
}
