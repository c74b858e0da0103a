import type { Plan } from '../plan.js';
import type { Reading } from '../reading.js';
import type { SecondStage } from '../second-stage/second-stage.js';
import type { Baseline, PathStatus } from '../status.js';
import type { Thresholds } from '../thresholds.js';

/** What the host says about itself, where it can be asked: an answer that is confirmed outranks one that is inferred. */
export interface Admission {
  /** A link, an RNIC or a PCIe switch by its name. */
  readonly part: string;
  /** The id of a fault kind. */
  readonly fault: string;
  readonly detail: string;
}

/** What a diagnosis is made from. */
export interface DiagnosisInput {
  readonly plan: Plan;
  readonly readings: readonly (Reading | null)[];
  readonly statuses: readonly PathStatus[];
  readonly baseline: Baseline;
  /** What the host admits to; an empty list from one that was asked and is clean, undefined if nobody asked. */
  readonly admissions?: readonly Admission[];
  /** Use of each link of the plan, 0 to 1, where it is known. */
  readonly utilisation?: ReadonlyMap<number, number>;
  /** RNICs that carry service traffic: what `statusesOf` was told. */
  readonly busyRnics?: ReadonlySet<string>;
  /** The share of the last second in which each RNIC paused its peer, where it is known. */
  readonly pauses?: ReadonlyMap<string, number>;
  /** What was probed once the first stage had accused somebody. */
  readonly second?: SecondStage;
  readonly thresholds?: Thresholds;
}
