import { type ConstantTable, flag, real, type Values, whole } from '../constant.js';
import type { DeviceConstants } from './device-constants.js';

const group = 'Congestion control (DCQCN)';

/** The part of the device table that DCQCN reads, in the words of the driver's `cc_params` with units last. */
export const dcqcnConstants = {
  dcqcnClampTargetRate: flag(
    group,
    'Every decrease resets the target rate (clamp_tgt_rate).',
    'only the first of a run does',
  ),
  dcqcnClampTargetRateAfterTimeIncrease: flag(
    group,
    'After a timed increase the next CNP resets the target (clamp_tgt_rate_after_time_inc).',
    'it does not',
  ),
  dcqcnTimeResetUs: real(group, 'us', [0.1, 1e6], 'Between timed increases (rpg_time_reset).'),
  dcqcnByteResetUnits: whole(
    group,
    'units',
    [0, 2 ** 24],
    'Between increases by bytes sent (rpg_byte_reset).',
    '0: no byte counter',
  ),
  dcqcnByteResetUnitBytes: whole(
    group,
    'B',
    [1, 4096],
    'Bytes of such a unit; public sources disagree between 1 and 64.',
  ),
  dcqcnThreshold: whole(group, 'increases', [1, 31], 'Increases before fast recovery ends (rpg_threshold).'),
  dcqcnMaxRateMbps: real(
    group,
    'Mb/s',
    [0, 1.6e6],
    'Ceiling of the rate (rpg_max_rate).',
    '0: the rate of the port',
  ),
  dcqcnAdditiveIncreaseMbps: real(group, 'Mb/s', [0, 1e6], 'Additive step (rpg_ai_rate).'),
  dcqcnHyperIncreaseMbps: real(group, 'Mb/s', [0, 1e6], 'Hyper step (rpg_hai_rate).'),
  dcqcnDecreaseLog2: whole(
    group,
    'log2',
    [10, 11],
    'A cut is alpha x 2^10 / 2^this: 11 gives 1 - alpha / 2 (rpg_gd).',
  ),
  dcqcnMinDecreasePercent: real(
    group,
    '%',
    [1, 100],
    'One cut leaves at least this share of the rate (rpg_min_dec_fac).',
  ),
  dcqcnMinRateMbps: real(group, 'Mb/s', [0.001, 1e6], 'Floor of the rate (rpg_min_rate).'),
  dcqcnFirstCnpRateMbps: real(
    group,
    'Mb/s',
    [0, 1.6e6],
    'Rate that the first CNP sets (rate_to_set_on_first_cnp).',
    '0: an ordinary cut',
  ),
  dcqcnAlphaDecay1024: whole(
    group,
    '1/1024',
    [1, 1023],
    'Share of alpha that an update keeps; the rest is added when a CNP came (dce_tcp_g).',
  ),
  dcqcnAlphaUpdateUs: real(group, 'us', [0.1, 1e6], 'Between updates of alpha (dce_tcp_rtt).'),
  dcqcnMonitorPeriodUs: real(
    group,
    'us',
    [0, 1e6],
    'Least time between two cuts (rate_reduce_monitor_period).',
    '0: each CNP may cut',
  ),
  dcqcnInitialAlpha1024: whole(group, '1/1024', [1, 1024], 'Alpha of a new flow (initial_alpha_value).'),
  dcqcnCnpIntervalUs: real(
    group,
    'us',
    [0, 1e6],
    'Least time between two CNPs of the receiver (min_time_between_cnps).',
    '0: one for each marked packet',
  ),
  dcqcnCnpScope: whole(
    group,
    'scope',
    [0, 2],
    'What that time counts for: 0 each QP, 1 each destination, 2 the port.',
    '0: each QP by itself',
  ),
  dcqcnRateScope: whole(
    group,
    'scope',
    [0, 1],
    'What has a rate: 0 each QP, 1 each destination, to which each QP then sends at that rate.',
    '0: each QP by itself',
  ),
} satisfies ConstantTable;

/** The numbers that DCQCN on a device reads. */
export type DcqcnConstants = DeviceConstants & Values<typeof dcqcnConstants>;
