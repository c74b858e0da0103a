import type { Advice } from './advice.js';
import { collieRows, matchRows, tableColumn } from './collie-rows.js';
import { suspectedComponent } from './component.js';
import { type MovedCounter, movedCounters } from './counters.js';
import { type Feature, showFeature } from './feature.js';
import type { ExperimentRecord, HuntPlan, HuntResult } from './hunt.js';
import { type Symptom, severityOf } from './observation.js';
import type { Point } from './point.js';
import { workloadInputOf } from './point-workload.js';

/** One anomaly as it is reported. */
export interface Anomaly {
  symptom: Symptom;
  /** From 0 to 1: the share of time paused, of throughput missing, or of packets lost. */
  severity: number;
  /** A sentence with the numbers of the reproducer. */
  why: string;
  /** The minimal feature set in words. */
  features: string[];
  /** The same as data. */
  set: readonly Feature[];
  point: Point;
  /** The smallest workload known to show it, as `kelpie run` takes it. */
  workload: ReturnType<typeof workloadInputOf>;
  /** What moved against clean workloads. */
  counters: MovedCounter[];
  /** A guess. */
  component: string | null;
  /** Single changes that clear it, cheapest first, each verified by a run. */
  advice: Advice[];
  /** Rows of Collie's Table 2. */
  matches: string[];
  /** False where the search ended before the set was found. */
  complete: boolean;
  /** How often it was found. */
  times: number;
  /** When it was found first: after so many experiments, and hours on real machines. */
  experiment: number;
  hours: number;
}

/** The answer of a hunt: what `--json` prints and the database keeps. */
export interface HuntAnswer {
  format: 'kelpie-hunt/1';
  subsystem: string;
  seed: number;
  strategy: HuntPlan['strategy'];
  counters: HuntPlan['counters'];
  mfs: boolean;
  budget: HuntPlan['budget'];
  experiments: number;
  /** Hours that the experiments would take on real machines. */
  hardwareHours: number;
  wallSeconds: number;
  partial: boolean;
  warnings: string[];
  anomalies: Anomaly[];
  /** Rows of Table 2 by the hours after which each was found first. */
  rows: { id: string; hours: number }[];
}

/** Puts together what a hunt found, the anomalies in the order in which they were found. */
export function answerOf(
  subsystem: string,
  plan: HuntPlan,
  result: HuntResult,
  wallSeconds: number,
): HuntAnswer {
  const ends = cumulativeHours(result.records);
  const column = tableColumn(subsystem);
  const anomalies = result.finds
    .map((find): Anomaly => {
      // What was not reduced any more is not held against the table, unless nothing is.
      const isReduced = find.complete || !plan.mfs;
      const matches = column === null || !isReduced ? [] : matchRows(find, column);
      const counters = movedCounters(find.observation, result.baseline);
      const features = find.features.map(showFeature);
      return {
        symptom: find.symptom,
        severity: severityOf(find.observation),
        why: find.observation.why,
        features,
        set: find.features,
        point: find.point,
        workload: workloadInputOf(find.point, {
          length: 'full',
          timeScale: plan.timeScale,
          name: matches[0] ?? find.symptom,
          description: `${find.symptom} on ${subsystem}: ${features.join('; ')}`,
        }),
        counters,
        component: suspectedComponent(find.features, counters),
        advice: find.advice,
        matches,
        complete: find.complete,
        times: find.times,
        experiment: find.experiment,
        hours: ends[Math.max(0, Math.min(find.experiment, ends.length) - 1)] ?? 0,
      };
    })
    .sort((one, other) => one.experiment - other.experiment);
  return {
    format: 'kelpie-hunt/1',
    subsystem,
    seed: plan.seed,
    strategy: plan.strategy,
    counters: plan.counters,
    mfs: plan.mfs,
    budget: plan.budget,
    experiments: result.records.length,
    hardwareHours: ends[ends.length - 1] ?? 0,
    wallSeconds,
    partial: result.partial,
    warnings: result.warnings,
    anomalies,
    rows: firstRows(anomalies),
  };
}

/** Hours on real machines until the end of each experiment. */
export function cumulativeHours(records: readonly ExperimentRecord[]): number[] {
  let seconds = 0;
  return records.map((record) => {
    seconds += record.hardwareSeconds;
    return seconds / 3600;
  });
}

function firstRows(anomalies: readonly Anomaly[]): { id: string; hours: number }[] {
  const first = new Map<string, number>();
  for (const { matches, hours } of anomalies)
    for (const id of matches) if (!first.has(id)) first.set(id, hours);
  return [...first].map(([id, hours]) => ({ id, hours }));
}

/** How many rows of Table 2 a subsystem of Collie's has; null for others. */
export function rowsOf(subsystem: string): number | null {
  const column = tableColumn(subsystem);
  return column === null ? null : collieRows.filter(({ on }) => on === column).length;
}

/** The part of an answer that equal hunts share: all but the time that passed. */
export function deterministicAnswer({
  wallSeconds: _,
  ...rest
}: HuntAnswer): Omit<HuntAnswer, 'wallSeconds'> {
  return rest;
}
