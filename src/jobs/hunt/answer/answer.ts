import { type MovedCounter, movedCounters } from '../counters.js';
import type { ExperimentRecord } from '../experiments/record.js';
import { type Symptom, severityOf } from '../observation.js';
import { suspectedComponent } from '../reduce/component.js';
import { type Feature, showFeature } from '../reduce/feature.js';
import type { HuntPlan, HuntResult } from '../run-plan.js';
import type { Point } from '../space/point.js';
import { workloadInputOf } from '../space/point-workload.js';
import type { Advice } from './advice.js';
import { collieRows, type Matchable, matchRows, tableColumn } from './collie-rows.js';
import { type Nearness, nearer, nearnessOf } from './table2.js';

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
  /** Other sights of it, with less of one thing and more of another; answers of earlier versions have none. */
  corners?: AnomalyCorner[];
  /** How often it was found. */
  times: number;
  /** The number of the experiment that showed it first, from 1, and the hours on real machines until its end. */
  experiment: number;
  hours: number;
}

/** Another sight of an anomaly. */
export interface AnomalyCorner {
  features: string[];
  set: readonly Feature[];
  workload: ReturnType<typeof workloadInputOf>;
  matches: string[];
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
  rows: RowSight[];
}

/** When a row of Table 2 was seen. */
interface RowSight {
  id: string;
  /** First seen. */
  hours: number;
  /** The nearest that any sight of it is to Table 2's own bounds; answers of earlier versions do not say. */
  bounds?: Nearness;
}

/** Puts together what a hunt found. Anomalies keep the numbers that they had while it ran; those not reduced come last. */
export function huntAnswerOf(
  subsystem: string,
  plan: HuntPlan,
  result: HuntResult,
  wallSeconds: number,
): HuntAnswer {
  const ends = cumulativeHours(result.records);
  const column = tableColumn(subsystem);
  const rowSights: RowSight[] = [];
  const anomalies = result.finds.map((find): Anomaly => {
    // What was not reduced any more is not held against the table, unless nothing is.
    const isReduced = find.complete || !plan.mfs;
    const rowsOf = (sight: Matchable) => (column === null || !isReduced ? [] : matchRows(sight, column));
    const hoursAt = (experiment: number) => ends[Math.max(0, Math.min(experiment, ends.length) - 1)] ?? 0;
    const asFile = (point: Point, set: readonly Feature[], name: string) =>
      workloadInputOf(point, {
        length: 'full',
        timeScale: plan.timeScale,
        name,
        description: `${find.symptom} on ${subsystem}: ${set.map(showFeature).join('; ')}`,
      });
    const verified = find.corners.filter((corner) => corner.verified);
    const corners = verified.map((corner): AnomalyCorner => {
      const matches = rowsOf({ ...find, ...corner });
      const { features: set, point, experiment } = corner;
      return {
        features: set.map(showFeature),
        set,
        workload: asFile(point, set, matches[0] ?? find.symptom),
        matches,
        hours: hoursAt(experiment),
      };
    });
    const own = rowsOf(find);
    const sightOf = (id: string, point: Point, hours: number): RowSight => {
      return { id, hours, bounds: nearnessOf(point, id) };
    };
    rowSights.push(...own.map((id) => sightOf(id, find.point, hoursAt(find.experiment))));
    for (const [index, { matches: ids, hours }] of corners.entries())
      rowSights.push(...ids.map((id) => sightOf(id, verified[index].point, hours)));
    const matches = [...new Set([...own, ...corners.flatMap((corner) => corner.matches)])];
    const counters = movedCounters(find.observation, result.baseline);
    return {
      symptom: find.symptom,
      severity: severityOf(find.observation),
      why: find.observation.why,
      features: find.features.map(showFeature),
      set: find.features,
      point: find.point,
      workload: asFile(find.point, find.features, own[0] ?? find.symptom),
      counters,
      component: suspectedComponent(find.features, counters),
      advice: find.advice.map(({ point, settings, ...advice }) => ({
        ...advice,
        workload: workloadInputOf(point, {
          length: 'full',
          timeScale: plan.timeScale,
          name: `${own[0] ?? find.symptom} cleared`,
          description: `clears ${find.symptom} on ${subsystem}: ${advice.text}`,
          ...(settings === undefined ? {} : { settings }),
        }),
      })),
      matches,
      complete: find.complete,
      corners,
      times: find.times,
      experiment: find.experiment,
      hours: hoursAt(find.experiment),
    };
  });
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
    rows: firstRows(rowSights),
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

/** The first sight of each row, with the nearest that any sight of it came to the table's bounds. */
function firstRows(sights: readonly RowSight[]): RowSight[] {
  const byTime = [...sights].sort((one, other) => one.hours - other.hours);
  return byTime
    .filter(({ id }, index) => byTime.findIndex((each) => each.id === id) === index)
    .map((first) => ({
      ...first,
      bounds: byTime
        .filter(({ id }) => id === first.id)
        .reduce<Nearness>((best, { bounds = 'looser' }) => nearer(best, bounds), 'looser'),
    }));
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
