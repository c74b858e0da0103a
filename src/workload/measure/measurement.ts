import type { Workload } from '../description/description.js';
import type { LatencySummary } from './latency-summary.js';
import type { LevelSeries } from './level-log.js';
import type { Limits } from './limits.js';
import type { SteadyState } from './steady-state.js';
import type { Verdict } from './verdict.js';

/** How fast something was delivered: counted where it arrived, not where it was sent. */
export interface Rates {
  /** Payload. */
  goodputGbps: number;
  /**
   * What was delivered with all headers and FCS, without preamble and gap. What was sent twice or dropped is not in it;
   * what the ports carried is in `hosts[].port`.
   */
  wireGbps: number;
  messagesPerSecond: number;
  /** Packets of what was delivered. */
  packetsPerSecond: number;
}

/** Data that went one way. */
export interface DirectionRates extends Rates {
  from: string;
  to: string;
}

/** One tenant's part. */
export interface TenantMeasurement extends Rates {
  name: string;
  directions: DirectionRates[];
  /**
   * Post to completion of requests that were posted within the measured time and ask for a completion, sampled; half a
   * round trip for a ping-pong. In nanoseconds. Null where no request was followed.
   */
  latencyNs: LatencySummary | null;
  /** Requests that failed, by status. */
  failures: Record<string, number>;
}

/** What a port carried, by the device's counters. */
export interface PortRates {
  txGbps: number;
  rxGbps: number;
  txPacketsPerSecond: number;
  rxPacketsPerSecond: number;
}

/** One device's part. */
export interface DeviceMeasurement {
  /** That of its host; `h0/rnic1` where the host has several devices. */
  name: string;
  /** The provider's name for it. */
  device: string;
  /** Share of the measured time in which it told its peer to pause. */
  pauseRatio: number | null;
  /** Share of the measured time in which its peer, a switch or another NIC, told it to pause. */
  pausedRatio: number | null;
  port: PortRates | null;
  /** Packets dropped in the measured time, by counter. */
  dropped: Record<string, number>;
  /** Increase of every counter in the measured time. */
  counters: Record<string, number>;
  /** Facts above that are null, and why. */
  absent: Record<string, string>;
}

/**
 * One host's part: what its devices did together. `device` is its default device, `pauseRatio` and `pausedRatio` are those
 * of the device that has most, the rest is added up.
 */
export interface HostMeasurement extends DeviceMeasurement {
  /** Share of the measured time in which its busiest posting core worked. */
  busyShare: number;
  /** Each device by itself, the default one first. */
  devices: DeviceMeasurement[];
}

/** What a host or a device counted in each slice. */
export interface CounterSeries {
  pauseRatio: number[] | null;
  counters: Record<string, number[]>;
}

/** The run in slices, warm-up included. */
export interface MeasurementSeries {
  /** Ends of the slices, from the start of the run. */
  timeNs: number[];
  tenants: Record<string, { goodputGbps: number[] }>;
  hosts: Record<string, CounterSeries>;
  /** By device, where a host has several. */
  devices?: Record<string, CounterSeries>;
  /** How full queues and links were; only where it was asked for. */
  levels?: LevelSeries;
}

/**
 * The outcome of a workload: the same shape on every provider.
 *
 * On a provider with virtual time two runs with the same seed give the same Measurement, byte for byte, except
 * `wallSeconds`; {@link deterministicPart} leaves that out.
 */
export interface Measurement {
  format: 'kelpie-measurement/1';
  /** Version of Kelpie. */
  version: string;
  provider: string;
  profile: string | null;
  seed: number;
  /** The run was interrupted: everything below is of the time until then. */
  partial: boolean;
  workload: Workload;
  steadyState: SteadyState;
  /** All tenants and directions together. */
  total: Rates;
  directions: DirectionRates[];
  tenants: TenantMeasurement[];
  hosts: HostMeasurement[];
  /** Greatest pause ratio of the hosts; null where no provider counts it. */
  pauseRatio: number | null;
  /** Packets that devices dropped in the measured time. */
  dropped: number;
  verdict: Verdict;
  /** What limited the run. */
  limits: Limits;
  /** What a reader should know about how the workload was run. */
  notes: string[];
  series: MeasurementSeries;
  /** Time that passed on the provider's clock, set-up not included. */
  simulatedNs: number;
  /** Events of the simulation; null on providers that have none. */
  events: number | null;
  /** Real time of the whole run; the one field that differs between equal runs. Null where nobody watched a clock. */
  wallSeconds: number | null;
}

/**
 * A Measurement without the one field that differs between equal runs.
 *
 * @example
 * JSON.stringify(deterministicPart(first)) === JSON.stringify(deterministicPart(second));
 */
export function deterministicPart(measurement: Measurement): Omit<Measurement, 'wallSeconds'> {
  const { wallSeconds: _, ...rest } = measurement;
  return rest;
}
