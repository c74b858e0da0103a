import { melo as pooledRepeat } from '../../../transport/index.js';
import { type NicArchitecture, nicPart } from '../architecture.js';
import { irn } from '../irn/irn.js';
import { selectiveOptions } from '../selective-parts.js';
import { meloTable } from './table.js';

/**
 * MELO (APNet'17): the parts of IRN, with bits for packets out of order from a pool that all queue pairs share. Packets go
 * where they belong at once, as IRN's do; MELO keeps them in memory off the chip until their turn comes.
 */
export const melo: NicArchitecture = {
  ...meloTable,
  parts: {
    ...irn.parts,
    recovery: nicPart(
      'recovery',
      meloTable.parts.recovery,
      ({ constants }) =>
        pooledRepeat({ ...selectiveOptions(constants), poolBits: constants.recoveryPoolBits }),
      ({ recoveryPoolBits, recoveryStateBytes }, { queuePairs }) => [
        { structure: 'bit pool', place: 'chip', bytes: Math.ceil(recoveryPoolBits / 8) },
        { structure: 'recovery state', place: 'chip', bytes: queuePairs * recoveryStateBytes },
      ],
    ),
  },
};
