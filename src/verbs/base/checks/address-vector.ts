import type { AddressVector } from '../../address-handle.js';
import { VerbsError } from '../../error.js';
import type { BaseContext } from '../objects/context.js';
import { requireRange } from './range.js';

/** Checks a way to a peer against the device and returns a copy with every default filled in. */
export function checkAddress(
  context: BaseContext,
  given: AddressVector,
  prefix: string,
): Required<AddressVector> {
  const address = {
    dgid: given.dgid,
    sgidIndex: given.sgidIndex ?? 0,
    hopLimit: given.hopLimit ?? 64,
    trafficClass: given.trafficClass ?? 0,
    sl: given.sl ?? 0,
    flowLabel: given.flowLabel ?? 0,
    portNum: given.portNum ?? 1,
  };
  check(prefix, 'portNum', address.portNum, 1, context.ports.length);
  check(prefix, 'sgidIndex', address.sgidIndex, 0, context.ports[address.portNum - 1].gids.length - 1);
  check(prefix, 'hopLimit', address.hopLimit, 0, 0xff);
  check(prefix, 'trafficClass', address.trafficClass, 0, 0xff);
  check(prefix, 'sl', address.sl, 0, 15);
  check(prefix, 'flowLabel', address.flowLabel, 0, 0xfffff);
  requireGid(context, prefix, address.dgid);
  return address;
}

/** The name is put together only for an error: addresses are checked by the thousand. */
function check(prefix: string, name: keyof AddressVector, given: number, low: number, high: number): void {
  if (!Number.isInteger(given) || given < low || given > high)
    requireRange(`${prefix}${name}`, given, low, high);
}

function requireGid(context: BaseContext, prefix: string, given: string): void {
  try {
    context.parseGid(given);
  } catch (cause) {
    const detail = { field: `${prefix}dgid`, given, allowed: 'an IPv6 address in text', cause };
    throw new VerbsError('OUT_OF_RANGE', 'this is not a GID', detail);
  }
}
