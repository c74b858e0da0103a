import { allZero, read32, write16, write24, write32 } from '../bytes/bytes.js';
import { requireBits, requireBytes } from '../bytes/field.js';
import { addressGroups, formatIpv6Address, parseIpv6Address } from '../ip/address.js';

/** Bytes of a global identifier. */
export const GID_BYTES = 16;

/** A global identifier: the 16 bytes of an IPv6 address (IBTA volume 1, 4.1; annex A17.4 for RoCEv2). */
export type Gid = Uint8Array;

/** What a GID stands for: an IPv4 address, a link-local address, another IPv6 address, or nothing (all zero). */
export type GidKind = 'ipv4-mapped' | 'link-local' | 'ipv6' | 'unset';

/** What a GID stands for. */
export function gidKind(gid: Gid): GidKind {
  requireBytes('gid', gid, GID_BYTES);
  if (allZero(gid, 0, GID_BYTES)) return 'unset';
  if (gid[0] === 0xfe && (gid[1] & 0xc0) === 0x80) return 'link-local';
  return gidToIpv4(gid) === null ? 'ipv6' : 'ipv4-mapped';
}

/** The GID of an IPv4 address, `::ffff:a.b.c.d`, as RoCEv2 maps it. */
export function gidFromIpv4(address: number): Gid {
  requireBits('ipv4', address, 32);
  const gid = new Uint8Array(GID_BYTES);
  write16(gid, 10, 0xffff);
  write32(gid, 12, address);
  return gid;
}

/** The IPv4 address that a GID maps, null where it maps none. */
export function gidToIpv4(gid: Gid): number | null {
  requireBytes('gid', gid, GID_BYTES);
  return allZero(gid, 0, 10) && gid[10] === 0xff && gid[11] === 0xff ? read32(gid, 12) : null;
}

/** The link-local GID of a MAC address: `fe80::` and its modified EUI-64 (RFC 4291 appendix A). */
export function gidFromMac(mac: number): Gid {
  requireBits('mac', mac, 48);
  const gid = new Uint8Array(GID_BYTES);
  write16(gid, 0, 0xfe80);
  write24(gid, 8, Math.floor(mac / 0x100_0000) ^ 0x02_0000);
  write16(gid, 11, 0xfffe);
  write24(gid, 13, mac % 0x100_0000);
  return gid;
}

/** Whether two GIDs are the same. */
export function sameGid(one: Gid, other: Gid): boolean {
  for (let at = 0; at < GID_BYTES; at += 1) if (one[at] !== other[at]) return false;
  return one.length === GID_BYTES && other.length === GID_BYTES;
}

/**
 * Reads a GID in any textual form of an IPv6 address.
 *
 * @example
 * gidToIpv4(parseGid('0000:0000:0000:0000:0000:ffff:0a4d:0002')) // 10.77.0.2
 */
export function parseGid(text: string): Gid {
  return parseIpv6Address(text);
}

/** Writes a GID with all its digits, as Linux' sysfs and rdma-core's tools do. */
export function formatGid(gid: Gid): string {
  requireBytes('gid', gid, GID_BYTES);
  return addressGroups(gid)
    .map((group) => group.toString(16).padStart(4, '0'))
    .join(':');
}

/** Writes a GID in the short form of RFC 5952. */
export function formatGidShort(gid: Gid): string {
  requireBytes('gid', gid, GID_BYTES);
  return formatIpv6Address(gid);
}
