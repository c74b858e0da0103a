import { KelpieError } from '../../error.js';

/** Textual forms of the addresses that headers carry as numbers or bytes. */

const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i;
const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;

function badAddress(field: string, given: string, allowed: string): never {
  throw new KelpieError('WIRE_BAD_ADDRESS', 'the text is not an address', { field, given, allowed });
}

/** Reads `02:00:00:00:00:01` as a 48-bit number. */
export function parseMac(text: string): number {
  if (!MAC.test(text)) badAddress('mac', text, 'six pairs of hexadecimal digits with colons');
  return Number.parseInt(text.replaceAll(':', ''), 16);
}

/** Writes a 48-bit number as `02:00:00:00:00:01`. */
export function formatMac(mac: number): string {
  return (mac.toString(16).padStart(12, '0').match(/../g) as string[]).join(':');
}

/** Reads `10.0.0.1` as a 32-bit number. */
export function parseIpv4Address(text: string): number {
  const parts = IPV4.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) {
    badAddress('ipv4', text, 'four numbers from 0 to 255 with dots');
  }
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

/** Writes a 32-bit number as `10.0.0.1`. */
export function formatIpv4Address(address: number): string {
  return [address >>> 24, (address >>> 16) & 0xff, (address >>> 8) & 0xff, address & 0xff].join('.');
}

/** Reads an IPv6 address in any form of RFC 4291 §2.2 (compressed, mixed with dotted IPv4) as 16 bytes. */
export function parseIpv6Address(text: string): Uint8Array {
  const halves = text.split('::');
  const front = readGroups(text, halves[0], halves.length === 1);
  const back = halves.length === 2 ? readGroups(text, halves[1], true) : [];
  const missing = 8 - front.length - back.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) badIpv6(text);
  const bytes = new Uint8Array(16);
  [...front, ...new Array<number>(missing).fill(0), ...back].forEach((group, index) => {
    bytes[2 * index] = group >>> 8;
    bytes[2 * index + 1] = group;
  });
  return bytes;
}

function badIpv6(text: string): never {
  badAddress('ipv6', text, 'eight groups of hexadecimal digits, `::` at most once');
}

function readGroups(text: string, part: string, mayEndInIpv4: boolean): number[] {
  if (part === '') return [];
  const pieces = part.split(':');
  return pieces.flatMap((piece, index) => {
    if (mayEndInIpv4 && index === pieces.length - 1 && IPV4.test(piece)) {
      const address = parseIpv4Address(piece);
      return [address >>> 16, address & 0xffff];
    }
    if (!GROUP.test(piece)) badIpv6(text);
    return [Number.parseInt(piece, 16)];
  });
}

/** The eight 16-bit groups of an IPv6 address or GID. */
export function addressGroups(bytes: Uint8Array): number[] {
  return Array.from({ length: 8 }, (_, index) => (bytes[2 * index] << 8) | bytes[2 * index + 1]);
}

/** Writes 16 bytes in the canonical form of RFC 5952; IPv4-mapped addresses as `::ffff:10.0.0.1`. */
export function formatIpv6Address(bytes: Uint8Array): string {
  const groups = addressGroups(bytes);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return `::ffff:${formatIpv4Address(((groups[6] << 16) | groups[7]) >>> 0)}`;
  }
  const [start, length] = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

/** The first of the longest runs of zero groups, as start and length. */
function longestZeroRun(groups: readonly number[]): [number, number] {
  let best: [number, number] = [0, 0];
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best[1]) best = [start, length];
  }
  return best;
}
