import { ArchitectureSet } from './architecture-set.js';
import { connectxTable } from './connectx.js';
import { idealTable } from './ideal.js';
import { irnTable } from './irn.js';
import { meloTable } from './melo.js';
import type { ArchitectureTable } from './part-table.js';
import { srnicTable } from './srnic.js';

/** The architecture of a device that names none. */
export const DEFAULT_ARCHITECTURE = 'connectx';

/** What profiles must know of the architectures that are shipped. */
export const shippedTables: readonly ArchitectureTable[] = [
  connectxTable,
  irnTable,
  meloTable,
  srnicTable,
  idealTable,
];

/** The same, to be looked up. */
export const shippedArchitectures = new ArchitectureSet(shippedTables);
