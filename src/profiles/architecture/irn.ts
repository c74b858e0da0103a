import { connectxTable } from './connectx.js';
import type { ArchitectureTable } from './part-table.js';
import { selectiveConstants } from './recovery-constants.js';

/** IRN (SIGCOMM'18): a RoCE NIC with selective repeat. Connections are what they were. */
export const irnTable = {
  ...connectxTable,
  name: 'irn',
  parts: {
    ...connectxTable.parts,
    wire: { name: 'irn', constants: {} },
    recovery: { name: 'irn', constants: selectiveConstants },
  },
} as const satisfies ArchitectureTable;
