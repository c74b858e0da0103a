/**
 * An address in remote memory: 64 bits, as the peer that registered the memory chose it. A number up to 2^53 - 1 or a
 * bigint; kernels use addresses above 2^63.
 */
export type RemoteAddress = number | bigint;

/** The first number that is no address. */
const END_OF_ADDRESSES = 2n ** 64n;

/** Whether a value is an address of 64 bits: a safe integer from 0 on, or a bigint below 2^64. */
export function isRemoteAddress(value: unknown): value is RemoteAddress {
  if (typeof value === 'bigint') return value >= 0n && value < END_OF_ADDRESSES;
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/**
 * The address some bytes on: of the same kind where that can hold it, else a bigint. Beyond the last address it begins
 * at 0 again, as on devices.
 *
 * @example
 * addressPlus(0xffff_8880_0000_0000n, 4096); // 0xffff_8880_0000_1000n
 */
export function addressPlus(address: RemoteAddress, offsetBytes: number): RemoteAddress {
  if (typeof address === 'number') {
    const sum = address + offsetBytes;
    if (sum >= 0 && sum <= Number.MAX_SAFE_INTEGER) return sum;
  }
  return BigInt.asUintN(64, BigInt(address) + BigInt(offsetBytes));
}

/** How many bytes an address lies behind another; exact up to 2^53 bytes, and beyond them at least that far. */
export function addressDistance(from: RemoteAddress, to: RemoteAddress): number {
  if (typeof from === 'number' && typeof to === 'number') return to - from;
  return Number(BigInt(to) - BigInt(from));
}
