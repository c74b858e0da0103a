import { setImmediate } from 'node:timers/promises';
import type { BenchOptions, Opener } from '../../jobs/reproduce/index.js';
import type { Mechanism } from '../../models/index.js';
import { openTestbed } from '../../testbeds/index.js';

/** Opens simulated subsystems for the rows of the papers. */
export const openSimulated: Opener = (subsystem, { settings, hosts, seed, ablate, isolation }) =>
  openTestbed({
    subsystem,
    settings,
    hosts,
    seed,
    ablate: ablate as readonly Mechanism[],
    ...(isolation === undefined ? {} : { isolation }),
  });

/** A bench on the simulator that gives the event loop its turn, without which Ctrl-C would not be heard. */
export function simulatedBench(seed: number, signal?: AbortSignal): BenchOptions {
  return { open: openSimulated, seed, signal, onSlice: () => setImmediate() };
}
