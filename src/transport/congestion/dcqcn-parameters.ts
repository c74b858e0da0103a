/** The constants of DCQCN's reaction point, by the names that mlx5 gives them where it has them. Rates are bits a second. */
export interface DcqcnParameters {
  /** The port's rate: what new flows start with and increases end at. */
  readonly lineRateBps: number;
  /** Least rate (`rpg_min_rate`). */
  readonly minRateBps: number;
  /** Additive step of the target (`rpg_ai_rate`). */
  readonly additiveBps: number;
  /** Hyper step of the target (`rpg_hai_rate`). */
  readonly hyperBps: number;
  /** Increases before fast recovery ends (`rpg_threshold`). */
  readonly fastRecoverySteps: number;
  /** Time between timed increases (`rpg_time_reset`). */
  readonly timerPs: number;
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
  readonly alphaIntervalPs: number;
  /** `initial_alpha_value`, as a share of one. */
  readonly initialAlpha: number;
  /** Least time between cuts (`rate_reduce_monitor_period`). */
  readonly cutIntervalPs: number;
  /** Every cut sets the target to the present rate (`clamp_tgt_rate`). */
  readonly clampTarget: boolean;
  /** The first cut after a timed increase does (`clamp_tgt_rate_after_time_inc`). */
  readonly clampTargetAfterTimer: boolean;
  /** Bytes of headers that count against the rate with every packet. */
  readonly packetOverheadBytes: number;
}

const MICROSECOND_PS = 1_000_000;
const MEGABIT = 1_000_000;
/** Ethernet, IPv4, UDP, BTH, ICRC and frame check sequence. */
const HEADER_BYTES = 62;

/**
 * What mlx5 devices start with (mlxconfig's and DOCA's tables; `mlxreg` shows the same names).
 *
 * The unit of `rpg_byte_reset` (32767) is disputed: 64 bytes is how tools for mlx5 are commonly read, and the default
 * here; the kernel's QCN structure of the same name says bytes, which `byteUnit` 1 gives.
 */
export function dcqcnNicDefaults(lineRateBps: number, byteUnit: 1 | 64 = 64): DcqcnParameters {
  return {
    lineRateBps,
    minRateBps: MEGABIT,
    additiveBps: 5 * MEGABIT,
    hyperBps: 50 * MEGABIT,
    fastRecoverySteps: 1,
    timerPs: 300 * MICROSECOND_PS,
    byteCounterBytes: 32767 * byteUnit,
    cutDivisor: 2,
    leastShare: 0.5,
    firstCutBps: 0,
    alphaGain: 5 / 1024,
    alphaIntervalPs: MICROSECOND_PS,
    initialAlpha: 1023 / 1024,
    cutIntervalPs: 4 * MICROSECOND_PS,
    clampTarget: false,
    clampTargetAfterTimer: true,
    packetOverheadBytes: HEADER_BYTES,
  };
}

/** DCQCN as published (Zhu et al., SIGCOMM 2015, §5). It has no hyper step of its own: the additive one is used. */
export function dcqcnAsPublished(lineRateBps: number): DcqcnParameters {
  return {
    lineRateBps,
    minRateBps: MEGABIT,
    additiveBps: 40 * MEGABIT,
    hyperBps: 40 * MEGABIT,
    fastRecoverySteps: 5,
    timerPs: 55 * MICROSECOND_PS,
    byteCounterBytes: 10_000_000,
    cutDivisor: 2,
    leastShare: 0,
    firstCutBps: 0,
    alphaGain: 1 / 256,
    alphaIntervalPs: 55 * MICROSECOND_PS,
    initialAlpha: 1,
    cutIntervalPs: 0,
    clampTarget: true,
    clampTargetAfterTimer: true,
    packetOverheadBytes: HEADER_BYTES,
  };
}
