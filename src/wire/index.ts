/**
 * Every byte of RoCEv2 that the transports need.
 *
 * Each header has two types: a checked view over bytes (`BthView`), which is pointed at one packet after another and
 * allocates nothing, and a meaning (`Bth`), a plain object with `parse` and `emit`. Decoding never throws: it returns
 * a {@link Refusal}. If a meaning can be emitted it parses back to the same meaning; one that does not fit the wire
 * is refused with a `KelpieError` when it is emitted.
 *
 * @example
 * const bytes = new Uint8Array(rocePacketBytes(packet));
 * emitRocePacket(packet, bytes, 0);
 * const same = parseRocePacket(bytes);
 * if (isRefusal(same)) console.log(`refused, ${same}`);
 */
export * from './address.js';
export * from './aeth.js';
export * from './arp.js';
export * from './atomic-ack-eth.js';
export * from './atomic-eth.js';
export * from './bth.js';
export * from './cm/index.js';
export * from './cnp.js';
export * from './crc32.js';
export {
  parseRoceDatagram,
  type ReceivedDatagram,
  type RoceBth,
  type RoceDatagram,
  RoceDatagramView,
  roceDatagramBytes,
} from './datagram.js';
export * from './deth.js';
export * from './ethernet.js';
export { type ExtendedHeaders, ExtendedHeadersView } from './extended.js';
export * from './gid.js';
export * from './grh.js';
export * from './icrc.js';
export * from './ieth.js';
export * from './immediate.js';
export * from './ipv4.js';
export * from './ipv6.js';
export * from './neighbour.js';
export * from './opcode.js';
export * from './packet.js';
export * from './packet-view.js';
export * from './pcapng.js';
export * from './pcapng-reader.js';
export * from './pfc.js';
export * from './refusal.js';
export * from './reth.js';
export * from './srnic.js';
export * from './udp.js';
export { View } from './view.js';
