import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import type { IpEndpoint } from './ip-endpoint.js';
import { MAX_DATAGRAM_BYTES } from './link-options.js';

/** What every Ethernet carries. */
const ETHERNET_MTU = 1500;
const LOOPBACK_MTU = 65536;
const IPV4_UDP_BYTES = 28;
const IPV6_UDP_BYTES = 48;

/** The longest datagram, from BTH to ICRC, that leaves the interface of an address in one piece. */
export function longestDatagram(endpoint: IpEndpoint): number {
  const around = endpoint.version === 4 ? IPV4_UDP_BYTES : IPV6_UDP_BYTES;
  return Math.min(MAX_DATAGRAM_BYTES, interfaceMtu(endpoint) - around);
}

function interfaceMtu({ text }: IpEndpoint): number {
  for (const [name, addresses] of Object.entries(networkInterfaces())) {
    for (const { address, internal } of addresses ?? []) {
      const loopback = internal && address.startsWith('127.') && text.startsWith('127.');
      if (address !== text && !loopback) continue;
      return mtuOf(name) ?? (internal ? LOOPBACK_MTU : ETHERNET_MTU);
    }
  }
  return ETHERNET_MTU;
}

/** Linux tells; other systems would need a system call. */
function mtuOf(name: string): number | null {
  try {
    const mtu = Number(readFileSync(`/sys/class/net/${name}/mtu`, 'utf8'));
    return Number.isInteger(mtu) && mtu > 0 ? mtu : null;
  } catch {
    return null;
  }
}
