import type { ControlSpec } from '../../../transport/congestion/rates/control-spec.js';
import { hpccHeader } from '../../../transport/congestion/rates/feedback.js';
import { cutTransmissionNs } from '../core/rounding.js';
import type { NicOptions } from '../nic/nic-options.js';
import type { BufferSpec } from '../switching/buffer-spec.js';
import type { MarkingThresholds } from '../switching/marking.js';
import type { Topology } from '../topology/topology.js';
import {
  ACK_BYTES,
  DATA_CLASS,
  frameBytes,
  KILOBYTE,
  MEGABYTE,
  NACK_INTERVAL_NS,
  NO_TIMER,
  SWITCH,
  TIMELY_CONSTANTS,
} from './constants.js';

/** Controls by name, with the settings that HPCC's `run.py` derives from the rate of NICs. */
export const controlNames = ['dcqcn', 'dcqcn-paper', 'hpcc', 'dctcp', 'timely', 'swift', 'none'] as const;
export type ControlName = (typeof controlNames)[number];

/** Swift's own constants as far as its paper gives them; the target beyond the round trip is a choice. */
const SWIFT_CONSTANTS = {
  targetNs: 10_000,
  scalingNs: 50_000,
  leastScaledPackets: 0.1,
  mostScaledPackets: 100,
  additivePackets: 1,
  cutFactor: 0.8,
  mostCut: 0.5,
};

const MEGABIT = 1e6;
const MIN_RATE_BPS = 1e9;

/** What a fabric's presets are derived from. */
export interface PresetTerms {
  readonly nicBps: number;
  /** Delay of the link of a NIC. */
  readonly nicDelayNs: number;
  readonly payloadBytes: number;
}

/** A control of `run.py`. */
export function presetControl(name: ControlName, terms: PresetTerms): ControlSpec {
  const { payloadBytes } = terms;
  const gbps = terms.nicBps / 1e9;
  const unbounded = { minRateBps: MIN_RATE_BPS, window: 'none' } as const;
  const bounded = { minRateBps: MIN_RATE_BPS, window: 'scaled' } as const;
  switch (name) {
    case 'dcqcn':
      return { ...dcqcn(terms, 1000, 4000, 300_000), ...unbounded };
    case 'dcqcn-paper':
      return { ...dcqcn(terms, 50_000, 50_000, 55_000), ...unbounded };
    case 'hpcc':
      return {
        kind: 'hpcc',
        ...bounded,
        additiveBps: Math.floor((10 * gbps * MEGABIT) / 25),
        telemetry: hpccHeader(Math.max(1, Math.floor(gbps / 25))),
        targetUtilisation: 0.95,
        additiveSteps: 0,
        fastReact: true,
        ratePerHop: false,
        skipEmptyQueues: false,
      };
    case 'dctcp':
      return { kind: 'dctcp', ...bounded, gain: 1 / 16, additiveBps: 615 * MEGABIT, payloadBytes };
    case 'timely':
      return {
        kind: 'timely',
        ...unbounded,
        additiveBps: gbps * MEGABIT,
        hyperBps: 5 * gbps * MEGABIT,
        ...TIMELY_CONSTANTS,
      };
    case 'swift':
      return { kind: 'swift', ...bounded, payloadBytes, ...SWIFT_CONSTANTS };
    case 'none':
      return { kind: 'none', ...unbounded };
  }
}

function dcqcn({ nicBps, nicDelayNs }: PresetTerms, alphaNs: number, decreaseNs: number, increaseNs: number) {
  const gbps = nicBps / 1e9;
  return {
    kind: 'dcqcn',
    alphaIntervalNs: alphaNs,
    decreaseIntervalNs: decreaseNs,
    increaseIntervalNs: increaseNs,
    gain: 1 / 256,
    fastRecoverySteps: 1,
    additiveBps: Math.floor((5 * gbps * MEGABIT) / 25),
    hyperBps: Math.floor((50 * gbps * MEGABIT) / 25),
    clampTarget: false,
    alphaAfterNotification: alphaNs < nicDelayNs + cutTransmissionNs(ACK_BYTES, nicBps),
  } as const;
}

/** The NICs of `run.py`. Under HPCC and DCTCP acknowledgements wait if the data's class is paused. */
export function presetNic(name: ControlName, { payloadBytes }: PresetTerms): NicOptions {
  return {
    payloadBytes,
    ...frameBytes(name === 'dcqcn-paper' ? 'dcqcn' : name),
    ackPauseClass: name === 'hpcc' || name === 'dctcp' ? DATA_CLASS : 0,
    ackIntervalBytes: 1,
    chunkBytes: 4000,
    backToChunk: false,
    askAgainNs: NACK_INTERVAL_NS,
    paces: true,
    recovery: NO_TIMER,
  };
}

/** The marking of `run.py`: thresholds in proportion to the rate of a port. */
export function presetMarking(name: ControlName, { links }: Topology): Map<number, MarkingThresholds> {
  const rates = new Set(links.flatMap(({ rateBps, backRateBps = rateBps }) => [rateBps, backRateBps]));
  return new Map([...rates].map((rateBps) => [rateBps, thresholds(name, rateBps / 1e9)]));
}

function thresholds(name: ControlName, gbps: number): MarkingThresholds {
  if (name === 'dctcp') {
    const bytes = Math.floor(3 * gbps) * KILOBYTE;
    return { minBytes: bytes, maxBytes: bytes, probability: 1 };
  }
  return {
    minBytes: Math.floor(4 * gbps) * KILOBYTE,
    maxBytes: Math.floor(16 * gbps) * KILOBYTE,
    probability: 0.2,
  };
}

/** The switch of HPCC's simulator with the memory that `run.py` gives it: 16 MB per 50 Gb/s of a NIC. */
export function presetBuffer(
  { nicBps }: PresetTerms,
  bufferBytes?: number,
): Extract<BufferSpec, { kind: 'ns3' }> {
  const megabytes = Math.max(1, Math.floor((16 * nicBps) / 50e9));
  return { kind: 'ns3', bufferBytes: bufferBytes ?? megabytes * MEGABYTE, nicBps, ...SWITCH };
}
