import type { ControlSpec } from '../../../transport/congestion/rates/control-spec.js';
import { type ControlName, controlPreset } from '../../../transport/congestion/rates/presets.js';
import type { NicOptions } from '../nic/nic-options.js';
import type { BufferSpec } from '../switching/buffer-spec.js';
import type { MarkingThresholds } from '../switching/marking.js';
import type { Topology } from '../topology/topology.js';
import {
  DATA_CLASS,
  frameBytes,
  KILOBYTE,
  MEGABYTE,
  NACK_INTERVAL_NS,
  NO_TIMER,
  SWITCH,
} from './constants.js';

/** What a fabric's presets are derived from. */
export interface PresetTerms {
  readonly nicBps: number;
  readonly payloadBytes: number;
}

/** A control of `run.py`. */
export function presetControl(name: ControlName, terms: PresetTerms): ControlSpec {
  return controlPreset(name, terms.nicBps, terms.payloadBytes);
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
