import { Access, addressDistance, type RemoteAddress } from '../../verbs/index.js';
import type { InterposedProtectionDomain } from '../interposer/protection-domain.js';
import type { Call } from './peers.js';

/** The region that a peer may READ what it asks for from; null where it may not. */
export function readable(
  pd: InterposedProtectionDomain,
  { rkey, remoteAddr, bytes }: Call,
): { addr: number; iova: RemoteAddress; lkey: number } | null {
  for (const region of pd.regions.values()) {
    if (region.rkey !== rkey || (region.access & Access.REMOTE_READ) === 0) continue;
    const from = addressDistance(region.iova, remoteAddr);
    return from >= 0 && from + bytes <= region.lengthBytes ? region : null;
  }
  return null;
}

/** The region that has all of some local memory and grants a right to it; null where none does. */
export function regionAt(
  pd: InterposedProtectionDomain,
  lkey: number,
  addr: number,
  bytes: number,
  access: number,
): { addr: number; iova: RemoteAddress; rkey: number } | null {
  const region = pd.regions.get(lkey);
  if (region === undefined || (region.access & access) === 0) return null;
  return addr >= region.addr && addr + bytes <= region.addr + region.lengthBytes ? region : null;
}
