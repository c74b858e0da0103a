import { KelpieError } from '../../error.js';
import { libraryOf, type ProfileSource } from '../../testbeds/index.js';
import { resolveWorkload, type WorkloadInput } from '../../workload/index.js';
import { type Changes, changeSubsystem, isChange } from './change.js';
import type { ComparePoint, Comparison } from './compare.js';
import { runTasks, type TaskOptions } from './run-tasks.js';
import type { Sweep } from './sweep.js';
import { type CompareTask, type Readings, readerOf } from './task.js';
import { withField } from './workload-field.js';

/** What anyone can ask of a sweep. */
export interface GridRequest {
  readonly workload: WorkloadInput;
  /** The subsystem that it runs on. */
  readonly on: string;
  readonly profiles?: readonly ProfileSource[];
  /** Fields of the workload or changes of the subsystem with their values; every combination is a point. */
  readonly axes: readonly Sweep[];
  /** What is read of each point. */
  readonly metrics: readonly string[];
  /** 1 unless set. */
  readonly seed?: number;
}

/** One combination of values. */
export interface GridPoint {
  /** In the order of the axes. */
  readonly values: readonly (number | string)[];
  /** Null where it was refused or not reached. */
  readonly readings: Readings | null;
  readonly refused?: string;
}

/** What came of a sweep. */
export interface Grid {
  readonly format: 'kelpie-sweep/1';
  readonly subsystem: string;
  readonly seed: number;
  readonly axes: readonly Sweep[];
  readonly metrics: readonly string[];
  readonly points: readonly GridPoint[];
  /** The run was interrupted: points without readings were not reached. */
  readonly partial: boolean;
}

/** Who runs a sweep, watches, and knows points of an earlier run. */
export interface GridOptions extends TaskOptions {
  /** Points that need not be run again, by their place. */
  readonly known?: ReadonlyMap<number, Omit<GridPoint, 'values'>>;
  /** Called after each point that was run. */
  readonly onPoint?: (place: number, point: GridPoint, done: number, all: number) => void | Promise<void>;
}

const MOST_POINTS = 10_000;

/**
 * Runs a workload over every combination of values of some of its fields, or of constants and settings of its subsystem.
 *
 * @example
 * const { points } = await sweep({
 *   workload: { opcode: 'SEND', sizes: [512] },
 *   on: 'perf',
 *   axes: [{ parameter: 'qps', values: [1, 64] }, { parameter: 'device.contextCacheEntries', values: [64, 4096] }],
 *   metrics: ['goodputGbps'],
 * });
 */
export async function sweep(request: GridRequest, options: GridOptions = {}): Promise<Grid> {
  const { known = new Map(), onPoint } = options;
  const plan = planGrid(request);
  const points = plan.map(
    ({ values }, place): GridPoint => ({ readings: null, ...known.get(place), values }),
  );
  const open = [...plan.keys()].filter((place) => !known.has(place));
  let done = plan.length - open.length;
  const tasks = open.map((place) => plan[place].task);
  await runTasks(tasks, options, async (index, answer) => {
    const place = open[index];
    points[place] = { readings: null, ...answer, values: plan[place].values };
    await onPoint?.(place, points[place], ++done, plan.length);
  });
  const { on: subsystem, axes, metrics, seed = 1 } = request;
  return { format: 'kelpie-sweep/1', subsystem, seed, axes, metrics, points, partial: done < plan.length };
}

/** A point and the task that measures it. */
interface PlannedPoint {
  readonly values: readonly (number | string)[];
  readonly task: CompareTask;
}

/** Every point of a request, in order; refuses one that cannot be run, before anything does. */
export function planGrid({
  workload,
  on,
  axes,
  metrics,
  profiles = [],
  seed = 1,
}: GridRequest): PlannedPoint[] {
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  const names = axes.map(({ parameter }) => parameter);
  if (axes.length === 0 || new Set(names).size < names.length)
    throw refusal(names.join(', ') || 'none', 'one field or more, each once');
  if (count > MOST_POINTS) throw refusal(`${count} points`, `at most ${MOST_POINTS}`);
  let combinations: (number | string)[][] = [[]];
  for (const { values } of axes)
    combinations = combinations.flatMap((each) => values.map((value) => [...each, value]));
  return combinations.map((values) => {
    const changes: Record<string, number | string> = {};
    let input = workload;
    for (const [index, value] of values.entries()) {
      if (isChange(names[index])) changes[names[index]] = value;
      else input = withField(input, names[index], value);
    }
    const changed = changeSubsystem(on, changes as Changes, profiles);
    libraryOf(changed).find('subsystem', changed.subsystem);
    const resolved = resolveWorkload(input);
    for (const metric of metrics) readerOf(metric, resolved);
    return {
      values,
      task: { job: 'compare', kind: 'workload', on: changed, workload: input, metrics, seed },
    };
  });
}

/** A sweep as a comparison: over its first axis, with a variant for each combination of the others. */
export function asComparison({ axes, points, metrics, seed, partial, subsystem }: Grid): Comparison {
  const [first, ...others] = axes;
  const nameOf = (values: readonly (number | string)[]) =>
    others.map(({ parameter }, index) => `${parameter} ${values[index + 1]}`).join(', ') || subsystem;
  const renamed = points.map(
    ({ values, ...rest }): ComparePoint => ({ variant: nameOf(values), value: values[0], ...rest }),
  );
  return {
    ...{ format: 'kelpie-compare/1', kind: 'workload', seed, metrics, partial },
    variants: [...new Set(renamed.map(({ variant }) => variant))],
    parameter: first.parameter,
    values: first.values,
    points: renamed,
  };
}

function refusal(given: string, allowed: string): KelpieError {
  return new KelpieError('COMPARE_INVALID', 'this cannot be swept', { field: 'sweep', given, allowed });
}
