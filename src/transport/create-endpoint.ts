import type { MemoryTable } from '../verbs/base/memory-table.js';
import type { WqePool } from '../verbs/base/wqe-pool.js';
import type { QpType } from '../verbs/queue-pair.js';
import type { Endpoint, EndpointInit, TransportContext } from './endpoint.js';
import { type TransportOptions, transportOptions } from './options.js';
import type { PacketPool } from './packet-pool.js';
import { emptyReceiveResult, type TransportPort } from './port.js';
import { RcEndpoint } from './rc-endpoint.js';
import { UcEndpoint } from './uc-endpoint.js';
import { UdEndpoint } from './ud-endpoint.js';

/** Puts together what the endpoints of a device share. */
export function transportContext(
  packets: PacketPool,
  wqes: WqePool,
  memory: MemoryTable,
  port: TransportPort,
  options: Partial<TransportOptions> = {},
): TransportContext {
  return {
    packets,
    wqes,
    memory,
    port,
    options: transportOptions(options),
    receiveResult: emptyReceiveResult(),
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
