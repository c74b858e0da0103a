import { VerbsError } from '../../error.js';
import type { Sge } from '../../work-request.js';
import { isAddress, isUint32 } from './range.js';

/** The longest element and the longest message: 2^31 bytes (specification 9.2). */
export const MAX_MESSAGE_BYTES = 2 ** 31;

/** Checks the form of a scatter-gather list, not its keys, and returns its total in bytes. */
export function checkSgList(list: readonly Sge[] | undefined, maxSge: number, badWrIndex: number): number {
  if (list === undefined) return 0;
  if (list.length > maxSge) {
    const detail = { field: 'sgList.length', given: list.length, allowed: `up to ${maxSge}`, badWrIndex };
    throw new VerbsError('TOO_MANY_SGE', 'the queue takes fewer scatter-gather elements', detail);
  }
  let total = 0;
  for (let index = 0; index < list.length; index++) {
    const { addr, length, lkey } = list[index];
    if (!isUint32(length) || length > MAX_MESSAGE_BYTES || !isUint32(lkey) || !isAddress(addr)) {
      throw badElement(list[index], index, badWrIndex);
    }
    total += length;
  }
  return total;
}

function badElement(sge: Sge, index: number, badWrIndex: number): VerbsError {
  const field = `sgList[${index}]`;
  if (!isAddress(sge.addr)) {
    const detail = {
      field: `${field}.addr`,
      given: sge.addr,
      allowed: 'a safe integer from 0 on',
      badWrIndex,
    };
    return new VerbsError('BAD_WORK_REQUEST', 'this is not an address', detail);
  }
  if (!isUint32(sge.lkey)) {
    const detail = {
      field: `${field}.lkey`,
      given: sge.lkey,
      allowed: 'an unsigned 32-bit integer',
      badWrIndex,
    };
    return new VerbsError('BAD_WORK_REQUEST', 'this is not a key', detail);
  }
  const allowed = `an integer from 0 to ${MAX_MESSAGE_BYTES}`;
  const detail = { field: `${field}.length`, given: sge.length, allowed, badWrIndex };
  return new VerbsError('BAD_WORK_REQUEST', 'this is not a length', detail);
}
