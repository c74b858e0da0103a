import {
  createEndpoint,
  type Endpoint,
  type LossRecovery,
  type PacketPool,
  resetAttributes,
  type TransportContext,
  type TransportDevice,
  transportContext,
} from '../../../transport/index.js';
import type { BaseContext, BaseQueuePair } from '../../../verbs/base/index.js';
import type { SoftwareCongestion } from './congestion.js';
import { inOrder } from './recovery.js';

/** What endpoints are made of. */
export interface EndpointsParts {
  context: BaseContext;
  packets: PacketPool;
  device: TransportDevice;
  congestion: SoftwareCongestion;
  windowPackets: number;
  recovery: LossRecovery;
}

/** Makes the endpoints of queue pairs, with selective repeat or without. */
export class Endpoints {
  private readonly congestion: SoftwareCongestion;
  private readonly inOrder: TransportContext;
  /** Null where the device has no selective repeat. */
  private readonly selective: TransportContext | null;

  constructor({ context, packets, device, congestion, windowPackets, recovery }: EndpointsParts) {
    this.congestion = congestion;
    const contextWith = (lossRecovery: LossRecovery) =>
      transportContext(packets, context.wqes, context.memory, device, {
        lossRecovery,
        maxOutstandingPackets: windowPackets,
        ackRequestInterval: Math.max(1, Math.min(64, windowPackets >> 2)),
      });
    this.inOrder = contextWith(inOrder(recovery));
    this.selective = recovery.selective ? contextWith(recovery) : null;
  }

  /** Whether selective repeat can be agreed on with a peer. */
  get anySelective(): boolean {
    return this.selective !== null;
  }

  /** The endpoint of a queue pair; `selective` only where {@link anySelective}. */
  make(qp: BaseQueuePair, selective: boolean): Endpoint {
    return createEndpoint(qp.qpType, selective ? this.selective! : this.inOrder, {
      qpn: qp.qpNum,
      pd: qp.pd.handle,
      attributes: resetAttributes(),
      congestion: this.congestion.control(qp.datagramBytes),
    });
  }
}
