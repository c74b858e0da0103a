/** Bytes that others computed or captured, as the tests' yardstick. */

/** Reads hexadecimal digits, spaces ignored. */
export function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.replaceAll(/\s/g, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Writes hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A whole RoCEv2 frame. */
export interface GoldenFrame {
  name: string;
  frame: string;
}

/** A CNP that a ConnectX-4 Lx sent: test/contrib/roce.uts of scapy, 'RoCE CNP captured on ConnectX-4 Lx'. */
export const CNP_FRAME = `e41d2dab2bc2 7cfe90643b32 0800
  45c2 003c 718c 4000 4011 9161 0a001101 0a001201  0000 12b7 0028 0000
  81 00 ffff 40 000118 00 000000  0000000000000000 0000000000000000  82fd002a`;

/** A UC SEND over IPv4: fields, checksums and ICRC from test/contrib/roce.uts of scapy, 'RoCE layer'. */
export const UC_SEND_IPV4_FRAME = `248a07a8fa22 248a07a8fa22 0800
  4501 0040 0478 4000 4011 b4d5 c0a80007 c0a80007  c000 12b7 002c aca2
  24 60 ffff 00 0000d3 00 cf1710  4630818be28935d90e9a95505401be885e50 0000  78f353f3`;

/** The same SEND over IPv6: fields, checksum and ICRC from test/contrib/roce.uts of scapy, 'RoCE over IPv6'. */
export const UC_SEND_IPV6_FRAME = `248a07a8fa22 248a07a8fa22 86dd
  6e21face 002c 11 ff 20220000000000000000000000001023 20230000000000000000000000001024
  c000 12b7 002c e7c5
  24 60 ffff 00 0000d3 00 cf1710  4630818be28935d90e9a95505401be885e50 0000  3e5b743b`;

/** A WRITE as captured from a driver: the packet codec tests of RoomSoC, 'real icrc matches driver capture'. */
export const RC_WRITE_FRAME = `123456789abc 7cb27d62c1ef 0800
  4500 004c 0001 0000 4011 f54c c0a80201 c0a80202  01f4 12b7 0038 ffa6
  0a 00 ffff 00 000002 00 000000  0000000000001230 00000000 00000010
  000102030405060708090a0b0c0d0e0f  ca47470e`;

/** A READ request of the same driver, from the same tests. */
export const RC_READ_FRAME = `123456789abc 7cb27d62c1ef 0800
  4500 003c 0001 0000 4011 f55c c0a80201 c0a80202  01f4 12b7 0028 6763
  0c 00 ffff 00 000002 00 000000  0000000000001230 00000000 00000010  6e0f71ea`;

/** Every golden frame. */
export const GOLDEN_FRAMES: readonly GoldenFrame[] = [
  { name: 'a CNP of a ConnectX-4 Lx', frame: CNP_FRAME },
  { name: 'a UC SEND over IPv4', frame: UC_SEND_IPV4_FRAME },
  { name: 'a UC SEND over IPv6', frame: UC_SEND_IPV6_FRAME },
  { name: 'an RC WRITE', frame: RC_WRITE_FRAME },
  { name: 'an RC READ request', frame: RC_READ_FRAME },
];

/**
 * Two RoCEv1 captures, from a Mellanox adapter by their MAC addresses (test/contrib/roce.uts of scapy, 'RoCE v1 RC RDMA WRITE ONLY' and 'RoCE v1 RC
 * ACKNOWLEDGE'), from the GRH on: they share GRH, BTH, RETH and AETH with RoCEv2.
 */
export const ROCE_V1_WRITE = `60200000 0028 1b 40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002
  0a 70 ffff 00 00010a 80 a788bc  000055d4c0726000 000047b3 00000005  0000000001 000000  e3d856bb`;
export const ROCE_V1_ACK = `60200000 0014 1b 40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002
  11 40 ffff 00 000109 00 a788c0  00 000005  25f0c038`;
