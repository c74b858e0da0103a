import type { DcqcnConstants } from '../../../profiles/index.js';
import {
  type CongestionControl,
  type NicDcqcnParameters,
  NotificationPoint,
  PacedFlow,
  type RateSlot,
  RateSlots,
} from '../../../transport/index.js';
import type { CongestionFactory } from '../parts/congestion-factory.js';
import { OVERHEAD_BYTES } from '../programmable-control.js';

const US_NS = 1e3;
const US_PS = 1e6;
const MEGABIT = 1e6;

/** What shares one rate: the values of dcqcnRateScope. */
export const RateScope = { QUEUE_PAIR: 0, DESTINATION: 1 } as const;

/** The reaction point of a device, from its profile. */
export function dcqcnParameters(constants: DcqcnConstants): NicDcqcnParameters {
  const units = constants.dcqcnByteResetUnits;
  return {
    minRateBps: constants.dcqcnMinRateMbps * MEGABIT,
    window: 'none',
    additiveBps: constants.dcqcnAdditiveIncreaseMbps * MEGABIT,
    hyperBps: constants.dcqcnHyperIncreaseMbps * MEGABIT,
    fastRecoverySteps: constants.dcqcnThreshold,
    timerNs: constants.dcqcnTimeResetUs * US_NS,
    byteCounterBytes: units === 0 ? Number.POSITIVE_INFINITY : units * constants.dcqcnByteResetUnitBytes,
    cutDivisor: 2 ** (constants.dcqcnDecreaseLog2 - 10),
    leastShare: constants.dcqcnMinDecreasePercent / 100,
    firstCutBps: constants.dcqcnFirstCnpRateMbps * MEGABIT,
    alphaGain: (1024 - constants.dcqcnAlphaDecay1024) / 1024,
    alphaIntervalNs: constants.dcqcnAlphaUpdateUs * US_NS,
    initialAlpha: constants.dcqcnInitialAlpha1024 / 1024,
    cutIntervalNs: constants.dcqcnMonitorPeriodUs * US_NS,
    clampTarget: constants.dcqcnClampTargetRate === 1,
    clampTargetAfterTimer: constants.dcqcnClampTargetRateAfterTimeIncrease === 1,
  };
}

/** The rate that new flows of a device start with and increases end at. */
export function dcqcnLineBps({ dcqcnMaxRateMbps }: DcqcnConstants, portBps: number): number {
  return dcqcnMaxRateMbps === 0 ? portBps : Math.min(portBps, dcqcnMaxRateMbps * MEGABIT);
}

/** DCQCN on one device: a rate per queue pair or, as on ConnectX-5, per destination. */
export class DeviceDcqcn implements CongestionFactory {
  readonly notification: NotificationPoint;
  readonly echoMarks = false;
  readonly telemetry = null;
  private readonly lineBps: number;
  private readonly perDestination: boolean;
  private readonly slots: RateSlots;
  /** By node. */
  private readonly rates = new Map<number, RateSlot>();

  constructor(constants: DcqcnConstants, portBps: number) {
    this.lineBps = dcqcnLineBps(constants, portBps);
    this.slots = new RateSlots({ kind: 'dcqcn-nic', ...dcqcnParameters(constants) });
    this.perDestination = constants.dcqcnRateScope === RateScope.DESTINATION;
    this.notification = new NotificationPoint({
      intervalPs: Math.round(constants.dcqcnCnpIntervalUs * US_PS),
      scope: constants.dcqcnCnpScope,
    });
  }

  control(node: number, mtuBytes: number): CongestionControl {
    if (!this.perDestination || node < 0) {
      const own = this.newRate();
      return this.flow(own, mtuBytes, () => this.slots.give(own));
    }
    let rate = this.rates.get(node);
    if (rate === undefined) {
      rate = this.newRate();
      this.rates.set(node, rate);
    }
    return this.flow(rate, mtuBytes, () => {});
  }

  private newRate(): RateSlot {
    return this.slots.take({ lineBps: this.lineBps, windowBytes: 0, baseRttNs: 0 });
  }

  private flow({ control, slot }: RateSlot, mtuBytes: number, onClose: () => void): PacedFlow {
    return new PacedFlow(
      control,
      slot,
      { mtuBytes, overheadBytes: OVERHEAD_BYTES, paces: true, spare: 0, measures: false },
      onClose,
    );
  }
}
