/** The delays that a code of `minRnrTimer` stands for, in units of 10 us (specification table 45). */
const RNR_TIMER_10US = [
  65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
  4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
];

/** The delay that an RNR NAK with this code asks for. */
export function rnrTimerNs(code: number): number {
  return RNR_TIMER_10US[code] * 10_000;
}

/** The time until a requester sends again: 4.096 us x 2^code; infinite for code 0 (specification 9.7.6.1.3). */
export function ackTimeoutNs(code: number): number {
  return code === 0 ? Number.POSITIVE_INFINITY : 4096 * 2 ** code;
}
