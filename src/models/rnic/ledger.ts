import { KelpieError } from '../../error.js';
import { type DeviceConstants, nicSlots } from '../../profiles/index.js';
import type { NicArchitecture } from './architecture.js';
import type { LedgerRow, MemoryLedger, MemoryUse } from './parts/memory-ledger.js';

/**
 * The memory of every structure of a device, from the constants that the timing model uses. LEDGER_TOO_MANY_QUEUE_PAIRS:
 * the device refuses that many, and no memory of it would be true.
 */
export function ledgerOf(
  { parts }: NicArchitecture,
  constants: DeviceConstants,
  use: MemoryUse,
): MemoryLedger {
  if (use.queuePairs > constants.maxQps)
    throw new KelpieError('LEDGER_TOO_MANY_QUEUE_PAIRS', 'the device does not hold that many queue pairs', {
      field: 'queuePairs',
      given: use.queuePairs,
      allowed: `up to ${constants.maxQps}`,
    });
  const buffer: LedgerRow = {
    structure: 'receive buffer',
    place: 'chip',
    bytes: constants.receiveBufferBytes,
  };
  return [buffer, ...nicSlots.flatMap((slot) => parts[slot].ledger(constants, use))];
}
