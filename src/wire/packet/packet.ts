import { outOfRange, requireRoom } from '../bytes/field.js';
import { isRefusal, type Refusal, refusal } from '../bytes/refusal.js';
import { BTH_BYTES } from '../ib/bth.js';
import { computeIcrc, computeSplitIcrc, ICRC_BYTES, writeIcrc } from '../ib/icrc.js';
import {
  ETHERNET_BYTES,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  type Ethernet,
  emitEthernet,
  parseEthernet,
  VLAN_TAG_BYTES,
} from '../ip/ethernet.js';
import { emitIpv4, IPV4_BYTES, type Ipv4, Ipv4View, PROTOCOL_UDP, parseIpv4 } from '../ip/ipv4.js';
import { emitIpv6, IPV6_BYTES, type Ipv6, Ipv6View, parseIpv6 } from '../ip/ipv6.js';
import { emitUdp, ROCE_PORT, UDP_BYTES, UdpView } from '../ip/udp.js';
import { emitDatagramBody, parseDatagramView, type RoceDatagram, roceDatagramBytes } from './datagram.js';
import { RocePacketView } from './packet-view.js';

/** What an Ethernet header means inside a packet, whose type follows from the IP version. */
export type RoceLink = Omit<Ethernet, 'etherType'>;
/** What an IP header means inside a packet, whose protocol is UDP and whose length follows from the payload. */
export type RoceIp = Omit<Ipv4, 'protocol' | 'payloadBytes'> | Omit<Ipv6, 'nextHeader' | 'payloadBytes'>;

/** What a UDP header means inside a packet, whose destination port is 4791. */
export interface RoceUdp {
  sourcePort: number;
  /** Whether the sender computed the checksum; most send 0. */
  checksummed: boolean;
}

/** What a whole RoCEv2 packet means. */
export interface RocePacket extends RoceDatagram {
  /** The Ethernet header, null where the packet begins with IP. */
  link: RoceLink | null;
  ip: RoceIp;
  udp: RoceUdp;
}

/** How strictly to read. */
export interface ParseRoceOptions {
  /** Read packets with a wrong ICRC too, as an analyser of captures may want; refused by default. */
  ignoreIcrc?: boolean;
}

const OVERSIZED = refusal('roce', 'oversized');
const TRUNCATED = refusal('roce', 'truncated');
const LARGEST_LENGTH = 0xffff;
const reader = new RocePacketView();

/**
 * Reads a RoCEv2 packet from an Ethernet frame without its frame check sequence.
 *
 * @example
 * const packet = parseRocePacket(frame);
 * if (isRefusal(packet)) count(packet.header, packet.reason);
 * else console.log(packet.bth.psn, packet.payload.length);
 */
export function parseRocePacket(bytes: Uint8Array, options: ParseRoceOptions = {}): RocePacket | Refusal {
  return finish(reader.wrapFrame(bytes, 0, bytes.length), bytes, true, options);
}

/** Reads a RoCEv2 packet that begins with its IP header, as a TUN device or a raw socket hands it over. */
export function parseRoceIpPacket(bytes: Uint8Array, options: ParseRoceOptions = {}): RocePacket | Refusal {
  return finish(reader.wrapIp(bytes, 0, bytes.length), bytes, false, options);
}

function finish(
  refused: Refusal | null,
  bytes: Uint8Array,
  framed: boolean,
  options: ParseRoceOptions,
): RocePacket | Refusal {
  const wrong = refused ?? (options.ignoreIcrc === true ? null : reader.verifyIcrc());
  const packet = wrong ?? parsePacketView(reader, bytes, framed);
  reader.release();
  return packet;
}

/** Reads the meaning of a wrapped view over `bytes`; `framed` says whether it begins with an Ethernet header. */
export function parsePacketView(
  view: RocePacketView,
  bytes: Uint8Array,
  framed: boolean,
): RocePacket | Refusal {
  const link = framed ? parseLink(view) : null;
  if (isRefusal(link)) return link;
  const ip = view.ipVersion === 4 ? parseRoceIpv4(view.ipv4) : parseRoceIpv6(view.ipv6);
  if (isRefusal(ip)) return ip;
  const datagram = parseDatagramView(view.datagram, bytes);
  if (isRefusal(datagram)) return datagram;
  const udp = { sourcePort: view.udp.sourcePort, checksummed: view.udp.checksum !== 0 };
  return { link, ip, udp, ...datagram };
}

function parseLink(view: RocePacketView): RoceLink | Refusal {
  const ethernet = parseEthernet(view.ethernet);
  if (isRefusal(ethernet)) return ethernet;
  const { etherType: _, ...link } = ethernet;
  return link;
}

function parseRoceIpv4(view: Ipv4View): RoceIp | Refusal {
  const ipv4 = parseIpv4(view);
  if (isRefusal(ipv4)) return ipv4;
  const { protocol: _, payloadBytes: __, ...ip } = ipv4;
  return ip;
}

function parseRoceIpv6(view: Ipv6View): RoceIp | Refusal {
  const ipv6 = parseIpv6(view);
  if (isRefusal(ipv6)) return ipv6;
  const { nextHeader: _, payloadBytes: __, ...ip } = ipv6;
  return ip;
}

