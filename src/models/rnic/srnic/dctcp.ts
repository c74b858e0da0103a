import type { DctcpConstants } from '../../../profiles/index.js';
import { type CongestionControl, PacedFlow, RateSlots } from '../../../transport/index.js';
import type { CongestionFactory } from '../parts/congestion-factory.js';

/** What stands for a packet of window in a rule that cuts rates to whole bits per second. */
const UNIT_BPS = 1e6;

/**
 * DCTCP on one device: a window per queue pair, which the schedule of sends takes its credit from (§4.3.1, §5).
 * Acknowledgements move it and nothing is paced, so that it needs no timers. A packet stands for a byte, the widest
 * window for the line rate.
 */
export class DeviceDctcp implements CongestionFactory {
  readonly notification = null;
  readonly telemetry = null;
  readonly echoMarks = true;
  private readonly windowBytes: number;
  private readonly slots: RateSlots;

  constructor({ dctcpGain, dctcpWindowBytes, dctcpAdditivePackets }: DctcpConstants) {
    this.windowBytes = dctcpWindowBytes;
    this.slots = new RateSlots({
      kind: 'dctcp',
      gain: dctcpGain,
      additiveBps: dctcpAdditivePackets * UNIT_BPS,
      payloadBytes: 1,
      minRateBps: UNIT_BPS,
      window: 'scaled',
    });
  }

  control(_node: number, mtuBytes: number): CongestionControl {
    const packets = Math.max(1, Math.floor(this.windowBytes / mtuBytes));
    const taken = this.slots.take({ lineBps: packets * UNIT_BPS, windowBytes: packets, baseRttNs: 0 });
    const flow = { mtuBytes: 1, overheadBytes: 0, paces: false, spare: 0, measures: false };
    return new PacedFlow(taken.control, taken.slot, flow, () => this.slots.give(taken));
  }
}
