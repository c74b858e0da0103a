import { setImmediate } from 'node:timers/promises';
import type { ExperimentBench, ResourceBounds } from '../../jobs/isolate/index.js';
import type { Subsystem } from '../../profiles/index.js';
import { boundsOf, findProvider, listProviders, openTestbed, subsystemOf } from '../../testbeds/index.js';
import type { ChosenTestbed } from '../providers.js';

/** Husky's own machines: ConnectX-5 at 100 Gb/s. */
export const DEFAULT_SUBSYSTEM = 'husky';

/** The subsystem that the flags name; null for a provider without subsystems. */
export function chosenSubsystem(chosen: ChosenTestbed): Subsystem | null {
  const { takesProfiles } = findProvider(chosen.provider ?? listProviders()[0].name);
  return takesProfiles ? subsystemOf(chosen, DEFAULT_SUBSYSTEM) : null;
}

/** The bench that the flags name. */
export function benchOf(chosen: ChosenTestbed, signal?: AbortSignal): ExperimentBench {
  const subsystem = chosenSubsystem(chosen);
  const bounds = subsystem === null ? null : resourceBounds(subsystem);
  return {
    open: async ({ hosts, seed, isolation }) => ({
      testbed: await openTestbed({
        provider: chosen.provider,
        hosts,
        seed,
        isolation,
        ...(subsystem === null ? {} : { subsystem }),
      }),
      bounds,
    }),
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
