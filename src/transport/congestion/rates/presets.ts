import type { ControlSpec } from './control-spec.js';
import { hpccHeader } from './feedback.js';
import { dcqcnNicDefaults } from './nic-dcqcn-parameters.js';

/** Controls by name. */
export const controlNames = [
  'dcqcn',
  'dcqcn-paper',
  'dcqcn-nic',
  'hpcc',
  'dctcp',
  'timely',
  'swift',
  'none',
] as const;
export type ControlName = (typeof controlNames)[number];

const MEGABIT = 1e6;
const MIN_RATE_BPS = 1e9;

/** TIMELY's as HPCC's simulator has them. */
export const TIMELY_CONSTANTS = {
  differenceWeight: 0.875,
  cutFactor: 0.8,
  lowNs: 50_000,
  highNs: 500_000,
  minRttNs: 20_000,
  hyperAfter: 5,
};

/** Swift's own as far as its paper gives them; the target beyond the round trip is a choice. */
const SWIFT_CONSTANTS = {
  targetNs: 10_000,
  scalingNs: 50_000,
  leastScaledPackets: 0.1,
  mostScaledPackets: 100,
  additivePackets: 1,
  cutFactor: 0.8,
  mostCut: 0.5,
};

/**
 * A control with the settings that HPCC's `run.py` derives from the rate of a NIC; `dcqcn-nic` with those that mlx5
 * devices start with.
 */
export function controlPreset(name: ControlName, lineBps: number, payloadBytes: number): ControlSpec {
  const gbps = lineBps / 1e9;
  const unbounded = { minRateBps: MIN_RATE_BPS, window: 'none' } as const;
  const bounded = { minRateBps: MIN_RATE_BPS, window: 'scaled' } as const;
  switch (name) {
    case 'dcqcn':
      return { ...timedDcqcn(gbps, 1000, 4000, 300_000), ...unbounded };
    case 'dcqcn-paper':
      return { ...timedDcqcn(gbps, 50_000, 50_000, 55_000), ...unbounded };
    case 'dcqcn-nic':
      return { kind: 'dcqcn-nic', ...dcqcnNicDefaults() };
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

function timedDcqcn(gbps: number, alphaNs: number, decreaseNs: number, increaseNs: number) {
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
  } as const;
}
