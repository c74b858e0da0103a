import type { CongestionFactory } from '../../../models/index.js';
import type { DeviceConstants } from '../../../profiles/index.js';
import {
  type CongestionControl,
  type Endpoint,
  SlowStart,
  type SlowStartParameters,
} from '../../../transport/index.js';

/** The congestion controls of a device's queue pairs, which may begin slowly. */
export class QueuePairControls {
  readonly factory: CongestionFactory;
  private readonly constants: DeviceConstants;
  /** How queue pairs begin, where they begin slowly. */
  private slowStart: SlowStartParameters | null = null;

  constructor(factory: CongestionFactory, constants: DeviceConstants) {
    this.factory = factory;
    this.constants = constants;
  }

  /** How a queue pair that sends to a node is controlled; -1: to several. */
  to(node: number, mtuBytes: number): CongestionControl {
    const control = this.factory.control(node, mtuBytes);
    return this.slowStart === null ? control : new SlowStart(control, this.slowStart);
  }

  /** Queue pairs begin at this rate from now on, those that are there too; undefined: at that of the port. */
  startAt(startGbps: number | undefined, endpoints: readonly Endpoint[]): void {
    if (startGbps === this.slowStart?.startGbps) return;
    const { portGbps, slowStartDoubleNs, slowStartIdleNs } = this.constants;
    this.slowStart =
      startGbps === undefined
        ? null
        : {
            startGbps,
            lineGbps: portGbps,
            doublePs: Math.round(slowStartDoubleNs * 1000),
            idlePs: Math.round(slowStartIdleNs * 1000),
          };
    for (const endpoint of endpoints) {
      const { congestion } = endpoint;
      const inner = congestion instanceof SlowStart ? congestion.inner : congestion;
      endpoint.congestion = this.slowStart === null ? inner : new SlowStart(inner, this.slowStart);
    }
  }
}
