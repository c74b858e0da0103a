import type { Mechanism } from '../../../models/index.js';
import type { MovedCounter } from '../counters.js';
import type { Feature } from './feature.js';

/** What a counter or a condition points at, most telling first. */
const BY_FEATURE: readonly (readonly [test: (feature: Feature) => boolean, component: string])[] = [
  [
    (feature) =>
      isPlace(feature) && 'in' in feature && feature.in.some((each) => String(each).startsWith('gpu')),
    'the PCIe path between GPU and NIC',
  ],
  [isPlace, 'the link between the sockets'],
  [
    (feature) => feature.dimension === 'direction' && 'in' in feature && feature.in.includes('loopback'),
    "the NIC's loopback path, which shares its receive side",
  ],
];
const BY_COUNTER: readonly (readonly [pattern: RegExp, component: string])[] = [
  [/ordering/, "the host's PCIe ordering"],
  [/receive_wqe/, "the NIC's receive WQE cache"],
  [/send_wqe/, "the NIC's send WQE cache"],
  [/mtt|mpt|translation/, "the NIC's translation cache"],
  [/icm|qpc|context/, "the NIC's connection context cache"],
  [/engine|processor/, "the NIC's packet processing"],
  [/pcie|pci_/, 'the PCIe path to memory'],
  [/drop|out_of_buffer|discard/, "the receiver's buffers"],
];

/** The component that a mechanism of the models is of. */
const BY_MECHANISM: Readonly<Record<Mechanism, string>> = {
  'context-cache': "the NIC's connection context cache",
  'translation-cache': "the NIC's translation cache",
  'receive-wqe-cache': "the NIC's receive WQE cache",
  'receive-wqe-window': "the NIC's receive WQE cache",
  'send-wqe-cache': "the NIC's send WQE cache",
  'read-response-cost': "the NIC's packet processing",
  'engine-shared': "the NIC's packet processing",
  'pcie-ordering': "the host's PCIe ordering",
  'cross-socket-link': 'the link between the sockets',
  'acs-redirect': 'the PCIe path between GPU and NIC',
  'pcie-up-link': 'the PCIe path to memory',
  'transmit-slot-hold': "the NIC's packet processing",
  'burst-grant': "the NIC's packet processing",
  'shared-processors': "the NIC's packet processing",
  'rnr-hold': "the NIC's handling of missing receives",
  'atomic-fence': "the NIC's packet processing",
  'invalidation-hold': "the NIC's deregistration of memory",
  'doorbell-back-pressure': 'the PCIe path to memory',
  'read-credit': 'the PCIe path to memory',
};

/** The component of a mechanism; null for one that this version does not know. */
export function componentOf(mechanism: string): string | null {
  return BY_MECHANISM[mechanism as Mechanism] ?? null;
}

/** What is suspected behind an anomaly: a guess from its conditions and the counters that moved, not a proof. */
export function suspectedComponent(
  features: readonly Feature[],
  moved: readonly MovedCounter[],
): string | null {
  for (const [test, component] of BY_FEATURE) if (features.some(test)) return component;
  for (const { name } of moved)
    for (const [pattern, component] of BY_COUNTER) if (pattern.test(name)) return component;
  return null;
}

function isPlace({ dimension }: Feature): boolean {
  return dimension === 'memoryA' || dimension === 'memoryB';
}
