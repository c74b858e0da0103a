import type { Awaited, BaseQueuePair, QueuePairCarrier } from '../../verbs/base/index.js';
import {
  copyAttributes,
  createEndpoint,
  type Endpoint,
  noCongestionControl,
  resetAttributes,
} from '../index.js';
import type { Loopback } from './loopback.js';
import type { LoopbackDevice } from './loopback-device.js';

/** Joins the verbs of a loopback device to its endpoints. */
export class LoopbackEngine implements QueuePairCarrier {
  private readonly loopback: Loopback;
  private readonly device: LoopbackDevice;

  constructor(loopback: Loopback, device: LoopbackDevice) {
    this.loopback = loopback;
    this.device = device;
  }

  created(qp: BaseQueuePair): void {
    const congestion = this.loopback.options.congestion?.() ?? noCongestionControl;
    const init = { qpn: qp.qpNum, pd: qp.pd.handle, attributes: resetAttributes(), congestion };
    this.device.endpoints.set(qp.qpNum, createEndpoint(qp.qpType, this.device.transport, init));
  }

  posted(qp: BaseQueuePair): void {
    this.endpoint(qp).allowSends();
  }

  sendReady(qp: BaseQueuePair): void {
    this.endpoint(qp).allowSends();
  }

  receivesPosted(): void {}

  stateChanged(qp: BaseQueuePair): void {
    const endpoint = this.endpoint(qp);
    copyAttributes(qp.attr, endpoint.attributes);
    endpoint.modified(qp.state);
    if (qp.state === 'ERR' || qp.state === 'SQE' || qp.state === 'RESET') {
      this.loopback.checkers.flushed(this.device.index, qp.qpNum, endpoint);
    }
  }

  destroyed(qp: BaseQueuePair): void {
    this.endpoint(qp).modified('RESET');
    this.device.endpoints.delete(qp.qpNum);
    this.loopback.checkers.flushed(this.device.index, qp.qpNum);
  }

  settle(): void {
    // The base tells no engine of attributes that change without a state.
    for (const [qpn, endpoint] of this.device.endpoints) {
      const qp = this.device.qpNumbers.get(qpn);
      if (qp !== null) copyAttributes(qp.attr, endpoint.attributes);
    }
    this.loopback.time.settle();
  }

  waiting(mailbox: Awaited): void {
    this.loopback.time.watch(mailbox);
  }

  counters(): Readonly<Record<string, number>> {
    return { ...this.device.counters };
  }

  private endpoint(qp: BaseQueuePair): Endpoint {
    return this.device.endpoints.get(qp.qpNum)!;
  }
}
