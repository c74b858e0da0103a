import { KelpieError } from '../../../error.js';
import { type IpEndpoint, socketAddressBytes, writeSocketAddress } from './ip-endpoint.js';
import type { Libc } from './libc.js';
import {
  ADDRESS_ROOM_BYTES,
  AF_INET,
  AF_INET6,
  EADDRINUSE,
  EADDRNOTAVAIL,
  EPERM,
  IP_MTU_DISCOVER,
  IP_PMTUDISC_PROBE,
  IP_RECVTOS,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_MTU_DISCOVER,
  IPV6_RECVTCLASS,
  IPV6_V6ONLY,
  SO_RCVBUF,
  SO_RCVBUFFORCE,
  SO_SNDBUF,
  SO_SNDBUFFORCE,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_NONBLOCK,
  SOL_SOCKET,
  SOL_UDP,
  UDP_GRO,
  UDP_NO_CHECK6_RX,
  UDP_SEGMENT,
} from './socket-constants.js';

/** What to open. */
export interface UdpSocketOptions {
  endpoint: IpEndpoint;
  port: number;
  /** What to ask for; the system may grant less. */
  receiveBufferBytes: number;
  sendBufferBytes: number;
  /** Whether to use segmentation offload where the kernel has it. */
  segmentation: boolean;
}

/** A socket and which of the options it was granted. */
export interface UdpSocket {
  fd: number;
  /** IPv4 packets leave with identification 0 (IPv6 has none). */
  fixedIdentification: boolean;
  /** Datagrams with UDP checksum 0 are received over IPv6, as Linux' rxe sends them. */
  zeroChecksum: boolean;
  ecn: boolean;
  /** UDP_SEGMENT: runs of datagrams leave as one. */
  segmentation: boolean;
  /** UDP_GRO: runs of datagrams arrive as one. */
  coalescing: boolean;
  /** As the kernel counts, its own overhead included. */
  receiveBufferBytes: number;
  sendBufferBytes: number;
}

const value = new Int32Array(1);
const valueBytes = new Uint32Array(1);

/** Opens a UDP socket with the options that RoCEv2 needs; throws LINK_OPEN_FAILED where it cannot. */
export function openUdpSocket(libc: Libc, options: UdpSocketOptions): UdpSocket {
  const { endpoint, port } = options;
  const ipv4 = endpoint.version === 4;
  const fd = libc.socket(ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) throw openFailed(endpoint, port, libc.errno());
  const set = (level: number, name: number, to: number): boolean => {
    value[0] = to;
    return libc.setsockopt(fd, level, name, value, 4) === 0;
  };
  if (!ipv4) set(IPPROTO_IPV6, IPV6_V6ONLY, 1);
  const grow = (forced: number, asked: number, bytes: number): number => {
    // Only a privileged process may go beyond the system's limit (net.core.rmem_max, wmem_max).
    if (!set(SOL_SOCKET, forced, bytes)) set(SOL_SOCKET, asked, bytes);
    valueBytes[0] = 4;
    return libc.getsockopt(fd, SOL_SOCKET, asked, value, valueBytes) === 0 ? value[0] : 0;
  };
  const socket: UdpSocket = {
    fd,
    fixedIdentification: ipv4
      ? set(IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
      : set(IPPROTO_IPV6, IPV6_MTU_DISCOVER, IP_PMTUDISC_PROBE),
    zeroChecksum: ipv4 || set(SOL_UDP, UDP_NO_CHECK6_RX, 1),
    ecn: ipv4 ? set(IPPROTO_IP, IP_RECVTOS, 1) : set(IPPROTO_IPV6, IPV6_RECVTCLASS, 1),
    // Asked for with every run in a control message; here only whether the kernel knows it.
    segmentation: options.segmentation && set(SOL_UDP, UDP_SEGMENT, 0),
    coalescing: options.segmentation && set(SOL_UDP, UDP_GRO, 1),
    receiveBufferBytes: grow(SO_RCVBUFFORCE, SO_RCVBUF, options.receiveBufferBytes),
    sendBufferBytes: grow(SO_SNDBUFFORCE, SO_SNDBUF, options.sendBufferBytes),
  };
  const address = new Uint8Array(ADDRESS_ROOM_BYTES);
  writeSocketAddress(address, 0, endpoint.version, endpoint.gid, 0, port, endpoint.scopeId);
  if (libc.bind(fd, address, socketAddressBytes(endpoint.version)) !== 0) {
    const errno = libc.errno();
    libc.close(fd);
    throw openFailed(endpoint, port, errno);
  }
  return socket;
}

const MEANINGS: Readonly<Record<number, string>> = {
  [EADDRINUSE]: 'another process has that port on that address',
  [EADDRNOTAVAIL]: 'this machine does not have that address',
  [EPERM]: 'the system does not permit it',
};

function openFailed(endpoint: IpEndpoint, port: number, errno: number): KelpieError {
  return openError(endpoint.text, port, MEANINGS[errno] ?? `errno ${errno}`);
}

/** The error for a socket that cannot be opened. */
export function openError(address: string, port: number, meaning: string, cause?: unknown): KelpieError {
  return new KelpieError('LINK_OPEN_FAILED', `the socket cannot be opened: ${meaning}`, {
    field: 'address',
    given: `${address} port ${port}`,
    allowed: 'an address of this machine whose port is free',
    cause,
  });
}
