import type { ArchitectureTable } from '../../../profiles/architecture/part-table.js';
import { selectiveConstants } from '../../../profiles/architecture/recovery-constants.js';
import { connectxTable } from '../connectx/table.js';

/** IRN (SIGCOMM'18): a RoCE NIC with selective repeat. Connections are what they were. */
export const irnTable = {
  ...connectxTable,
  name: 'irn',
  // A packet in the middle of a message may have taken its receive before the first one comes: that one then finds none
  // and must not be taken for a message without a receive.
  without: {
    rnrHoldReliableNs: 0,
    rnrHoldUnreliableNs: 0,
    rnrHoldDatagramNs: 0,
    rnrHoldReliableReach: 0,
    rnrHoldUnreliableReach: 0,
  },
  parts: {
    ...connectxTable.parts,
    wire: { name: 'irn', constants: {} },
    recovery: { name: 'irn', constants: selectiveConstants, placesEarly: true },
  },
  others: {},
} as const satisfies ArchitectureTable;
