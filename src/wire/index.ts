/**
 * Every byte of RoCEv2 that the transports need.
 *
 * Each header has two types: a checked view over bytes (`BthView`), which is pointed at one packet after another and
 * allocates nothing, and a meaning (`Bth`), a plain object with `parse` and `emit`. Decoding never throws: it returns
 * a {@link Refusal}. If a meaning can be emitted it parses back to the same meaning; one that does not fit the wire
 * is refused with a `KelpieError` when it is emitted.
 *
 * @example
 * import { BTH_BYTES, BthView, emitBth, isRefusal, OPCODE, parseBth } from 'kelpie/wire';
 *
 * const bytes = new Uint8Array(BTH_BYTES);
 * const bth = {
 *   opcode: OPCODE.RC_SEND_ONLY,
 *   solicitedEvent: false,
 *   migrationRequest: true,
 *   padBytes: 0,
 *   partitionKey: 0xffff,
 *   fecn: false,
 *   becn: false,
 *   destinationQp: 17,
 *   ackRequest: true,
 *   psn: 1000,
 * };
 * emitBth(bth, bytes, 0);
 * const view = new BthView();
 * const refused = view.wrap(bytes, 0, bytes.length);
 * const same = refused ?? parseBth(view);
 * if (!isRefusal(same)) console.log(same.destinationQp, same.psn); // 17 1000
 * console.log(String(view.wrap(bytes, 0, 11))); // bth: truncated
 *
 * @module
 */

export * from './bytes/crc32.js';
export * from './bytes/refusal.js';
export { View } from './bytes/view.js';
export * from './capture/pcapng.js';
export * from './capture/pcapng-reader.js';
export * from './cm/index.js';
export * from './ib/aeth.js';
export * from './ib/atomic-ack-eth.js';
export * from './ib/atomic-eth.js';
export * from './ib/bth.js';
export * from './ib/cnp.js';
export * from './ib/deth.js';
export { type ExtendedHeaders, ExtendedHeadersView } from './ib/extended.js';
export * from './ib/gid.js';
export * from './ib/grh.js';
export * from './ib/icrc.js';
export * from './ib/ieth.js';
export * from './ib/immediate.js';
export * from './ib/opcode.js';
export * from './ib/packet-kind.js';
export * from './ib/reth.js';
export * from './ib/srnic.js';
export { srnicOpcodeInfo } from './ib/srnic-opcode.js';
export * from './ip/address.js';
export * from './ip/arp.js';
export * from './ip/ethernet.js';
export * from './ip/ipv4.js';
export * from './ip/ipv6.js';
export * from './ip/neighbour.js';
export * from './ip/pfc.js';
export * from './ip/udp.js';
export {
  parseRoceDatagram,
  type ReceivedDatagram,
  type RoceBth,
  type RoceDatagram,
  RoceDatagramView,
  roceDatagramBytes,
} from './packet/datagram.js';
export * from './packet/packet.js';
export * from './packet/packet-view.js';
