import type { Measurement, Workload } from '../../../workload/index.js';
import { type Baseline, type Observation, observe } from '../observation.js';
import { costOf, type DeliveredSoFar } from './cost.js';

/** An experiment that a hunt asks for: plain data. */
export interface ExperimentOrder {
  workload: Workload;
  seed: number;
  /** What it is held against. */
  baseline: Baseline;
  /** Whether the devices are ones that nothing slows. */
  unlimited: boolean;
}

/** What came of an experiment. */
export interface Outcome {
  observation: Observation;
  /** What it asked of a simulator; the same wherever it is made. */
  cost: number;
}

/** How an experiment is made. */
export interface ExperimentOptions {
  /** Told now and then what the experiment will cost at least. */
  onCost?: (leastCost: number) => void;
  /** Gives the experiment up; its outcome then fails. */
  signal?: AbortSignal;
}

/** Makes one experiment. The outcome depends on the order alone. */
export type Experiment = (order: ExperimentOrder, options?: ExperimentOptions) => Promise<Outcome>;

/** What a whole Measurement says. */
export function outcomeOf(
  measurement: Measurement,
  { baseline, unlimited }: Pick<ExperimentOrder, 'baseline' | 'unlimited'>,
  delivered: DeliveredSoFar,
): Outcome {
  return {
    observation: observe(measurement, baseline, unlimited),
    cost: costOf(measurement.workload, delivered),
  };
}
