import { deviceFaults } from './device-faults.js';
import type { FaultKind } from './fault-kind.js';
import { hostFaults } from './host-faults.js';
import { linkFaults } from './link-faults.js';
import { loadFaults } from './load-faults.js';
import { memoryFaults } from './memory-faults.js';
import { settingFaults } from './setting-faults.js';

/** The faults that `kelpie ping --fault` knows. */
export const faultKinds: readonly FaultKind[] = [
  ...linkFaults,
  ...settingFaults,
  ...memoryFaults,
  ...hostFaults,
  ...deviceFaults,
  ...loadFaults,
];

/** The fault of an id; undefined for one that there is not. */
export function findFault(id: string): FaultKind | undefined {
  return faultKinds.find((kind) => kind.id === id);
}
