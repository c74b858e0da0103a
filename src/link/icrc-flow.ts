import { crc32Update } from '../wire/bytes/crc32.js';
import { ICRC_BYTES, ICRC_START } from '../wire/ib/icrc.js';
import { IPV4_BYTES, PROTOCOL_UDP } from '../wire/ip/ipv4.js';
import { IPV6_BYTES } from '../wire/ip/ipv6.js';
import { UDP_BYTES } from '../wire/ip/udp.js';
import { SENT_FRAGMENT_WORD } from './link.js';

/** Runs bytes through a CRC-32; takes and returns the raw state, as wire's `crc32Update` does. */
export type CrcUpdate = (state: number, bytes: Uint8Array, from: number, to: number) => number;

/** The byte of the BTH with FECN, BECN and reserved bits. */
const BTH_VARIANT = 4;
const MAPPED_PREFIX_BYTES = 12;

/**
 * The IP and UDP headers of one flow as its ICRCs see them, variant fields masked: what is the same from packet to
 * packet is run through the CRC once and not again while the length stays.
 *
 * The IPv4 identification counts as 0 and the flags as 'don't fragment', as Kelpie sends them; a packet with another
 * identification differs by {@link IdentificationBasis}.
 *
 * @example
 * const flow = new IcrcFlow(4791, crc32Update);
 * flow.set(ownGid, peerGid, 4791);
 * writeIcrc(bytes, icrcOffset, flow.icrcOf(bytes, bthOffset, icrcOffset));
 */
export class IcrcFlow {
  private readonly port: number;
  private readonly crc: CrcUpdate;
  private readonly head = new Uint8Array(IPV6_BYTES + UDP_BYTES);
  private headBytes = 0;
  private ipBytes = 0;
  private cachedBytes = -1;
  private cachedState = 0;
  /** The UDP source port. */
  sourcePort = 0;

  constructor(port: number, crc: CrcUpdate) {
    this.port = port;
    this.crc = crc;
  }

  /** Whether the flow is IPv4's; meaningless before {@link IcrcFlow.set}. */
  get isIpv4(): boolean {
    return this.ipBytes === IPV4_BYTES;
  }

  /** Names the flow: two GIDs, both IPv4-mapped or neither, and the source port. */
  set(source: Uint8Array, destination: Uint8Array, sourcePort: number): void {
    const { head } = this;
    const mapped = isMapped(source);
    this.ipBytes = mapped ? IPV4_BYTES : IPV6_BYTES;
    this.headBytes = this.ipBytes + UDP_BYTES;
    head.fill(0xff);
    if (mapped) {
      head[0] = 0x45;
      head[4] = 0;
      head[5] = 0;
      head[6] = (SENT_FRAGMENT_WORD >>> 8) & 0xff;
      head[7] = SENT_FRAGMENT_WORD & 0xff;
      head[9] = PROTOCOL_UDP;
      head.set(source.subarray(MAPPED_PREFIX_BYTES, 16), 12);
      head.set(destination.subarray(MAPPED_PREFIX_BYTES, 16), 16);
    } else {
      head[0] = 0x6f;
      head[6] = PROTOCOL_UDP;
      head.set(source.subarray(0, 16), 8);
      head.set(destination.subarray(0, 16), 24);
    }
    head[this.ipBytes + 2] = this.port >>> 8;
    head[this.ipBytes + 3] = this.port & 0xff;
    this.setSourcePort(sourcePort);
  }

  /** Changes the source port alone. */
  setSourcePort(sourcePort: number): void {
    this.sourcePort = sourcePort;
    this.head[this.ipBytes] = sourcePort >>> 8;
    this.head[this.ipBytes + 1] = sourcePort & 0xff;
    this.cachedBytes = -1;
  }

  /** The ICRC of the datagram whose BTH is at `offset` and whose ICRC belongs at `icrcOffset`. */
  icrcOf(bytes: Uint8Array, offset: number, icrcOffset: number): number {
    const datagramBytes = icrcOffset + ICRC_BYTES - offset;
    if (datagramBytes !== this.cachedBytes) this.prepare(datagramBytes);
    // One run over everything costs less than a copy of the BTH; its variant byte is put back at once.
    const variant = bytes[offset + BTH_VARIANT];
    bytes[offset + BTH_VARIANT] = 0xff;
    const state = this.crc(this.cachedState, bytes, offset, icrcOffset);
    bytes[offset + BTH_VARIANT] = variant;
    return ~state >>> 0;
  }

  private prepare(datagramBytes: number): void {
    const { head, ipBytes } = this;
    const udpBytes = UDP_BYTES + datagramBytes;
    const ipLength = this.isIpv4 ? IPV4_BYTES + udpBytes : udpBytes;
    const at = this.isIpv4 ? 2 : 4;
    head[at] = ipLength >>> 8;
    head[at + 1] = ipLength & 0xff;
    head[ipBytes + 4] = udpBytes >>> 8;
    head[ipBytes + 5] = udpBytes & 0xff;
    this.cachedBytes = datagramBytes;
    this.cachedState = crc32Update(ICRC_START, head, 0, this.headBytes);
  }
}

/** Whether the sixteen bytes at `at` are an IPv4 address in the form of a GID. */
export function isMapped(gid: Uint8Array, at = 0): boolean {
  for (let byte = 0; byte < 10; byte++) if (gid[at + byte] !== 0) return false;
  return gid[at + 10] === 0xff && gid[at + 11] === 0xff;
}
