import { VerbsError } from '../../error.js';
import { isRemoteAddress, type RemoteAddress } from '../../remote-address.js';

/** Refuses with OUT_OF_RANGE what is not an integer from `low` to `high`. */
export function requireRange(field: string, given: number, low: number, high: number): void {
  if (Number.isInteger(given) && given >= low && given <= high) return;
  const allowed = low === high ? `${low}` : `an integer from ${low} to ${high}`;
  throw new VerbsError('OUT_OF_RANGE', 'a number is outside what the device allows', {
    field,
    given,
    allowed,
  });
}

/** Whether a value is an unsigned 32-bit integer. */
export function isUint32(value: unknown): value is number {
  return typeof value === 'number' && value >>> 0 === value;
}

/** Whether a value can be an address of local memory. */
export function isAddress(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether peers can use an address for the first byte of this much memory: all of it has an address. */
export function isIova(value: unknown, lengthBytes: number): value is RemoteAddress {
  if (!isRemoteAddress(value)) return false;
  return typeof value === 'number' || value + BigInt(lengthBytes) <= 2n ** 64n;
}
