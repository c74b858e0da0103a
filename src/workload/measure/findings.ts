import type { Workload } from '../description/description.js';
import type { Places } from '../program/places.js';
import type { TenantRig } from '../program/rig.js';
import type { Testbed } from '../testbed.js';
import type { Sample, Sampler } from './sampler.js';
import type { SteadyState } from './steady-state.js';

/** Everything that a Measurement is made from. */
export interface Findings {
  workload: Workload;
  testbed: Testbed;
  places: Places;
  rigs: readonly TenantRig[];
  sampler: Sampler;
  /** The samples between which the rates are taken. */
  before: Sample;
  after: Sample;
  /** Time between them; shorter where the last message came earlier. */
  measuredNs: number;
  /** The clock at the start of the run. */
  startNs: number;
  /** The clock now. */
  endNs: number;
  steadyState: SteadyState;
  seed: number;
  partial: boolean;
  notes: readonly string[];
  wallSeconds: number | null;
}
