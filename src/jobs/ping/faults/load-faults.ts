import type { FaultKind } from './fault-kind.js';

const LOAD = 'share of it that traffic of others takes';

/** Traffic of others on the links of a host. */
export const loadFaults: readonly FaultKind[] = [
  {
    id: 'load-upi',
    title: 'link between the sockets is overloaded',
    admittedBy: null,
    setting: null,
    causeClass: 'contention',
    places: ['inter-socket'],
    severities: [0.93, 0.95, 0.97],
    meaning: LOAD,
    advice:
      'Find the programs whose threads and memory lie on different sockets, and bind them (numastat, numactl).',
    inject: (at, load) => ({ at, load }),
  },
  {
    id: 'load-memory',
    title: 'memory channels are overloaded',
    admittedBy: null,
    setting: null,
    causeClass: 'contention',
    places: ['memory'],
    severities: [0.93, 0.95, 0.97],
    meaning: LOAD,
    advice:
      'Find what reads and writes that much (perf, pcm-memory); move it to the other node, or process TCP elsewhere.',
    inject: (at, load) => ({ at, load }),
  },
  {
    id: 'load-pcie',
    title: 'PCIe link is overloaded',
    admittedBy: null,
    setting: null,
    causeClass: 'contention',
    places: ['gpu', 'root-port', 'switch'],
    severities: [0.93, 0.95, 0.97],
    meaning: LOAD,
    advice:
      'Find the transfers that fill it, such as copies between GPU and host, and spread them over time or over links.',
    inject: (at, load) => ({ at, load }),
  },
  {
    id: 'load-loopback',
    title: 'PCIe link of the RNIC is overloaded by loopback traffic',
    admittedBy: null,
    setting: null,
    causeClass: 'contention',
    places: ['rnic'],
    severities: [0.93, 0.95, 0.97],
    meaning: LOAD,
    advice:
      'Find programs of this host that talk to each other through the RNIC, and let them use shared memory.',
    inject: (at, load) => ({ at, load }),
  },
];
