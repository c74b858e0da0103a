import type { Mechanism } from '../../models/index.js';
import { openTestbed } from '../../testbeds/index.js';
import { changeSubsystem, lossesOf } from '../compare/index.js';
import { eventTurn } from '../pool/index.js';
import type { BenchOptions, Opener } from './bench.js';

/** Opens simulated subsystems for the rows of the papers. */
export const openSimulated: Opener = (name, { settings, hosts, seed, ablate, isolation, changes = {} }) => {
  const changed = changeSubsystem(name, changes);
  const { subsystem, profiles } = changed;
  return openTestbed({
    ...{ subsystem, profiles, settings, hosts, seed },
    ablate: [...(ablate as readonly Mechanism[]), ...changed.ablate],
    impairments: lossesOf(changed),
    ...(isolation === undefined ? {} : { isolation }),
  });
};

/** A bench on the simulator that gives the event loop its turn. */
export function simulatedBench(seed: number, signal?: AbortSignal): BenchOptions {
  return { open: openSimulated, seed, onSlice: eventTurn, ...(signal === undefined ? {} : { signal }) };
}
