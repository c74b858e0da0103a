import { type DeviceConstants, nicSlots } from '../../profiles/index.js';
import type { NicArchitecture } from './architecture.js';
import type { LedgerRow, MemoryLedger, MemoryUse } from './parts/memory-ledger.js';

/** The memory of every structure of a device, from the constants that the timing model uses. */
export function ledgerOf(
  { parts }: NicArchitecture,
  constants: DeviceConstants,
  use: MemoryUse,
): MemoryLedger {
  const buffer: LedgerRow = {
    structure: 'receive buffer',
    place: 'chip',
    bytes: constants.receiveBufferBytes,
  };
  return [buffer, ...nicSlots.flatMap((slot) => parts[slot].ledger(constants, use))];
}
