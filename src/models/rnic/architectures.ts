import { ArchitectureSet } from '../../profiles/index.js';
import type { NicArchitecture } from './architecture.js';
import { connectx } from './connectx/connectx.js';
import { ideal } from './ideal/ideal.js';
import { irn } from './irn/irn.js';
import { melo } from './melo/melo.js';
import { srnic } from './srnic/srnic.js';

/** Every architecture that is shipped. */
export const shippedNics: readonly NicArchitecture[] = [connectx, irn, melo, srnic, ideal];

const shipped = new ArchitectureSet(shippedNics);

/** The shipped architectures and those that a program brings along, by the names that device profiles use. */
export function nicArchitectures(added: readonly NicArchitecture[] = []): ArchitectureSet<NicArchitecture> {
  return added.length === 0 ? shipped : new ArchitectureSet([...shippedNics, ...added]);
}
