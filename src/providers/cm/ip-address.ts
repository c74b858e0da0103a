import { VerbsError } from '../../verbs/index.js';
import { type Gid, gidFromIpv4, gidToIpv4 } from '../../wire/ib/gid.js';
import {
  formatIpv4Address,
  formatIpv6Address,
  parseIpv4Address,
  parseIpv6Address,
} from '../../wire/index.js';

/** The GID of an address in text: `10.0.0.2`, `fd00::1`, `fe80::1%eth0`, or a GID itself. */
export function gidOfAddress(address: string): Gid {
  try {
    return address.includes(':')
      ? parseIpv6Address(address.split('%')[0] as string)
      : gidFromIpv4(parseIpv4Address(address));
  } catch (cause) {
    throw new VerbsError('OUT_OF_RANGE', 'this is not an address to connect to', {
      field: 'address',
      given: address,
      allowed: 'an IPv4 or IPv6 address in text',
      cause,
    });
  }
}

/** The address that a GID stands for, in text. */
export function addressText(gid: Gid): string {
  const ipv4 = gidToIpv4(gid);
  return ipv4 === null ? formatIpv6Address(gid) : formatIpv4Address(ipv4);
}
