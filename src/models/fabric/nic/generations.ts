import type { ControlSpec } from '../../../transport/congestion/rates/control-spec.js';

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
  alphaAfterNotification: false,
  cutsAtOnce: true,
};

/**
 * DCQCN on the NICs of Azure (NSDI 2023, §7.2). Gen1 coalesces notifications at the receiver and cuts at every one; Gen2
 * and Gen3 report every mark and cut at most once per window. Each does so once per window when it talks to its like. The
 * fix gives Gen2 and Gen3 the timer of Gen1 at the receiver and all but takes away the window of the sender.
 */
export const generations = ['gen1', 'gen2', 'gen2-fixed'] as const;
export type Generation = (typeof generations)[number];

/** What a generation does at either end. Windows are those of DCQCN's paper; 4 us is the least of NICs today. */
const GENERATIONS: Readonly<Record<Generation, { notifyNs: number; cutNs: number }>> = {
  gen1: { notifyNs: 50_000, cutNs: 0 },
  gen2: { notifyNs: 0, cutNs: 50_000 },
  'gen2-fixed': { notifyNs: 50_000, cutNs: 4_000 },
};

/** The notification point of a receiver. */
export function notifyNsOf(receiver: Generation): number {
  return GENERATIONS[receiver].notifyNs;
}

/** DCQCN as a sender of this generation reacts: what else it is stays. */
export function reactionOf<Control extends ControlSpec>(control: Control, sender: Generation): Control {
  if (control.kind !== 'dcqcn') return control;
  return { ...control, cutsAtOnce: true, decreaseIntervalNs: GENERATIONS[sender].cutNs };
}
