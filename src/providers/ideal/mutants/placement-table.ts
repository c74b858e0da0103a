import type { Edit, Mutant } from './mutant.js';

const context = 'verbs/base/objects/context.ts';

/** An ideal host with two memories: it grants places, which make no difference to it. */
const TWO_PLACES: readonly Edit[] = [
  { file: 'providers/ideal/device.ts', search: "placements: 'an ideal host has one memory',", replace: '' },
  {
    file: 'providers/ideal/device.ts',
    search: "queuePlacements: 'it has nowhere else to put them',",
    replace: '',
  },
  {
    file: 'providers/ideal/provider.ts',
    search: 'parseGid, connectionManager:',
    replace: "parseGid, placements: ['one', 'other'], connectionManager:",
  },
];

/** Faults in the placement of queues. The ideal device has one memory, so that each row gives it another. */
export const PLACEMENT_MUTANTS: readonly Mutant[] = [
  {
    what: 'the second place is refused',
    file: context,
    search: 'if (number >= 0) return number;',
    replace: 'if (number === 0) return number;',
    also: TWO_PLACES,
    breaks: [/queues in any place/, /lie in any place/],
  },
  {
    what: 'any place is granted',
    file: context,
    search: 'if (number >= 0) return number;',
    replace: 'return number;',
    also: TWO_PLACES,
    breaks: [/a place that the host does not have/],
  },
  {
    what: 'the place of a receive queue that is not there is taken',
    file: 'verbs/base/objects/queue-pair.ts',
    search: "queue === 'receiveQueue' && this.srq !== null",
    replace: "queue === 'sendQueue' && this.srq !== null",
    also: TWO_PLACES,
    breaks: [/no other to place/],
  },
];
