import type { Awaited, BaseQueuePair, QueuePairCarrier } from '../../verbs/base/index.js';
import type { QpState } from '../../verbs/index.js';
import type { IdealDevice } from './device.js';
import type { Endpoint } from './endpoint.js';
import type { Fabric } from './fabric.js';

/** Joins the queue pairs of one device to the fabric. */
export class IdealCarrier implements QueuePairCarrier {
  private readonly fabric: Fabric;
  private readonly device: IdealDevice;

  constructor(fabric: Fabric, device: IdealDevice) {
    this.fabric = fabric;
    this.device = device;
  }

  created(qp: BaseQueuePair): void {
    this.device.endpoints[qp.qpNum] = this.fabric.attach(qp, this.device);
  }

  posted(qp: BaseQueuePair): void {
    this.fabric.schedulePump(this.endpointOf(qp));
  }

  sendReady(qp: BaseQueuePair): void {
    this.fabric.schedulePump(this.endpointOf(qp));
  }

  /** A receiver that was not ready is asked again when its delay is over, as on the wire, not before. */
  receivesPosted(): void {}

  stateChanged(qp: BaseQueuePair, from: QpState): void {
    const endpoint = this.endpointOf(qp);
    if (qp.state === 'RESET' || qp.state === 'ERR' || qp.state === 'SQE') {
      this.fabric.forget(endpoint);
    } else if (qp.state === 'RTR') {
      endpoint.expectedPsn = qp.attr.rqPsn ?? 0;
      endpoint.established = false;
    } else if (qp.state === 'RTS' && from === 'RTR') {
      endpoint.sendPsn = qp.attr.sqPsn!;
    }
  }

  destroyed(qp: BaseQueuePair): void {
    this.fabric.detach(this.endpointOf(qp));
    this.device.endpoints[qp.qpNum] = null;
  }

  settle(): void {
    this.fabric.time.settle();
  }

  waiting(mailbox: Awaited): void {
    this.fabric.time.watch(mailbox);
  }

  counters(): Readonly<Record<string, number>> {
    return { ...this.device.counters };
  }

  private endpointOf(qp: BaseQueuePair): Endpoint {
    return this.device.endpoints[qp.qpNum]!;
  }
}
