import { read16, read48, write16, write48 } from '../bytes/bytes.js';
import { addWords, fold } from '../bytes/checksum.js';
import { requireBits, requireBytes } from '../bytes/field.js';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { View } from '../bytes/view.js';
import { emitIpv6, IPV6_ADDRESS_BYTES, IPV6_BYTES, Ipv6View } from './ipv6.js';

/** The next header of ICMPv6. */
export const NEXT_HEADER_ICMPV6 = 58;
/** A neighbour message is only believed with this hop limit, which no router can have passed on (RFC 4861 §7.1). */
export const NEIGHBOUR_HOP_LIMIT = 255;
/** Bytes of IPv6 header, neighbour message and its link-layer address option. */
export const NEIGHBOUR_BYTES = IPV6_BYTES + 32;

const SOLICITATION = 135;
const ADVERTISEMENT = 136;
const MESSAGE_BYTES = 24;
const SOURCE_LINK_ADDRESS = 1;
const TARGET_LINK_ADDRESS = 2;
const SOLICITED_OVERRIDE = 0x60;

const NOT_ICMP = refusal('neighbour', 'wrong-protocol');
const TRUNCATED = refusal('neighbour', 'truncated');
const BAD_HOP_LIMIT = refusal('neighbour', 'bad-field');
const BAD_CHECKSUM = refusal('neighbour', 'bad-checksum');
const UNKNOWN_KIND = refusal('neighbour', 'unknown-kind');
const BAD_OPTION = refusal('neighbour', 'bad-length');

/** A question for the MAC of an IPv6 address, or the answer (RFC 4861 §4.3 and §4.4), with its IPv6 header. */
export interface Neighbour {
  kind: 'solicitation' | 'advertisement';
  source: Uint8Array;
  destination: Uint8Array;
  /** The address that is asked for or told about. */
  target: Uint8Array;
  /** The link-layer address that the message tells: of its sender, or of the target; null where it tells none. */
  mac: number | null;
}

/** A checked view over an IPv6 packet with a neighbour message. */
export class NeighbourView extends View {
  private readonly ip = new Ipv6View();

  constructor() {
    super('neighbour', IPV6_BYTES + MESSAGE_BYTES);
  }

  protected override check(): Refusal | null {
    const { ip, bytes, offset } = this;
    const refused = ip.wrap(bytes, offset, this.end);
    if (refused !== null) return refused;
    const { nextHeader, payloadBytes, hopLimit } = ip;
    const sum = nextHeader === NEXT_HEADER_ICMPV6 ? ip.pseudoHeaderSum(payloadBytes) : 0;
    ip.release();
    if (nextHeader !== NEXT_HEADER_ICMPV6) return NOT_ICMP;
    const kind = bytes[offset + IPV6_BYTES];
    if (kind !== SOLICITATION && kind !== ADVERTISEMENT) return UNKNOWN_KIND;
    if (payloadBytes < MESSAGE_BYTES) return TRUNCATED;
    if (hopLimit !== NEIGHBOUR_HOP_LIMIT) return BAD_HOP_LIMIT;
    const from = offset + IPV6_BYTES;
    return fold(addWords(sum, bytes, from, from + payloadBytes)) === 0xffff ? null : BAD_CHECKSUM;
  }

  /** What the message says; refused where an option runs over its end. */
  read(): Neighbour | Refusal {
    const { bytes, offset } = this;
    const from = offset + IPV6_BYTES;
    const end = from + read16(bytes, offset + 4);
    const solicitation = bytes[from] === SOLICITATION;
    let mac: number | null = null;
    for (let at = from + MESSAGE_BYTES; at < end; ) {
      const optionBytes = at + 1 < end ? 8 * bytes[at + 1] : 0;
      if (optionBytes === 0 || at + optionBytes > end) return BAD_OPTION;
      if (bytes[at] === (solicitation ? SOURCE_LINK_ADDRESS : TARGET_LINK_ADDRESS) && optionBytes === 8)
        mac = read48(bytes, at + 2);
      at += optionBytes;
    }
    const addressAt = (at: number) => bytes.slice(at, at + IPV6_ADDRESS_BYTES);
    return {
      kind: solicitation ? 'solicitation' : 'advertisement',
      source: addressAt(offset + 8),
      destination: addressAt(offset + 24),
      target: addressAt(from + 8),
      mac,
    };
  }
}

/** Reads the meaning of a wrapped view. */
export function parseNeighbour(view: NeighbourView): Neighbour | Refusal {
  return view.read();
}

const ip = new Ipv6View();

/** Writes the IPv6 packet of a neighbour message and returns its bytes. */
export function emitNeighbour(message: Neighbour, bytes: Uint8Array, offset: number): number {
  requireBytes('neighbour.target', message.target, IPV6_ADDRESS_BYTES);
  if (message.mac !== null) requireBits('neighbour.mac', message.mac, 48);
  const payloadBytes = MESSAGE_BYTES + (message.mac === null ? 0 : 8);
  const { source, destination } = message;
  const from =
    offset +
    emitIpv6(
      {
        version: 6,
        source,
        destination,
        dscp: 0,
        ecn: 0,
        flowLabel: 0,
        hopLimit: NEIGHBOUR_HOP_LIMIT,
        nextHeader: NEXT_HEADER_ICMPV6,
        payloadBytes,
      },
      bytes,
      offset,
    );
  const solicitation = message.kind === 'solicitation';
  bytes.fill(0, from, from + payloadBytes);
  bytes[from] = solicitation ? SOLICITATION : ADVERTISEMENT;
  if (!solicitation) bytes[from + 4] = SOLICITED_OVERRIDE;
  bytes.set(message.target, from + 8);
  if (message.mac !== null) {
    bytes[from + MESSAGE_BYTES] = solicitation ? SOURCE_LINK_ADDRESS : TARGET_LINK_ADDRESS;
    bytes[from + MESSAGE_BYTES + 1] = 1;
    write48(bytes, from + MESSAGE_BYTES + 2, message.mac);
  }
  ip.wrap(bytes, offset, from + payloadBytes);
  const sum = ip.pseudoHeaderSum(payloadBytes);
  ip.release();
  write16(bytes, from + 2, ~fold(addWords(sum, bytes, from, from + payloadBytes)) & 0xffff);
  return IPV6_BYTES + payloadBytes;
}

/** The multicast group that everybody with this address listens to (RFC 4291 §2.7.1). */
export function solicitedNodeAddress(address: Uint8Array): Uint8Array {
  const group = new Uint8Array(IPV6_ADDRESS_BYTES);
  group.set([0xff, 0x02]);
  group.set([0x01, 0xff, address[13], address[14], address[15]], 11);
  return group;
}

/** The MAC address of a multicast group (RFC 2464 §7). */
export function multicastMac(address: Uint8Array): number {
  return 0x3333_0000_0000 + address[12] * 2 ** 24 + (address[13] << 16) + (address[14] << 8) + address[15];
}
