import type { WqePool } from '../../../verbs/base/index.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import type { PciePort } from '../../pcie/pcie-port.js';

/** Elements that begin in a part of a message: each is a DMA of its own, gathered by reads or scattered by writes. */
export function passElements(
  wqes: WqePool,
  pcie: PciePort,
  nowPs: number,
  path: DmaPath,
  wqe: number,
  offset: number,
  bytes: number,
  gathered: boolean,
): void {
  const end = wqes.sgeStart[wqe] + wqes.sgeCount[wqe];
  let at = 0;
  for (let index = wqes.sgeStart[wqe]; index < end && at < offset + bytes; index++) {
    const length = wqes.sges.length[index];
    if (at >= offset && length > 0) pcie.element(nowPs, length, path, gathered);
    at += length;
  }
}
