import { networkInterfaces } from 'node:os';
import { KelpieError } from '../../../error.js';
import {
  formatIpv4Address,
  formatIpv6Address,
  gidFromIpv4,
  parseIpv4Address,
  parseIpv6Address,
} from '../../../wire/index.js';
import { AF_INET, AF_INET6, SOCKADDR_IN_BYTES, SOCKADDR_IN6_BYTES } from './socket-constants.js';

/** 224.0.0.0; behind the groups come addresses that nobody has, and the broadcast. */
const FIRST_IPV4_GROUP = 0xe000_0000;
/** The first byte of ff00::/8. */
const IPV6_GROUPS = 0xff;

/** An own IP address, as text was understood. */
export interface IpEndpoint {
  version: 4 | 6;
  /** In the form of a GID. */
  gid: Uint8Array;
  /** As text, without a zone. */
  text: string;
  /** Of a link-local address: the number and the name of its interface; 0 and '' elsewhere. */
  scopeId: number;
  zone: string;
}

/** Reads an own address: `127.0.0.1`, `fd00::1`, `fe80::1%eth0`. */
export function parseEndpoint(address: string): IpEndpoint {
  try {
    const gid = gidOfText(address);
    if (!address.includes(':')) {
      const ipv4 = parseIpv4Address(address);
      if (ipv4 === 0 || ipv4 >= FIRST_IPV4_GROUP) throw notOneStation(address);
      return { version: 4, gid, text: formatIpv4Address(ipv4), scopeId: 0, zone: '' };
    }
    if (gid[0] === IPV6_GROUPS || gid.every((byte) => byte === 0)) throw notOneStation(address);
    const text = formatIpv6Address(gid);
    return { version: 6, gid, text, ...scopeOf(text, address.split('%')[1]) };
  } catch (cause) {
    throw new KelpieError('LINK_BAD_ADDRESS', 'a device cannot open on this address', {
      field: 'address',
      given: address,
      allowed: 'an IPv4 or IPv6 address of this machine, such as 127.0.0.1 or fe80::1%eth0',
      cause,
    });
  }
}

/**
 * The GID of an address in text, of which a zone is no part. Whoever sends from a link-local address names our interface,
 * which may have no such address itself: that is for {@link parseEndpoint} to refuse, and not here.
 */
export function gidOfText(address: string): Uint8Array {
  return address.includes(':')
    ? parseIpv6Address(address.split('%')[0])
    : gidFromIpv4(parseIpv4Address(address));
}

function notOneStation(address: string): Error {
  return new Error(`${address} is nobody, or a group`);
}

/** The interface of a link-local address: the one that is named, by name or number, or the one that has the address. */
function scopeOf(text: string, zone: string | undefined): { scopeId: number; zone: string } {
  for (const [name, addresses] of Object.entries(networkInterfaces())) {
    for (const each of addresses ?? []) {
      if (each.family !== 'IPv6' || each.scopeid === 0) continue;
      const meant = zone === undefined ? each.address === text : zone === name || zone === `${each.scopeid}`;
      if (meant) return { scopeId: each.scopeid, zone: name };
    }
  }
  if (zone === undefined) return { scopeId: 0, zone: '' };
  throw new KelpieError('LINK_BAD_ADDRESS', 'there is no such interface', { field: 'address', given: zone });
}

/** Bytes of a socket address of an IP version. */
export function socketAddressBytes(version: 4 | 6): number {
  return version === 4 ? SOCKADDR_IN_BYTES : SOCKADDR_IN6_BYTES;
}

/** Writes a `struct sockaddr_in` or `sockaddr_in6` from the sixteen bytes of a GID. */
export function writeSocketAddress(
  into: Uint8Array,
  at: number,
  version: 4 | 6,
  gid: Uint8Array,
  gidAt: number,
  port: number,
  scopeId: number,
): void {
  into[at] = version === 4 ? AF_INET : AF_INET6;
  into[at + 1] = 0;
  into[at + 2] = port >>> 8;
  into[at + 3] = port & 0xff;
  if (version === 4) {
    for (let byte = 0; byte < 4; byte++) into[at + 4 + byte] = gid[gidAt + 12 + byte];
    for (let byte = 8; byte < SOCKADDR_IN_BYTES; byte++) into[at + byte] = 0;
    return;
  }
  for (let byte = 4; byte < 8; byte++) into[at + byte] = 0;
  for (let byte = 0; byte < 16; byte++) into[at + 8 + byte] = gid[gidAt + byte];
  for (let byte = 0; byte < 4; byte++) into[at + 24 + byte] = (scopeId >>> (8 * byte)) & 0xff;
}
