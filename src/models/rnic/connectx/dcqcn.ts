import type { DcqcnConstants } from '../../../profiles/index.js';
import {
  type CongestionControl,
  Dcqcn,
  type DcqcnParameters,
  DcqcnRate,
  NotificationPoint,
} from '../../../transport/index.js';
import { OPCODE } from '../../../wire/index.js';
import { headerBytesOf } from '../packet-kinds.js';
import type { CongestionFactory } from '../parts/congestion-factory.js';

const US_PS = 1e6;
const MEGABIT = 1e6;

/** What shares one rate: the values of dcqcnRateScope. */
export const RateScope = { QUEUE_PAIR: 0, DESTINATION: 1 } as const;

/** The reaction point of a device, from its profile. */
export function dcqcnParameters(constants: DcqcnConstants, portBps: number): DcqcnParameters {
  const maxBps = constants.dcqcnMaxRateMbps * MEGABIT;
  const units = constants.dcqcnByteResetUnits;
  return {
    lineRateBps: maxBps === 0 ? portBps : Math.min(portBps, maxBps),
    minRateBps: constants.dcqcnMinRateMbps * MEGABIT,
    additiveBps: constants.dcqcnAdditiveIncreaseMbps * MEGABIT,
    hyperBps: constants.dcqcnHyperIncreaseMbps * MEGABIT,
    fastRecoverySteps: constants.dcqcnThreshold,
    timerPs: constants.dcqcnTimeResetUs * US_PS,
    byteCounterBytes: units === 0 ? Number.POSITIVE_INFINITY : units * constants.dcqcnByteResetUnitBytes,
    cutDivisor: 2 ** (constants.dcqcnDecreaseLog2 - 10),
    leastShare: constants.dcqcnMinDecreasePercent / 100,
    firstCutBps: constants.dcqcnFirstCnpRateMbps * MEGABIT,
    alphaGain: (1024 - constants.dcqcnAlphaDecay1024) / 1024,
    alphaIntervalPs: constants.dcqcnAlphaUpdateUs * US_PS,
    initialAlpha: constants.dcqcnInitialAlpha1024 / 1024,
    cutIntervalPs: constants.dcqcnMonitorPeriodUs * US_PS,
    clampTarget: constants.dcqcnClampTargetRate === 1,
    clampTargetAfterTimer: constants.dcqcnClampTargetRateAfterTimeIncrease === 1,
    packetOverheadBytes: headerBytesOf[OPCODE.RC_SEND_MIDDLE],
  };
}

/** DCQCN on one device: a rate per queue pair or, as on ConnectX-5, per destination. */
export class DeviceDcqcn implements CongestionFactory {
  readonly notification: NotificationPoint;
  readonly echoMarks = false;
  private readonly parameters: DcqcnParameters;
  private readonly perDestination: boolean;
  private readonly rates = new Map<number, DcqcnRate>();

  constructor(constants: DcqcnConstants, portBps: number) {
    this.parameters = dcqcnParameters(constants, portBps);
    this.perDestination = constants.dcqcnRateScope === RateScope.DESTINATION;
    this.notification = new NotificationPoint({
      intervalPs: Math.round(constants.dcqcnCnpIntervalUs * US_PS),
      scope: constants.dcqcnCnpScope,
    });
  }

  control(node: number): CongestionControl {
    if (!this.perDestination || node < 0) return new Dcqcn(new DcqcnRate(this.parameters));
    let rate = this.rates.get(node);
    if (rate === undefined) {
      rate = new DcqcnRate(this.parameters);
      this.rates.set(node, rate);
    }
    return new Dcqcn(rate);
  }
}
