/**
 * RC, UC and UD as pure state machines, written against IBTA volume 1, chapter 9: packets and times come in, packets
 * and effects go out. There is no clock, no wire and no randomness in here; a simulator and a device on UDP sockets run
 * the same code.
 *
 * A device makes one {@link PacketPool}, implements {@link TransportDevice} and gives each queue pair an
 * {@link Endpoint}. It pulls packets out of endpoints when it wants to send and hands arrived ones to them.
 *
 * @example
 * import { dcqcnNicDefaults, NicDcqcn, psnAdd, psnDiff } from 'kelpie/transport';
 *
 * // The reaction point of DCQCN by itself, with one flow: a notification halves the rate, time brings it back.
 * const control = new NicDcqcn(1, dcqcnNicDefaults());
 * control.open(0, { lineBps: 200e9, windowBytes: 0, baseRttNs: 0 });
 * control.onNotification(0, 1000);
 * console.log(Math.round((control.rateBps[0] ?? 0) / 1e9)); // 100
 * control.advance(0, 2_000_000);
 * console.log((control.rateBps[0] ?? 0) > 150e9); // true
 *
 * // Packet sequence numbers are 24 bits wide and wrap.
 * console.log(psnAdd(0xffffff, 2), psnDiff(1, 0xffffff)); // 1 2
 *
 * @module
 */
export * from './attributes.js';
export { AckFacts, type CongestionControl } from './congestion/congestion-control.js';
export { noCongestionControl } from './congestion/none.js';
export * from './congestion/notification-point.js';
export { PacedFlow, type PacedFlowOptions } from './congestion/paced-flow.js';
export * from './congestion/rates/index.js';
export * from './congestion/slow-start.js';
export * from './counters.js';
export * from './create-endpoint.js';
export { UcEndpoint } from './datagram/uc-endpoint.js';
export { GRH_AREA_BYTES, UdEndpoint } from './datagram/ud-endpoint.js';
export * from './endpoint.js';
export * from './options.js';
export * from './packet/packet-codec.js';
export * from './packet/packet-pool.js';
export * from './packet/psn.js';
export * from './packet/syndrome.js';
export { RcEndpoint } from './rc/rc-endpoint.js';
export { goBackZero, goBackZeroTimed } from './recovery/go-back-0.js';
export { goBackN, goBackNTimed } from './recovery/go-back-n.js';
export { irn } from './recovery/irn.js';
export type * from './recovery/loss-recovery.js';
export { type MeloOptions, melo } from './recovery/melo.js';
export { AS_SPECIFIED, type RetransmissionTiming } from './recovery/retransmission-timing.js';
export { IRN_DEFAULTS, type SelectiveOptions } from './recovery/selective-options.js';
export type { SelectiveRequester, SelectiveResender } from './recovery/selective-requester.js';
export type { EarlyArrivals, EarlyKeeper } from './recovery/selective-responder.js';
export * from './recovery/slow-path.js';
export { type SrnicOptions, srnic } from './recovery/srnic.js';
export * from './timers.js';
export * from './transport-device.js';
