import { crc32Update } from '../bytes/crc32.js';
import { IPV4_BYTES } from '../ip/ipv4.js';
import { IPV6_BYTES } from '../ip/ipv6.js';
import { UDP_BYTES } from '../ip/udp.js';
import { BTH_BYTES } from './bth.js';

/** Bytes of the invariant CRC that ends every RoCEv2 packet. */
export const ICRC_BYTES = 4;

/** The CRC's state after eight bytes of ones, which stand for the missing InfiniBand local header (IBTA annex A17.3.3). */
export const ICRC_START = 0xdebb20e3 | 0;

/** The byte of the BTH with FECN, BECN and reserved bits, which switches and hosts may change. */
const BTH_VARIANT = 4;
const UDP_CHECKSUM = 6;

const masked = new Uint8Array(IPV6_BYTES + UDP_BYTES + BTH_BYTES);

/**
 * The invariant CRC of a packet that begins with its IP header at `ipOffset` and whose ICRC stands at `icrcOffset`.
 *
 * Every field that may change on the way counts as ones: type of service, time to live and header checksum of IPv4;
 * traffic class, flow label and hop limit of IPv6; the UDP checksum; the BTH byte with FECN and BECN. The caller has
 * checked that IP, UDP and BTH lie before `icrcOffset`.
 */
export function computeIcrc(bytes: Uint8Array, ipOffset: number, icrcOffset: number): number {
  const ipBytes = bytes[ipOffset] >>> 4 === 4 ? IPV4_BYTES : IPV6_BYTES;
  return computeSplitIcrc(bytes, ipOffset, bytes, ipOffset + ipBytes + UDP_BYTES, icrcOffset);
}

/** As {@link computeIcrc}, with IP and UDP header in `head` and the rest, from the BTH on, in `body`. */
export function computeSplitIcrc(
  head: Uint8Array,
  ipOffset: number,
  body: Uint8Array,
  bthOffset: number,
  icrcOffset: number,
): number {
  const ipBytes = head[ipOffset] >>> 4 === 4 ? IPV4_BYTES : IPV6_BYTES;
  const headBytes = ipBytes + UDP_BYTES;
  for (let at = 0; at < headBytes; at += 1) masked[at] = head[ipOffset + at];
  for (let at = 0; at < BTH_BYTES; at += 1) masked[headBytes + at] = body[bthOffset + at];
  if (ipBytes === IPV4_BYTES) {
    masked[1] = 0xff;
    masked[8] = 0xff;
    masked[10] = 0xff;
    masked[11] = 0xff;
  } else {
    masked[0] |= 0x0f;
    masked[1] = 0xff;
    masked[2] = 0xff;
    masked[3] = 0xff;
    masked[7] = 0xff;
  }
  masked[ipBytes + UDP_CHECKSUM] = 0xff;
  masked[ipBytes + UDP_CHECKSUM + 1] = 0xff;
  masked[headBytes + BTH_VARIANT] = 0xff;
  const state = crc32Update(ICRC_START, masked, 0, headBytes + BTH_BYTES);
  return ~crc32Update(state, body, bthOffset + BTH_BYTES, icrcOffset) >>> 0;
}

/** Reads the ICRC at `at`: unlike every other field it is little-endian. */
export function readIcrc(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/** Writes an ICRC at `at`. */
export function writeIcrc(bytes: Uint8Array, at: number, icrc: number): void {
  bytes[at] = icrc;
  bytes[at + 1] = icrc >>> 8;
  bytes[at + 2] = icrc >>> 16;
  bytes[at + 3] = icrc >>> 24;
}
