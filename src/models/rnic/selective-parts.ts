import type { RepeatConstants, SelectiveConstants } from '../../profiles/index.js';
import type { SelectiveOptions } from '../../transport/index.js';

const US_PS = 1e6;

/** Selective repeat of a device, from its profile. */
export function selectiveOptions(constants: RepeatConstants): SelectiveOptions {
  return {
    windowPackets: constants.recoveryWindowPackets,
    timeoutLowPs: constants.recoveryTimeoutLowUs * US_PS,
    timeoutHighPs: constants.recoveryTimeoutHighUs * US_PS,
    fewPackets: constants.recoveryFewPackets,
  };
}

/** Bytes of the bitmaps of a queue pair: a bit for each packet that may be in flight. */
export function bitmapBytes({ recoveryBitmaps, recoveryWindowPackets }: SelectiveConstants): number {
  return (recoveryBitmaps * recoveryWindowPackets) / 8;
}
