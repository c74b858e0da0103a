import type { OnDemandReceiveConstants } from '../../../profiles/index.js';
import type { ReceiveRingOptions } from '../parts/receive-wqe-source.js';

/** Bytes of a ring's entry: that of a connected queue pair grows with its elements, rounded up to a power of two. */
export function ringStrideBytes(
  constants: Pick<OnDemandReceiveConstants, 'receiveWqeStrideBytes' | 'udReceiveWqeStrideBytes'>,
  { elements, datagrams }: ReceiveRingOptions,
): number {
  const rounded = 2 ** Math.ceil(Math.log2(Math.max(1, elements)));
  return datagrams ? constants.udReceiveWqeStrideBytes : constants.receiveWqeStrideBytes * rounded;
}
