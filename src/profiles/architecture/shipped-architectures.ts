import { ArchitectureSet } from './architecture-set.js';
import { shippedTables } from './shipped.generated.js';

/** The architecture of a device that names none. */
export const DEFAULT_ARCHITECTURE = 'connectx';

/** What profiles must know of the architectures that are shipped, to be looked up. */
export const shippedArchitectures = new ArchitectureSet(shippedTables);
