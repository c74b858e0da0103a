import { KelpieError } from '../../error.js';
import type { NicArchitecture } from './architecture.js';
import { connectx } from './connectx/connectx.js';

/** Every architecture, by the name that device profiles use. */
const architectures: ReadonlyMap<string, NicArchitecture> = new Map(
  [connectx].map((architecture) => [architecture.name, architecture]),
);

/** The architecture of a name; UNKNOWN_ARCHITECTURE where there is none. */
export function architectureOf(name: string): NicArchitecture {
  const architecture = architectures.get(name);
  if (architecture !== undefined) return architecture;
  throw new KelpieError('UNKNOWN_ARCHITECTURE', 'there is no such NIC architecture', {
    field: 'architecture',
    given: name,
    allowed: [...architectures.keys()].join(', '),
  });
}
