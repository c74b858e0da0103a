import type { ArchitectureTable } from '../../../profiles/architecture/part-table.js';
import { pooledConstants } from '../../../profiles/architecture/recovery-constants.js';
import { irnTable } from '../irn/table.js';

/** MELO (APNet'17): selective repeat as IRN's, whose bits come from one pool of the device. */
export const meloTable = {
  ...irnTable,
  name: 'melo',
  parts: {
    ...irnTable.parts,
    recovery: { name: 'melo', constants: pooledConstants, placesEarly: true },
  },
} as const satisfies ArchitectureTable;
