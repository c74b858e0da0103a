import type { Subsystem } from '../../profiles/index.js';
import {
  boundsOf,
  findProvider,
  listProviders,
  openTestbed,
  subsystemOf,
  type TestbedDescription,
} from '../../testbeds/index.js';
import type { RunOptions } from '../../workload/index.js';
import { eventTurn } from '../pool/index.js';
import type { ExperimentBench } from './experiment.js';
import type { ResourceBounds } from './resources.js';

/** What a matrix is measured on: plain data. */
export type IsolateTestbed = Pick<TestbedDescription, 'provider' | 'subsystem' | 'profiles'>;

/** Husky's own machines: ConnectX-5 at 100 Gb/s. */
export const ISOLATED_SUBSYSTEM = 'husky';

/** The subsystem that is asked for; null for a provider without subsystems. */
export function chosenSubsystem(testbed: IsolateTestbed): Subsystem | null {
  const { takesProfiles } = findProvider(testbed.provider ?? listProviders()[0].name);
  return takesProfiles ? subsystemOf(testbed, ISOLATED_SUBSYSTEM) : null;
}

/** Opens what is asked for, each time with the tenants kept apart as the experiment says. */
export function benchOf(
  testbed: IsolateTestbed,
  run: Pick<RunOptions, 'signal' | 'onSlice' | 'memory'> = {},
): ExperimentBench {
  const subsystem = chosenSubsystem(testbed);
  const bounds = subsystem === null ? null : resourceBounds(subsystem);
  return {
    open: async ({ hosts, seed, isolation }) => ({
      testbed: await openTestbed({
        ...(testbed.provider === undefined ? {} : { provider: testbed.provider }),
        hosts,
        seed,
        isolation,
        ...(subsystem === null ? {} : { subsystem }),
      }),
      bounds,
    }),
    run: { onSlice: eventTurn, ...run },
  };
}

/** What the counters are held against. */
function resourceBounds(subsystem: Subsystem): ResourceBounds {
  const { constants } = subsystem.device;
  return {
    lineRateGbps: boundsOf(subsystem).lineRateGbps,
    pcieGbps: constants.pcieGbps,
    deviceMessageGapNs: constants.deviceMessageGapNs,
    contextMissNs: constants.contextMissNs,
    translationMissNs: constants.translationMissNs,
    contextMissSlots: constants.contextMissSlots,
    receiveWqeMissNs: constants.receiveWqeMissNs,
    receiveWqeMissSlots: constants.receiveWqeMissSlots,
  };
}
