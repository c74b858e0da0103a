import type { SendWr } from '../../verbs/index.js';

/** Who moves what. */
export type QperfMotion =
  /** The client sends, the server receives. */
  | 'stream'
  /** Both send and receive. */
  | 'both'
  /** The client reads or changes the server's memory, which the server's program does not notice. */
  | 'asked'
  /** One message there, one back. */
  | 'ping-pong'
  /** The same by WRITEs that the other side finds by looking at its memory. */
  | 'polled';

/** One test of qperf. */
export interface QperfTest {
  motion: QperfMotion;
  opcode: Extract<
    SendWr['opcode'],
    | 'SEND'
    | 'RDMA_WRITE'
    | 'RDMA_WRITE_WITH_IMM'
    | 'RDMA_READ'
    | 'ATOMIC_CMP_AND_SWP'
    | 'ATOMIC_FETCH_AND_ADD'
  >;
  /** Bytes of a message unless set. */
  sizeBytes: number;
  /** Requests in flight. */
  depth: number;
  measure: 'bandwidth' | 'latency' | 'rate';
  /** What an atomic brings back is compared with what it must be. */
  verified?: true;
}

const DEPTH = 1024;
const ATOMIC_BYTES = 8;
const bandwidth = { measure: 'bandwidth', sizeBytes: 65_536, depth: DEPTH } as const;
const latency = { measure: 'latency', sizeBytes: 1, depth: 1 } as const;
const rate = { measure: 'rate', motion: 'asked', depth: DEPTH } as const;

/**
 * qperf's tests that exist over RoCE: those that can be connected by RDMA-CM, which are those of RC. The others name
 * their peer by LID alone.
 */
export const QPERF_TESTS = {
  rc_bi_bw: { ...bandwidth, motion: 'both', opcode: 'SEND' },
  rc_bw: { ...bandwidth, motion: 'stream', opcode: 'SEND' },
  rc_compare_swap_mr: { ...rate, sizeBytes: ATOMIC_BYTES, opcode: 'ATOMIC_CMP_AND_SWP' },
  rc_fetch_add_mr: { ...rate, sizeBytes: ATOMIC_BYTES, opcode: 'ATOMIC_FETCH_AND_ADD' },
  rc_lat: { ...latency, motion: 'ping-pong', opcode: 'SEND' },
  rc_rdma_read_bw: { ...bandwidth, motion: 'asked', opcode: 'RDMA_READ' },
  rc_rdma_read_lat: { ...latency, motion: 'asked', opcode: 'RDMA_READ' },
  rc_rdma_write_bw: { ...bandwidth, motion: 'stream', opcode: 'RDMA_WRITE_WITH_IMM' },
  rc_rdma_write_lat: { ...latency, motion: 'ping-pong', opcode: 'RDMA_WRITE_WITH_IMM' },
  rc_rdma_write_poll_lat: { ...latency, depth: DEPTH, motion: 'polled', opcode: 'RDMA_WRITE' },
  ver_rc_compare_swap: {
    ...{ ...rate, sizeBytes: 65_536, opcode: 'ATOMIC_CMP_AND_SWP' },
    verified: true,
  },
  ver_rc_fetch_add: {
    ...{ ...rate, sizeBytes: 65_536, opcode: 'ATOMIC_FETCH_AND_ADD' },
    verified: true,
  },
} as const satisfies Record<string, QperfTest>;

export type QperfTestName = keyof typeof QPERF_TESTS;

/** qperf's own list: a request names a test by its place here. Those that are left out are of sockets. */
const LIST: readonly (string | null)[] = [
  ...['conf', 'quit', ...Array.from({ length: 10 }, () => null), 'rc_bi_bw', 'rc_bw', 'rc_compare_swap_mr'],
  ...['rc_fetch_add_mr', 'rc_lat', 'rc_rdma_read_bw', 'rc_rdma_read_lat', 'rc_rdma_write_bw'],
  ...['rc_rdma_write_lat', 'rc_rdma_write_poll_lat', 'uc_bi_bw', 'uc_bw', 'uc_lat', 'uc_rdma_write_bw'],
  ...['uc_rdma_write_lat', 'uc_rdma_write_poll_lat', 'ud_bi_bw', 'ud_bw', 'ud_lat', 'ver_rc_compare_swap'],
  'ver_rc_fetch_add',
];

/** What is asked for by this number; null where qperf has nothing there, or a test of sockets. */
export function nameAt(index: number): string | null {
  return LIST[index] ?? null;
}

/** The number that asks for a test. */
export function indexOf(name: QperfTestName): number {
  return LIST.indexOf(name);
}

/** Whether a test is one of those that exist over RoCE. */
export function isServed(name: string): name is QperfTestName {
  return Object.hasOwn(QPERF_TESTS, name);
}
