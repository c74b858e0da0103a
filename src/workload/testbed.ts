import type { Context } from '../verbs/index.js';
import type { DeviceBounds } from './measure/verdict.js';

/**
 * Where a workload runs: hosts with opened devices that can reach each other, all on one clock, and what only the one
 * who opened them knows.
 */
export interface Testbed {
  /** The provider's name. */
  readonly provider: string;
  /** The profile of the subsystem; null where the provider has none. */
  readonly profile: string | null;
  readonly hosts: readonly TestbedHost[];
  /** What a reader of a Measurement should know about this testbed; read when the run is over. */
  readonly notes: readonly string[];
  /** A device as one tenant has it: a scheme may stand between the two. */
  contextFor(device: TestbedDevice, tenant: string): Context;
  /** Events of the simulation so far; null where nothing is simulated. */
  events(): number | null;
  /** The links within hosts and between them, with what each has carried so far; none where the provider does not know. */
  links(): readonly LinkUse[];
  /** The queues and buffers of devices and switches, always in the same order; none where the provider does not know. */
  queues(): readonly QueueUse[];
  close(): Promise<void>;
}

/** One host of a testbed. */
export interface TestbedHost {
  /** `h0`, `h1`, … by its place, or a name of its own. */
  readonly name: string;
  /** Its devices, the default one first. */
  readonly devices: readonly TestbedDevice[];
  /** Its default device, opened. */
  readonly context: Context;
}

/** A device of a host, opened. */
export interface TestbedDevice {
  /** Its name on the host: `rnic0`. */
  readonly name: string;
  readonly context: Context;
  /** What it can do at best, for the verdict; null where nothing bounds it. */
  readonly bounds: DeviceBounds | null;
  /** What its parts can do, to say which of them holds a run up; null where nobody knows. */
  readonly parts: DeviceParts | null;
  readonly probe: DeviceProbe;
}

/** What the parts of a device can do: with it counters become shares of what there is. */
export interface DeviceParts {
  pcieGbps: number;
  /** Least time between two packets that the whole device sends, and between two READ requests. */
  messageGapNs: number;
  readGapNs: number;
  /** The same between packets of a READ response with this much payload or more, beyond its first so many bytes. */
  responseGapNs: number;
  responseGapBytes: number;
  responseNearBytes: number;
  contextMissNs: number;
  translationMissNs: number;
  contextMissSlots: number;
  contextMissSlotsReceive: number;
  receiveWqeMissNs: number;
  receiveWqeMissSlots: number;
}

/** A link of a host, or a cable, and what it has carried. */
export interface LinkUse {
  /** `h0/slot0`: the host's name before those of its own links. */
  readonly name: string;
  /** `slot`, `inter-socket`, `memory`, `cable`, … */
  readonly kind: string;
  readonly gbps: number;
  /** Each direction, or one for both where they share it. */
  readonly directions: readonly {
    readonly towards: string;
    readonly bytes: number;
    readonly busyNs: number;
    /** Time that what passed had waited for it, summed, where that is counted. */
    readonly waitedNs?: number;
    /** Bytes that wait for it now, where they are counted. */
    readonly queuedBytes?: number;
  }[];
}

/** What waits in a part of a device or a switch now. */
export interface QueueUse {
  /** `h1/rnic0/receive-buffer`, `h0/rnic0/port`, `switch0/port1`, `switch0`. */
  readonly name: string;
  /** `egress queue`: packets ready to leave by a port of a device or a switch. */
  readonly kind: 'receive buffer' | 'egress queue' | 'switch buffer';
  readonly bytes: number;
  /** What fits; null where nothing bounds it, or what bounds it is shared. */
  readonly roomBytes: number | null;
}

/** What a provider knows of a device beyond the verbs; null for what it does not know. */
export interface DeviceProbe {
  /** The counters without an object for each reading: their names, and their values in the same order. */
  readonly counters: { readonly names: readonly string[]; read(into: Float64Array): void } | null;
  /**
   * Payload bytes that the device has placed into memory for one queue pair so far. Finer than completions: a message of
   * 4 MB counts as it arrives.
   */
  readonly placedBytes: ((qpNum: number) => number) | null;
  /**
   * Sum over the queue pairs that ever sent of the time so far in which the device found nothing to send in their send
   * queues, or waited because the peer's program had no receive posted, in nanoseconds.
   */
  readonly idleSendQueueNs: (() => number) | null;
  /** The second part of that alone, from a provider that does not know the first. */
  readonly receiveWaitNs: (() => number) | null;
}

/** The probe of a device of which nothing is known beyond the verbs. */
export const NO_PROBE: DeviceProbe = {
  counters: null,
  placedBytes: null,
  idleSendQueueNs: null,
  receiveWaitNs: null,
};
