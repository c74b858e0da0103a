import { ArchitectureSet } from '../../profiles/index.js';
import type { NicArchitecture } from './architecture.js';
import { shippedNics } from './architectures.generated.js';

const shipped = new ArchitectureSet(shippedNics);

/** The shipped architectures and those that a program brings along, by the names that device profiles use. */
export function nicArchitectures(added: readonly NicArchitecture[] = []): ArchitectureSet<NicArchitecture> {
  return added.length === 0 ? shipped : new ArchitectureSet([...shippedNics, ...added]);
}
