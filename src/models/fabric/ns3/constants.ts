import type { ControlSpec } from '../../../transport/congestion/rates/control-spec.js';

/** `CC_MODE` of the controls. */
export const DCQCN_MODE = 1;
export const HPCC_MODE = 3;
export const TIMELY_MODE = 7;
export const DCTCP_MODE = 8;

/** PPP 14, IPv4 20, UDP 8, sequence number and class 6. */
export const BASE_HEADER_BYTES = 48;
/** Header bytes beside the base: TIMELY's time stamp, and HPCC's telemetry of 5 hops and their count. */
const EXTRA_HEADER_BYTES: Partial<Record<ControlSpec['kind'], number>> = { timely: 8, hpcc: 42 };
/** Acknowledgements are padded to 60; HPCC's carry the telemetry back. */
const ACK_BYTES = 60;
const HPCC_ACK_BYTES = 88;
/** The class that holds a host's acknowledgements unless they have priority. */
export const DATA_CLASS = 3;

/** What HPCC's simulator fixes in its code (`switch-mmu`, `rdma-hw`). */
export const SWITCH = { reserveBytes: 4096, resumeOffsetBytes: 3072, shareShift: 3, headroomDelays: 3 };
export const NACK_INTERVAL_NS = 500_000;
/** ns-3 has no retransmission timer: a flow whose last packet or whose NACK is lost never ends. */
export const NO_TIMER = { kind: 'go-back-n', timeoutNs: 0 } as const;
export const MEGABYTE = 1_048_576;
export const KILOBYTE = 1000;
/** Rates of ports that HPCC's telemetry can name (`int-header`); a port of another counts as one of the first. */
export const TELEMETRY_BPS: readonly number[] = [25e9, 50e9, 100e9, 200e9, 400e9];

/** Bytes that a data packet has beside its payload, and bytes of an acknowledgement. */
export function frameBytes(kind: ControlSpec['kind']): { headerBytes: number; ackBytes: number } {
  return {
    headerBytes: BASE_HEADER_BYTES + (EXTRA_HEADER_BYTES[kind] ?? 0),
    ackBytes: kind === 'hpcc' ? HPCC_ACK_BYTES : ACK_BYTES,
  };
}
