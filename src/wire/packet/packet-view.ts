import { type Refusal, refusal } from '../bytes/refusal.js';
import { NOTHING } from '../bytes/view.js';
import { computeIcrc, readIcrc } from '../ib/icrc.js';
import { ETHERTYPE_IPV4, ETHERTYPE_IPV6, EthernetView } from '../ip/ethernet.js';
import { checkIpv4, IPV4_BYTES, Ipv4View, PROTOCOL_UDP } from '../ip/ipv4.js';
import { IPV6_BYTES, Ipv6View } from '../ip/ipv6.js';
import { ROCE_PORT, UDP_BYTES, UdpView } from '../ip/udp.js';
import { RoceDatagramView } from './datagram.js';

const NOT_IP = refusal('ethernet', 'wrong-protocol');
const TYPE_AND_VERSION_DIFFER = refusal('ip', 'bad-version');
const NOT_UDP = refusal('ip', 'wrong-protocol');
const NOT_ROCE = refusal('udp', 'wrong-port');
const LENGTHS_DIFFER = refusal('udp', 'bad-length');
const EMPTY = refusal('ip', 'truncated');
const BAD_ICRC = refusal('icrc', 'bad-icrc');

/**
 * A checked view over a whole RoCEv2 packet: made once, pointed at packet after packet, allocates nothing.
 *
 * @example
 * const view = new RocePacketView();
 * if (view.wrapFrame(frame, 0, frame.length) === null && view.verifyIcrc() === null) {
 *   receive(view.datagram.bth.destinationQp, view.datagram.bth.psn);
 * }
 */
export class RocePacketView {
  readonly ethernet = new EthernetView();
  readonly ipv4 = new Ipv4View();
  readonly ipv6 = new Ipv6View();
  readonly udp = new UdpView();
  readonly datagram = new RoceDatagramView();
  /** 4 or 6: which of the two IP views points at the header. */
  ipVersion: 4 | 6 = 4;
  /** Where the IP header begins. */
  ipOffset = 0;
  #bytes = NOTHING;

  /** Points the view at an Ethernet frame, without its frame check sequence; bytes behind the IP packet are padding. */
  wrapFrame(bytes: Uint8Array, offset: number, end: number): Refusal | null {
    return this.#settle(this.#locateFrame(bytes, offset, end), bytes);
  }

  /** Points the view at an IP packet; bytes behind it are padding. */
  wrapIp(bytes: Uint8Array, offset: number, end: number): Refusal | null {
    this.ethernet.release();
    return this.#settle(this.#locateIp(bytes, offset, end), bytes);
  }

  /** Compares the ICRC with the packet. */
  verifyIcrc(): Refusal | null {
    const at = this.datagram.icrcOffset;
    return computeIcrc(this.#bytes, this.ipOffset, at) === readIcrc(this.#bytes, at) ? null : BAD_ICRC;
  }

  /** Points every view at nothing. */
  release(): void {
    this.ethernet.release();
    this.ipv4.release();
    this.ipv6.release();
    this.udp.release();
    this.datagram.release();
    this.#bytes = NOTHING;
  }

  #settle(refused: Refusal | null, bytes: Uint8Array): Refusal | null {
    if (refused === null) this.#bytes = bytes;
    else this.release();
    return refused;
  }

  #locateFrame(bytes: Uint8Array, offset: number, end: number): Refusal | null {
    const refused = this.ethernet.wrap(bytes, offset, end);
    if (refused !== null) return refused;
    const etherType = this.ethernet.etherType;
    if (etherType !== ETHERTYPE_IPV4 && etherType !== ETHERTYPE_IPV6) return NOT_IP;
    const wrong = this.#locateIp(bytes, offset + this.ethernet.headerBytes, end);
    if (wrong !== null) return wrong;
    return (etherType === ETHERTYPE_IPV4) === (this.ipVersion === 4) ? null : TYPE_AND_VERSION_DIFFER;
  }

  #locateIp(bytes: Uint8Array, offset: number, end: number): Refusal | null {
    if (!(offset >= 0 && offset < end && end <= bytes.length)) return EMPTY;
    this.ipOffset = offset;
    return bytes[offset] >>> 4 === 4
      ? this.#locateIpv4(bytes, offset, end)
      : this.#locateIpv6(bytes, offset, end);
  }

  #locateIpv4(bytes: Uint8Array, offset: number, end: number): Refusal | null {
    this.ipv6.release();
    this.ipVersion = 4;
    const refused = this.ipv4.wrap(bytes, offset, end) ?? checkIpv4(this.ipv4);
    if (refused !== null) return refused;
    if (this.ipv4.protocol !== PROTOCOL_UDP) return NOT_UDP;
    const udpBytes = this.ipv4.totalBytes - IPV4_BYTES;
    return this.#locateUdp(bytes, offset + IPV4_BYTES, udpBytes, this.ipv4.pseudoHeaderSum(udpBytes));
  }

  #locateIpv6(bytes: Uint8Array, offset: number, end: number): Refusal | null {
    this.ipv4.release();
    this.ipVersion = 6;
    const refused = this.ipv6.wrap(bytes, offset, end);
    if (refused !== null) return refused;
    if (this.ipv6.nextHeader !== PROTOCOL_UDP) return NOT_UDP;
    const udpBytes = this.ipv6.payloadBytes;
    return this.#locateUdp(bytes, offset + IPV6_BYTES, udpBytes, this.ipv6.pseudoHeaderSum(udpBytes));
  }

  #locateUdp(bytes: Uint8Array, offset: number, udpBytes: number, pseudoHeaderSum: number): Refusal | null {
    const end = offset + udpBytes;
    const refused = this.udp.wrap(bytes, offset, end);
    if (refused !== null) return refused;
    if (this.udp.totalBytes !== udpBytes) return LENGTHS_DIFFER;
    if (this.udp.destinationPort !== ROCE_PORT) return NOT_ROCE;
    return this.udp.verify(pseudoHeaderSum) ?? this.datagram.wrap(bytes, offset + UDP_BYTES, end);
  }
}
