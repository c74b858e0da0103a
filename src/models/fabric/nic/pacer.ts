import type { RateControl } from '../../../transport/congestion/rates/rate-control.js';
import { cutTransmissionNs, type Rounding } from '../core/events/rounding.js';

/** The gap between a flow's packets: their size at its rate. The last result of each flow is kept. */
export class Pacer {
  private readonly control: RateControl;
  private readonly paces: boolean;
  private readonly exact: boolean;
  private readonly lastNs: Float64Array;
  private readonly lastBps: Float64Array;
  private readonly lastBytes: Int32Array;

  constructor(control: RateControl, flows: number, paces: boolean, rounding: Rounding) {
    this.control = control;
    this.paces = paces;
    this.exact = rounding === 'exact';
    this.lastNs = new Float64Array(flows);
    this.lastBps = new Float64Array(flows);
    this.lastBytes = new Int32Array(flows);
  }

  /** Gap after a packet of this many bytes, at the flow's present rate. */
  gapNs(flow: number, bytes: number): number {
    const { control } = this;
    const rate = this.paces ? control.rateBps[flow] : control.lineBps[flow];
    if (this.lastBps[flow] !== rate || this.lastBytes[flow] !== bytes) {
      this.lastBps[flow] = rate;
      this.lastBytes[flow] = bytes;
      this.lastNs[flow] = this.atRate(bytes, rate);
    }
    return this.lastNs[flow];
  }

  /** Gap after a packet of this many bytes at a rate. */
  atRate(bytes: number, rateBps: number): number {
    return this.exact ? (bytes * 8e9) / rateBps : cutTransmissionNs(bytes, rateBps);
  }
}
