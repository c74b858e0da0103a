/**
 * How what was lost is sent again. Go-back-N: everything from the gap on; without a timer a lost tail hangs its flow for
 * ever, as in ns-3. Selective: what is missing alone, as IRN does (Mittal et al., SIGCOMM 2018).
 */
export type RecoveryOptions =
  | { readonly kind: 'go-back-n' /** 0: none. */; readonly timeoutNs: number }
  | {
      readonly kind: 'selective';
      /** The timer with fewer than `fewPackets` in flight, where no other packet can reveal a loss, and otherwise. */
      readonly lowTimeoutNs: number;
      readonly highTimeoutNs: number;
      readonly fewPackets: number;
    };

/** IRN's constants for its 40 Gb/s fabric of 2 us links (§4.1). */
export const IRN: RecoveryOptions = {
  kind: 'selective',
  lowTimeoutNs: 100_000,
  highTimeoutNs: 320_000,
  fewPackets: 3,
};
