import type { ControlSpec } from '../../../transport/congestion/rates/control-spec.js';
import { dcqcnNicDefaults } from '../../../transport/congestion/rates/nic-dcqcn-parameters.js';

/** DCQCN with the constants of its paper (Zhu et al., SIGCOMM 2015), less the byte counter. */
export const PUBLISHED_DCQCN: Extract<ControlSpec, { kind: 'dcqcn' }> = {
  kind: 'dcqcn',
  minRateBps: 100e6,
  window: 'none',
  alphaIntervalNs: 55_000,
  decreaseIntervalNs: 50_000,
  increaseIntervalNs: 55_000,
  gain: 1 / 256,
  fastRecoverySteps: 5,
  additiveBps: 40e6,
  hyperBps: 40e6,
  clampTarget: true,
  cutsAtOnce: true,
};

/**
 * DCQCN on the NICs of Azure (NSDI 2023, §7.2). Gen1 coalesces notifications at the receiver and cuts at every one; Gen2
 * and Gen3 report every mark and cut at most once per window. Each does so once per window when it talks to its like. The
 * fix gives Gen2 and Gen3 the timer of Gen1 at the receiver and all but takes away the window of the sender. The paper
 * tells Gen2 and Gen3 apart by nothing but age: Gen3 reacts with the constants that mlx5 devices start with, a choice.
 */
export const generations = ['gen1', 'gen2', 'gen2-fixed', 'gen3', 'gen3-fixed'] as const;
export type Generation = (typeof generations)[number];

/** What a generation does at either end. */
interface GenerationTraits {
  /** Least time between notifications of a flow. */
  readonly notifyNs: number;
  /** Least time between cuts of a flow. */
  readonly cutNs: number;
  /** Whether the reaction point is mlx5's, with its byte counter, in place of DCQCN's as published. */
  readonly mlx5: boolean;
}

/** Windows are those of DCQCN's paper; 4 us is the least of NICs today. */
const SHIPPED = { notifyNs: 0, cutNs: 50_000 };
const FIXED = { notifyNs: 50_000, cutNs: 4000 };

const GENERATIONS: Readonly<Record<Generation, GenerationTraits>> = {
  gen1: { notifyNs: 50_000, cutNs: 0, mlx5: false },
  gen2: { ...SHIPPED, mlx5: false },
  'gen2-fixed': { ...FIXED, mlx5: false },
  gen3: { ...SHIPPED, mlx5: true },
  'gen3-fixed': { ...FIXED, mlx5: true },
};

/** The notification point of a receiver. */
export function notifyNsOf(receiver: Generation): number {
  return GENERATIONS[receiver].notifyNs;
}

/** DCQCN as a sender of this generation reacts; controls of other kinds stay. */
export function reactionOf(control: ControlSpec, sender: Generation): ControlSpec {
  if (!isDcqcn(control)) return control;
  const { cutNs, mlx5 } = GENERATIONS[sender];
  if (control.kind === 'dcqcn-nic') return { ...control, cutIntervalNs: cutNs };
  if (mlx5) return { kind: 'dcqcn-nic', ...dcqcnNicDefaults(), cutIntervalNs: cutNs };
  return { ...control, cutsAtOnce: true, decreaseIntervalNs: cutNs };
}

/** Whether a control is DCQCN, which generations are of. */
export function isDcqcn(
  control: ControlSpec,
): control is Extract<ControlSpec, { kind: 'dcqcn' | 'dcqcn-nic' }> {
  return control.kind === 'dcqcn' || control.kind === 'dcqcn-nic';
}
