import { irn as selectiveRepeat } from '../../../transport/index.js';
import { type NicArchitecture, nicPart } from '../architecture.js';
import { connectx } from '../connectx/connectx.js';
import { irnFormat } from '../parts/wire-format.js';
import { bitmapBytes, selectiveOptions } from '../selective-parts.js';
import { irnTable } from './table.js';

const { wire, recovery } = irnTable.parts;

/** IRN (SIGCOMM'18): the parts of a ConnectX with selective repeat, whose bitmaps are on chip. */
export const irn: NicArchitecture = {
  ...irnTable,
  parts: {
    ...connectx.parts,
    wire: nicPart('wire', wire, () => irnFormat),
    recovery: nicPart(
      'recovery',
      recovery,
      ({ constants }) => selectiveRepeat(selectiveOptions(constants)),
      (constants, { queuePairs }) => [
        { structure: 'bitmaps', place: 'chip', bytes: queuePairs * bitmapBytes(constants) },
      ],
    ),
  },
};
