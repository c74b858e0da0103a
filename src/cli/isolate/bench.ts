import { setImmediate } from 'node:timers/promises';
import type { ExperimentBench, ResourceBounds } from '../../jobs/isolate/index.js';
import { ProfileLibrary, type Subsystem } from '../../profiles/index.js';
import { boundsOf, openSimulatedTestbed, subsystemWith } from '../../testbeds/simulated-testbed.js';
import { isolated } from '../../testbeds/tenant-contexts.js';
import type { Testbed } from '../../workload/index.js';
import { addProfile, providers } from '../providers.js';

/** Where experiments run: plain data, so that a worker thread can have it. */
export interface BenchChoice {
  provider: string;
  subsystem?: string;
  profile?: string;
}

/** Husky's own machines: ConnectX-5 at 100 Gb/s. */
export const DEFAULT_SUBSYSTEM = 'husky';

/** The subsystem that the flags name; null for a provider without subsystems. */
export function chosenSubsystem({ provider, subsystem, profile }: BenchChoice): Subsystem | null {
  if (provider !== 'simulated') return null;
  const library = new ProfileLibrary();
  const name = profile === undefined ? (subsystem ?? DEFAULT_SUBSYSTEM) : addProfile(library, profile);
  return subsystemWith(name, {}, library);
}

/** The bench that the flags name. */
export function benchOf(choice: BenchChoice, signal?: AbortSignal): ExperimentBench {
  const subsystem = chosenSubsystem(choice);
  const bounds = subsystem === null ? null : resourceBounds(subsystem);
  return {
    open: async ({ hosts, seed, isolation }) => {
      const testbed: Testbed =
        subsystem === null
          ? isolated(
              await providers
                .find(({ name }) => name === choice.provider)!
                .open({ hosts, seed, settings: {} }),
              { isolation },
              seed,
            )
          : await openSimulatedTestbed({ subsystem, hosts, seed, isolation });
      return { testbed, bounds };
    },
    // Virtual time never waits: without a turn of the event loop Ctrl-C would not be heard.
    run: { onSlice: () => setImmediate(), ...(signal === undefined ? {} : { signal }) },
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
    contextMissSlots: constants.contextMissSlots,
    receiveWqeMissNs: constants.receiveWqeMissNs,
    receiveWqeMissSlots: constants.receiveWqeMissSlots,
  };
}
