import type { MemoryTable } from '../verbs/base/memory/memory-table.js';
import type { WqePool } from '../verbs/base/queues/wqe-pool.js';
import type { QpType } from '../verbs/queue-pair.js';
import { AckFacts } from './congestion/congestion-control.js';
import { UcEndpoint } from './datagram/uc-endpoint.js';
import { UdEndpoint } from './datagram/ud-endpoint.js';
import type { Endpoint, EndpointInit, TransportContext } from './endpoint.js';
import { type TransportOptions, transportOptions } from './options.js';
import type { PacketPool } from './packet/packet-pool.js';
import { RcEndpoint } from './rc/rc-endpoint.js';
import { ResponsePool } from './rc/response-queue.js';
import { emptyReceiveResult, type TransportDevice } from './transport-device.js';

/** Puts together what the endpoints of a device share. */
export function transportContext(
  packets: PacketPool,
  wqes: WqePool,
  memory: MemoryTable,
  device: TransportDevice,
  options: Partial<TransportOptions> = {},
): TransportContext {
  return {
    packets,
    wqes,
    memory,
    device,
    options: transportOptions(options),
    receiveResult: emptyReceiveResult(),
    responses: new ResponsePool(),
    ackFacts: new AckFacts(),
  };
}

/** Makes the endpoint of a queue pair; it is in RESET until `modified` is called. */
export function createEndpoint(type: QpType, context: TransportContext, init: EndpointInit): Endpoint {
  switch (type) {
    case 'RC':
      return new RcEndpoint(context, init);
    case 'UC':
      return new UcEndpoint(context, init);
    case 'UD':
      return new UdEndpoint(context, init);
  }
}
