import type { WqePool } from '../../../../verbs/base/index.js';
import type { DmaPath } from '../../../pcie/dma-path.js';
import type { PciePort } from '../../../pcie/pcie-port.js';

/** Elements that begin in the packet's part of a message: each is a read of its own. */
export function gatherElements(
  wqes: WqePool,
  pcie: PciePort,
  nowPs: number,
  path: DmaPath,
  wqe: number,
  offset: number,
  bytes: number,
): void {
  const end = wqes.sgeStart[wqe] + wqes.sgeCount[wqe];
  let at = 0;
  for (let index = wqes.sgeStart[wqe]; index < end && at < offset + bytes; index++) {
    const length = wqes.sges.length[index];
    if (at >= offset && length > 0) pcie.elementRead(nowPs, length, path);
    at += length;
  }
}
