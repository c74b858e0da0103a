import type { Mechanism } from '../../models/index.js';
import { openTestbed, subsystemOf } from '../../testbeds/index.js';
import { changeSubsystem, lossFaults } from '../compare/index.js';
import { eventTurn } from '../pool/index.js';
import type { BenchOptions, Opener } from './bench.js';

/** Opens simulated subsystems for the rows of the papers. */
export const openSimulated: Opener = (name, { settings, hosts, seed, ablate, isolation, changes = {} }) => {
  const { subsystem, profiles, loss, ablate: alsoAblate } = changeSubsystem(name, changes);
  return openTestbed({
    ...{ subsystem, profiles, settings, hosts, seed },
    ablate: [...(ablate as readonly Mechanism[]), ...alsoAblate],
    faults: lossFaults(subsystemOf({ subsystem, profiles, settings }), loss),
    ...(isolation === undefined ? {} : { isolation }),
  });
};

/** A bench on the simulator that gives the event loop its turn. */
export function simulatedBench(seed: number, signal?: AbortSignal): BenchOptions {
  return { open: openSimulated, seed, onSlice: eventTurn, ...(signal === undefined ? {} : { signal }) };
}
