import type { Mechanism } from '../../models/index.js';
import { openTestbed } from '../../testbeds/index.js';
import { eventTurn } from '../pool/index.js';
import type { BenchOptions, Opener } from './bench.js';

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

/** A bench on the simulator that gives the event loop its turn. */
export function simulatedBench(seed: number, signal?: AbortSignal): BenchOptions {
  return { open: openSimulated, seed, onSlice: eventTurn, ...(signal === undefined ? {} : { signal }) };
}
