import type { Context } from '../verbs/index.js';
import type { DeviceBounds } from './measure/verdict.js';

/** One host of a testbed: a letter that workloads know it by, and its opened device. */
export interface TestbedHost {
  /** `a`, `b`, ... */
  name: string;
  context: Context;
}

/**
 * Where a workload runs: opened devices that can reach each other, and what only the one who opened them knows. All
 * hosts share one clock. Everything optional is a fact that a provider may lack; the Measurement then says so.
 */
export interface Testbed {
  /** The provider's name. */
  provider: string;
  /** The profile of the subsystem; null where the provider has none. */
  profile: string | null;
  hosts: readonly TestbedHost[];
  /** The device of a host as one tenant has it, where tenants do not all share the host's own context. */
  contextOf?(host: string, tenant: string): Context;
  /** What the devices can do at best, for the verdict; null where nothing bounds them. */
  bounds: DeviceBounds | null;
  /** What a reader of a Measurement should know about this testbed. */
  notes?: readonly string[];
  /** The names of a host's counters, and their values in the same order: `context.counters()` without its object. */
  counterNames?(host: string): readonly string[];
  readCounters?(host: string, into: Float64Array): void;
  /** Events of the simulation so far. */
  events?(): number;
  /**
   * Payload bytes that the device has placed into this host's memory for one queue pair so far. Finer than completions:
   * a message of 4 MB counts as it arrives.
   */
  placedBytes?(host: string, qpNum: number): number;
  /**
   * Sum over the host's queue pairs that ever sent of the time so far in which the device found nothing to send in their
   * send queues, or waited because the peer's program had no receive posted, in nanoseconds.
   */
  idleSendQueueNs?(host: string): number;
  /** The second part of that alone, from a provider that does not know the first. */
  receiveWaitNs?(host: string): number;
  close(): Promise<void>;
}
