import {
  type CongestionControl,
  controlPreset,
  dcqcnNicDefaults,
  NotificationPoint,
  NotificationScope,
  noCongestionControl,
  PacedFlow,
  RateSlots,
} from '../../../transport/index.js';

/**
 * Controls of a software device: those that notifications and round trips suffice for. DCTCP's counts of marks and HPCC's
 * telemetry have no place in RoCEv2's acknowledgements.
 */
export const softwareControls = ['none', 'dcqcn', 'dcqcn-paper', 'timely', 'swift'] as const;
export type SoftwareControl = (typeof softwareControls)[number];

/** How much wider than a bandwidth-delay product windows are: acknowledgements come for several packets. */
const SPARE = 2;
/** Ethernet, IPv4, UDP, BTH, ICRC and frame check sequence: they count against the rate with every packet. */
const OVERHEAD_BYTES = 14 + 20 + 8 + 12 + 4 + 4;
/** A link to strangers has no rate of its own: what controls start with and return to. */
const LINE_BPS = 40e9;
/** Least rate: links of strangers may be slow. */
const MIN_RATE_BPS = 1e6;
/** A round trip through two event loops without other work; windows are made for it. */
const ROUND_TRIP_NS = 200_000;
/** At most one congestion notification per queue pair and 50 us (Zhu et al., SIGCOMM 2015, §5.2). */
const NOTIFICATIONS = { intervalPs: 50e6, scope: NotificationScope.QUEUE_PAIR };

/** How the queue pairs of a software device are controlled. */
export class SoftwareCongestion {
  /** Which marked arrivals cause a notification; null: none do. */
  readonly notification: NotificationPoint | null;
  /** Whether packets say that they may be marked. */
  readonly ecnCapable: boolean;
  private readonly name: SoftwareControl;
  /** By MTU. */
  private readonly slots = new Map<number, RateSlots>();

  constructor(name: SoftwareControl) {
    this.name = name;
    this.ecnCapable = name.startsWith('dcqcn');
    this.notification = this.ecnCapable ? new NotificationPoint(NOTIFICATIONS) : null;
  }

  /** The control of a queue pair that sends packets of an MTU. */
  control(mtuBytes: number): CongestionControl {
    if (this.name === 'none') return noCongestionControl;
    let slots = this.slots.get(mtuBytes);
    if (slots === undefined) {
      slots = new RateSlots(specOf(this.name, mtuBytes));
      this.slots.set(mtuBytes, slots);
    }
    const windowBytes = (LINE_BPS * ROUND_TRIP_NS) / 8e9;
    const taken = slots.take({ lineBps: LINE_BPS, baseRttNs: ROUND_TRIP_NS, windowBytes });
    const flow = { mtuBytes, overheadBytes: OVERHEAD_BYTES, paces: true, spare: SPARE, measures: true };
    return new PacedFlow(taken.control, taken.slot, flow, () => slots.give(taken));
  }
}

function specOf(name: Exclude<SoftwareControl, 'none'>, mtuBytes: number) {
  // The reaction point of mlx5's firmware: peers are NICs, too.
  if (name === 'dcqcn') return { kind: 'dcqcn-nic', ...dcqcnNicDefaults() } as const;
  return { ...controlPreset(name, LINE_BPS, mtuBytes), minRateBps: MIN_RATE_BPS };
}
