/** Linux's numbers of the socket calls, as its headers have them; the same on every 64-bit machine of `loadLibc`. */

export const AF_INET = 2;
export const AF_INET6 = 10;
export const SOCK_DGRAM = 2;
export const SOCK_NONBLOCK = 0o4000;
export const SOCK_CLOEXEC = 0o2000000;
export const MSG_DONTWAIT = 0x40;
export const MSG_TRUNC = 0x20;

export const SOL_SOCKET = 1;
export const SO_SNDBUF = 7;
export const SO_RCVBUF = 8;
export const SO_SNDBUFFORCE = 32;
export const SO_RCVBUFFORCE = 33;

export const IPPROTO_IP = 0;
export const IP_TOS = 1;
export const IP_MTU_DISCOVER = 10;
export const IP_RECVTOS = 13;
/** Don't fragment, and do not believe path MTU messages: Linux then sends identification 0. */
export const IP_PMTUDISC_PROBE = 3;

export const IPPROTO_IPV6 = 41;
export const IPV6_MTU_DISCOVER = 23;
export const IPV6_V6ONLY = 26;
export const IPV6_RECVTCLASS = 66;
export const IPV6_TCLASS = 67;

export const SOL_UDP = 17;
export const UDP_NO_CHECK6_RX = 102;
export const UDP_SEGMENT = 103;
export const UDP_GRO = 104;

export const EPERM = 1;
export const EINTR = 4;
export const EIO = 5;
export const EAGAIN = 11;
export const EINVAL = 22;
export const EADDRINUSE = 98;
export const EADDRNOTAVAIL = 99;

/** Bytes of `struct mmsghdr`, `struct iovec` and of the room for an address. */
export const MMSGHDR_BYTES = 64;
export const IOVEC_BYTES = 16;
export const ADDRESS_ROOM_BYTES = 32;
export const SOCKADDR_IN_BYTES = 16;
export const SOCKADDR_IN6_BYTES = 28;
