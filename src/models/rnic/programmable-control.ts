import {
  type CongestionControl,
  type ControlName,
  type ControlSpec,
  controlPreset,
  type FlowTerms,
  NotificationPoint,
  NotificationScope,
  PacedFlow,
  RateSlots,
  type TelemetryFormat,
} from '../../transport/index.js';
import { OPCODE } from '../../wire/index.js';
import type { CongestionOptions } from './architecture.js';
import { headerBytesOf } from './packets/packet-kinds.js';
import { type CongestionFactory, uncontrolled } from './parts/congestion-factory.js';

/** Least time between two notifications of a queue pair: in the paper (Zhu et al., SIGCOMM 2015, §5.2), and in mlx5. */
const PAPER_NOTIFICATION_PS = 50e6;
const NOTIFICATION_PS = 4e6;
/** How much wider than a bandwidth-delay product windows are: acknowledgements come for several packets. */
const SPARE = 2;
/** Bytes of headers that count against a rate with every packet. */
export const OVERHEAD_BYTES = headerBytesOf[OPCODE.RC_SEND_MIDDLE];

/** The control of a device that a program on it could be: those of light NICs, with the same constants. */
export function programmable(options: CongestionOptions): CongestionFactory {
  return options.control === 'none' ? uncontrolled : new ProgrammableControl(options.control, options);
}

/** A control of `rates` on one device: a slot per queue pair. */
class ProgrammableControl implements CongestionFactory {
  readonly echoMarks: boolean;
  readonly telemetry: TelemetryFormat | null;
  readonly notification: NotificationPoint | null;
  private readonly name: ControlName;
  private readonly options: CongestionOptions;
  /** By MTU: some controls count packets of it. */
  private readonly slots = new Map<number, RateSlots>();

  constructor(name: ControlName, options: CongestionOptions) {
    this.name = name;
    this.options = options;
    this.echoMarks = name === 'dctcp';
    this.telemetry = name === 'hpcc' ? options.telemetry : null;
    this.notification = name.startsWith('dcqcn')
      ? new NotificationPoint({
          intervalPs: name === 'dcqcn-paper' ? PAPER_NOTIFICATION_PS : NOTIFICATION_PS,
          scope: NotificationScope.QUEUE_PAIR,
        })
      : null;
  }

  control(_node: number, mtuBytes: number): CongestionControl {
    let slots = this.slots.get(mtuBytes);
    if (slots === undefined) {
      slots = new RateSlots(this.specOf(mtuBytes));
      this.slots.set(mtuBytes, slots);
    }
    const taken = slots.take(this.terms());
    const flow = { mtuBytes, overheadBytes: OVERHEAD_BYTES, paces: true, spare: SPARE, measures: false };
    return new PacedFlow(taken.control, taken.slot, flow, () => slots.give(taken));
  }

  private terms(): FlowTerms {
    const { portBps } = this.options;
    const baseRttNs = this.options.roundTripNs();
    return { lineBps: portBps, baseRttNs, windowBytes: Math.ceil((portBps * baseRttNs) / 8e9) };
  }

  private specOf(mtuBytes: number): ControlSpec {
    const spec = controlPreset(this.name, this.options.portBps, mtuBytes);
    return spec.kind === 'hpcc' ? { ...spec, telemetry: this.telemetry! } : spec;
  }
}
