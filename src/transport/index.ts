/**
 * RC, UC and UD as pure state machines, written against IBTA volume 1, chapter 9: packets and times come in, packets
 * and effects go out. There is no clock, no wire and no randomness in here; a simulator and a device on UDP sockets run
 * the same code.
 *
 * A device makes one {@link PacketPool}, implements {@link TransportPort} and gives each queue pair an
 * {@link Endpoint}. It pulls packets out of endpoints when it wants to send and hands arrived ones to them.
 *
 * @example
 * const context = transportContext(packets, base.wqes, base.memory, port);
 * const endpoint = createEndpoint('RC', context, { qpn, pd, attributes, congestion: noCongestionControl });
 * copyAttributes(qp.attr, endpoint.attributes);
 * endpoint.modified(qp.state);
 * if (endpoint.canRequest(nowPs)) {
 *   const packet = packets.take();
 *   if (endpoint.emitRequest(packet, nowPs)) send(packet);
 *   else packets.free(packet);
 * }
 *
 * @module
 */
export * from './attributes.js';
export { Dcqcn, DcqcnRate } from './congestion/dcqcn.js';
export * from './congestion/dcqcn-parameters.js';
export { noCongestionControl } from './congestion/none.js';
export type { CongestionControl } from './congestion-control.js';
export * from './counters.js';
export * from './create-endpoint.js';
export * from './endpoint.js';
export { goBackN } from './loss-recovery/go-back-n.js';
export type { GapReporter, LossRecovery, Resender } from './loss-recovery.js';
export * from './options.js';
export * from './packet-codec.js';
export * from './packet-pool.js';
export * from './port.js';
export * from './psn.js';
export { RcEndpoint } from './rc-endpoint.js';
export * from './syndrome.js';
export * from './timers.js';
export { UcEndpoint } from './uc-endpoint.js';
export { GRH_AREA_BYTES, UdEndpoint } from './ud-endpoint.js';
