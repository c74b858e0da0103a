import { ACCESS_ALL, Access } from '../../access.js';
import { VerbsError } from '../../error.js';

/**
 * Refuses access flags that the specification forbids: bits that do not exist, and remote writes or atomics to memory
 * that the device itself may not write (specification 10.6.3.2).
 */
export function requireAccess(access: number, badWrIndex?: number): void {
  const field = 'access';
  if (!Number.isInteger(access) || (access & ~ACCESS_ALL) !== 0) {
    const detail = { field, given: access, allowed: 'a sum of Access flags', badWrIndex };
    throw new VerbsError('BAD_ACCESS_FLAGS', 'these are not access flags', detail);
  }
  const writes = (access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) !== 0;
  if (writes && (access & Access.LOCAL_WRITE) === 0) {
    const detail = {
      field,
      given: access,
      allowed: 'REMOTE_WRITE and REMOTE_ATOMIC only with LOCAL_WRITE',
      badWrIndex,
    };
    throw new VerbsError('BAD_ACCESS_FLAGS', 'peers may not write what the device may not', detail);
  }
}
