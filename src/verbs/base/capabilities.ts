import type { Capabilities, Capability } from '../device.js';
import { TRANSPORT_OPCODES } from './codes.js';

/** Every yes-or-no capability there is. */
const FEATURES: Readonly<Record<Capability, true>> = {
  srq: true,
  memoryWindows: true,
  fastRegistration: true,
  crossChannel: true,
  cqResize: true,
  completionTimestamps: true,
  unbackedMemory: true,
  placements: true,
  queuePlacements: true,
  packets: true,
  inOrderPlacement: true,
  connectionManager: true,
};

/**
 * What a device on this base can do: every verb there is, but for the features that are missing, each with its reason.
 *
 * @example
 * const capabilities = capabilitiesWithout({ packets: 'whole messages are carried' });
 */
export function capabilitiesWithout(missing: Readonly<Partial<Record<Capability, string>>>): Capabilities {
  const lacks = Object.fromEntries(Object.keys(missing).map((name) => [name, false]));
  return {
    transports: ['RC', 'UC', 'UD'],
    sendOpcodes: TRANSPORT_OPCODES,
    ...FEATURES,
    ...lacks,
    reasons: { ...missing },
  };
}
