import type { RateLimits } from './rate-control.js';

/** The constants of DCQCN's reaction point as NICs have it, by the names that mlx5 gives them where it has them. */
export interface NicDcqcnParameters extends RateLimits {
  /** Additive step of the target (`rpg_ai_rate`). */
  readonly additiveBps: number;
  /** Hyper step of the target (`rpg_hai_rate`). */
  readonly hyperBps: number;
  /** Increases before fast recovery ends (`rpg_threshold`). */
  readonly fastRecoverySteps: number;
  /** Time between timed increases (`rpg_time_reset`). */
  readonly timerNs: number;
  /** Bytes sent between counted increases (`rpg_byte_reset` in its unit). */
  readonly byteCounterBytes: number;
  /** A cut takes alpha divided by this from the rate (`rpg_gd`: 2^11 over 2^10 is 2). */
  readonly cutDivisor: number;
  /** A cut leaves at least this share of the rate (`rpg_min_dec_fac`). */
  readonly leastShare: number;
  /** Rate after the first notification; 0 for an ordinary cut (`rate_to_set_on_first_cnp`). */
  readonly firstCutBps: number;
  /** Weight of the newest interval in alpha (`dce_tcp_g`: (1024 - 1019) / 1024). */
  readonly alphaGain: number;
  /** Time between updates of alpha (`dce_tcp_rtt`). */
  readonly alphaIntervalNs: number;
  /** `initial_alpha_value`, as a share of one. */
  readonly initialAlpha: number;
  /** Least time between cuts (`rate_reduce_monitor_period`). */
  readonly cutIntervalNs: number;
  /** Every cut sets the target to the present rate (`clamp_tgt_rate`). */
  readonly clampTarget: boolean;
  /** The first cut after a timed increase does (`clamp_tgt_rate_after_time_inc`). */
  readonly clampTargetAfterTimer: boolean;
}

const MICROSECOND = 1000;
const MEGABIT = 1_000_000;

/**
 * What mlx5 devices start with (mlxconfig's and DOCA's tables; `mlxreg` shows the same names).
 *
 * The unit of `rpg_byte_reset` (32767) is disputed: 64 bytes is how tools for mlx5 are commonly read, and the default
 * here; the kernel's QCN structure of the same name says bytes, which `byteUnit` 1 gives.
 */
export function dcqcnNicDefaults(byteUnit: 1 | 64 = 64): NicDcqcnParameters {
  return {
    minRateBps: MEGABIT,
    window: 'none',
    additiveBps: 5 * MEGABIT,
    hyperBps: 50 * MEGABIT,
    fastRecoverySteps: 1,
    timerNs: 300 * MICROSECOND,
    byteCounterBytes: 32767 * byteUnit,
    cutDivisor: 2,
    leastShare: 0.5,
    firstCutBps: 0,
    alphaGain: 5 / 1024,
    alphaIntervalNs: MICROSECOND,
    initialAlpha: 1023 / 1024,
    cutIntervalNs: 4 * MICROSECOND,
    clampTarget: false,
    clampTargetAfterTimer: true,
  };
}

/** DCQCN as published (Zhu et al., SIGCOMM 2015, §5). It has no hyper step of its own: the additive one is used. */
export function dcqcnAsPublished(): NicDcqcnParameters {
  return {
    minRateBps: MEGABIT,
    window: 'none',
    additiveBps: 40 * MEGABIT,
    hyperBps: 40 * MEGABIT,
    fastRecoverySteps: 5,
    timerNs: 55 * MICROSECOND,
    byteCounterBytes: 10_000_000,
    cutDivisor: 2,
    leastShare: 0,
    firstCutBps: 0,
    alphaGain: 1 / 256,
    alphaIntervalNs: 55 * MICROSECOND,
    initialAlpha: 1,
    cutIntervalNs: 0,
    clampTarget: true,
    clampTargetAfterTimer: true,
  };
}
