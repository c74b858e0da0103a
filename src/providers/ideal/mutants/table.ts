import { CONNECTION_MUTANTS } from './connection-table.js';
import { FABRIC_MUTANTS } from './fabric-table.js';
import { MEMORY_MUTANTS } from './memory-table.js';
import type { Mutant } from './mutant.js';
import { OBJECT_MUTANTS } from './object-table.js';
import { PLACEMENT_MUTANTS } from './placement-table.js';
import { POSTING_MUTANTS } from './posting-table.js';
import { QUEUE_MUTANTS } from './queue-table.js';
import { STATE_MUTANTS } from './state-table.js';

/** Every deliberate fault. */
export const MUTANTS: readonly Mutant[] = [
  ...MEMORY_MUTANTS,
  ...STATE_MUTANTS,
  ...QUEUE_MUTANTS,
  ...POSTING_MUTANTS,
  ...FABRIC_MUTANTS,
  ...OBJECT_MUTANTS,
  ...PLACEMENT_MUTANTS,
  ...CONNECTION_MUTANTS,
];
