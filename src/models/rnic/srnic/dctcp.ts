import type { DctcpConstants } from '../../../profiles/index.js';
import { type CongestionControl, DctcpWindow } from '../../../transport/index.js';
import type { CongestionFactory } from '../parts/congestion-factory.js';

/** DCTCP on one device: a window per queue pair, which the schedule of sends takes its credit from (§4.3.1, §5). */
export class DeviceDctcp implements CongestionFactory {
  readonly notification = null;
  readonly echoMarks = true;
  private readonly constants: DctcpConstants;

  constructor(constants: DctcpConstants) {
    this.constants = constants;
  }

  control(_node: number, mtuBytes: number): CongestionControl {
    const { dctcpGain, dctcpWindowBytes, dctcpAdditivePackets } = this.constants;
    return new DctcpWindow({
      gain: dctcpGain,
      windowPackets: Math.max(1, Math.floor(dctcpWindowBytes / mtuBytes)),
      additivePackets: dctcpAdditivePackets,
    });
  }
}
