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

/** An own IP address, as text was understood. */
export interface IpEndpoint {
  version: 4 | 6;
  /** In the form of a GID. */
  gid: Uint8Array;
  /** As text, without a zone. */
  text: string;
  /** Of a link-local address: the number of its interface, 0 elsewhere. */
  scopeId: number;
}

/** Reads an own address: `127.0.0.1`, `fd00::1`, `fe80::1%eth0`. */
export function parseEndpoint(address: string): IpEndpoint {
  try {
    if (!address.includes(':')) {
      const ipv4 = parseIpv4Address(address);
      return { version: 4, gid: gidFromIpv4(ipv4), text: formatIpv4Address(ipv4), scopeId: 0 };
    }
    const [text, zone] = address.split('%');
    const gid = parseIpv6Address(text);
    const scopeId = zone === undefined ? scopeOf(formatIpv6Address(gid)) : scopeOfZone(zone);
    return { version: 6, gid, text: formatIpv6Address(gid), scopeId };
  } catch (cause) {
    throw new KelpieError('LINK_BAD_ADDRESS', 'this is no address that a device can open on', {
      field: 'address',
      given: address,
      allowed: 'an IPv4 or IPv6 address of this machine, such as 127.0.0.1 or fe80::1%eth0',
      cause,
    });
  }
}

function scopeOfZone(zone: string): number {
  const number = Number(zone);
  if (Number.isInteger(number)) return number;
  for (const each of networkInterfaces()[zone] ?? []) {
    if (each.family === 'IPv6' && each.scopeid > 0) return each.scopeid;
  }
  throw new KelpieError('LINK_BAD_ADDRESS', 'there is no such interface', { field: 'address', given: zone });
}

/** The interface that has a link-local address. */
function scopeOf(text: string): number {
  for (const each of Object.values(networkInterfaces()).flat()) {
    if (each?.family === 'IPv6' && each.address === text) return each.scopeid;
  }
  return 0;
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
