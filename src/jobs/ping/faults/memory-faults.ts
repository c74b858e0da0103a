import { type FaultKind, SHARE } from './fault-kind.js';

/** Faults of memories. */
export const memoryFaults: readonly FaultKind[] = [
  {
    id: 'memory-channel',
    title: 'memory channels of a node are slow or lost',
    admittedBy: null,
    setting: null,
    causeClass: 'failure',
    places: ['memory'],
    severities: [0.12, 0.06, 0.03],
    meaning: SHARE,
    advice:
      'Compare the DIMM list and the memory clock with a healthy host (EDAC, dmidecode); reseat or replace the DIMM.',
    inject: (at, rate) => ({ at, rate }),
  },
  {
    id: 'memory-missing',
    title: 'memory channel without a module',
    admittedBy: 'the DIMM list has fewer channels',
    setting: 'channels',
    causeClass: 'failure',
    places: ['memory-node'],
    severities: [],
    meaning: '',
    advice:
      'Compare the DIMM list with a healthy host (dmidecode); reseat or replace the module that is not seen.',
    inject: (at) => ({ at: `${at}/channel0`, presence: 'missing' }),
  },
  {
    id: 'ddio-off',
    title: 'DMA does not go to the last-level cache',
    admittedBy: 'DDIO is off',
    setting: 'ddio',
    causeClass: 'configuration',
    places: ['memory-node'],
    severities: [],
    meaning: '',
    advice:
      'Turn DDIO (direct cache access) on in the BIOS, or clear the bit in the perfctrl register of the root port.',
    inject: (at) => ({ at, ddio: 'disabled' }),
  },
];