/** Bytes that {@link emitRocePacket} will write for a packet. */
export function rocePacketBytes(packet: RocePacket): number {
  return roceDatagramOffset(packet) + roceDatagramBytes(packet);
}

/** Where in an emitted packet the UDP payload begins, for those who send through a UDP socket. */
export function roceDatagramOffset(packet: RocePacket): number {
  return linkBytes(packet.link) + ipBytes(packet.ip) + UDP_BYTES;
}

function linkBytes(link: RoceLink | null): number {
  if (link === null) return 0;
  return link.tag === null ? ETHERNET_BYTES : ETHERNET_BYTES + VLAN_TAG_BYTES;
}

function ipBytes(ip: RoceIp): number {
  return ip.version === 4 ? IPV4_BYTES : IPV6_BYTES;
}

/** IPv4's length field counts its own header, IPv6's does not. */
function largestDatagramBytes(ip: RoceIp): number {
  return LARGEST_LENGTH - UDP_BYTES - (ip.version === 4 ? IPV4_BYTES : 0);
}

const ipv4Reader = new Ipv4View();
const ipv6Reader = new Ipv6View();
const udpWriter = new UdpView();

/**
 * Writes a whole packet with its lengths, checksums, pad and ICRC, and returns its bytes.
 *
 * @example
 * const bytes = new Uint8Array(rocePacketBytes(packet));
 * emitRocePacket(packet, bytes, 0);
 */
export function emitRocePacket(packet: RocePacket, bytes: Uint8Array, offset: number): number {
  const { link, ip, udp } = packet;
  const datagramBytes = roceDatagramBytes(packet);
  const excessBytes = datagramBytes - largestDatagramBytes(ip);
  if (excessBytes > 0) {
    outOfRange(
      'payload.length',
      packet.payload.length,
      `what fits the IP length; ${excessBytes} bytes too many`,
    );
  }
  requireRoom('the packet', bytes, offset, roceDatagramOffset(packet) + datagramBytes);
  let at = offset;
  if (link !== null) {
    const etherType = ip.version === 4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6;
    at += emitEthernet({ ...link, etherType }, bytes, at);
  }
  const ipOffset = at;
  at += emitIp(ip, UDP_BYTES + datagramBytes, bytes, at);
  const udpOffset = at;
  const { sourcePort } = udp;
  at += emitUdp(
    { sourcePort, destinationPort: ROCE_PORT, payloadBytes: datagramBytes, checksum: 0 },
    bytes,
    at,
  );
  const icrcOffset = emitDatagramBody(packet, bytes, at);
  // The ICRC comes first: it counts the UDP checksum as ones, while the checksum counts the ICRC as it is.
  writeIcrc(bytes, icrcOffset, computeIcrc(bytes, ipOffset, icrcOffset));
  const end = icrcOffset + ICRC_BYTES;
  if (udp.checksummed) sealUdp(ip.version, bytes, ipOffset, udpOffset, end);
  return end - offset;
}

function emitIp(ip: RoceIp, payloadBytes: number, bytes: Uint8Array, offset: number): number {
  return ip.version === 4
    ? emitIpv4({ ...ip, protocol: PROTOCOL_UDP, payloadBytes }, bytes, offset)
    : emitIpv6({ ...ip, nextHeader: PROTOCOL_UDP, payloadBytes }, bytes, offset);
}

function sealUdp(version: 4 | 6, bytes: Uint8Array, ipOffset: number, udpOffset: number, end: number): void {
  const ipView = version === 4 ? ipv4Reader : ipv6Reader;
  ipView.wrap(bytes, ipOffset, end);
  udpWriter.wrap(bytes, udpOffset, end);
  udpWriter.seal(ipView.pseudoHeaderSum(end - udpOffset));
  ipView.release();
  udpWriter.release();
}

/** Compares the ICRC of an Ethernet frame with its bytes: null where it holds, else why the frame is refused. */
export function verifyIcrc(frame: Uint8Array): Refusal | null {
  const refused = reader.wrapFrame(frame, 0, frame.length) ?? reader.verifyIcrc();
  reader.release();
  return refused;
}

const head = new Uint8Array(IPV6_BYTES + UDP_BYTES);

/**
 * The ICRC that a datagram from a UDP socket should carry, from the IP header that the receiver knows of it (the
 * fields that the ICRC masks may hold anything). Compare with the `icrc` of `parseRoceDatagram`.
 */
export function datagramIcrc(
  ip: RoceIp,
  sourcePort: number,
  bytes: Uint8Array,
  offset = 0,
  end = bytes.length,
): number | Refusal {
  const datagramBytes = end - offset;
  if (!(offset >= 0 && end <= bytes.length && datagramBytes >= BTH_BYTES + ICRC_BYTES)) return TRUNCATED;
  if (datagramBytes > largestDatagramBytes(ip)) return OVERSIZED;
  const udpOffset = emitIp(ip, UDP_BYTES + datagramBytes, head, 0);
  const udp = { sourcePort, destinationPort: ROCE_PORT, payloadBytes: datagramBytes, checksum: 0 };
  emitUdp(udp, head, udpOffset);
  return computeSplitIcrc(head, 0, bytes, offset, end - ICRC_BYTES);
}
