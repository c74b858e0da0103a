import { KelpieError } from '../../error.js';
import { libraryOf, type ProfileSource } from '../../testbeds/index.js';
import { resolveWorkload, type WorkloadInput } from '../../workload/index.js';
import { type Changes, changeSubsystem, isChange } from './change.js';
import { fabricNics } from './fat-tree.js';
import { runTasks, type TaskOptions } from './run-tasks.js';
import type { Sweep } from './sweep.js';
import { type CompareTask, type Readings, readerOf } from './task.js';
import { withField } from './workload-field.js';

/** What is compared: a measured workload, the memory of devices, or completion times in fat trees of light NICs. */
export type CompareKind = CompareTask['kind'];

/** One of the things that stand side by side. */
export interface Variant {
  /** As it is printed. */
  readonly name: string;
  /** A subsystem; in fat trees the name of a light NIC. */
  readonly on: string;
  readonly changes?: Changes;
}

/** What anyone can ask of a comparison. */
export interface CompareRequest {
  /** `workload` unless set. */
  readonly kind?: CompareKind;
  readonly variants: readonly Variant[];
  /** What is run; for the kind `workload`. */
  readonly workload?: WorkloadInput;
  /** Nothing is swept unless set; memory is swept over `connections`, fat trees over `servers`. */
  readonly sweep?: Sweep;
  /** What is read of each run, the first of them for the table and the plot; goodput and more unless set. */
  readonly metrics?: readonly string[];
  /** Registered memory behind the translations of `memory`; 4 GB unless set. */
  readonly regionsBytes?: number;
  /** Of fat trees: how long flows arrive, and their load. */
  readonly durationNs?: number;
  readonly load?: number;
  /** A user's own profiles. */
  readonly profiles?: readonly ProfileSource[];
  /** 1 unless set. */
  readonly seed?: number;
}

/** One variant at one value of the sweep. */
export interface ComparePoint {
  readonly variant: string;
  /** Null where nothing is swept. */
  readonly value: number | string | null;
  /** Null where it was refused or not reached. */
  readonly readings: Readings | null;
  /** Why it cannot be measured. */
  readonly refused?: string;
}

/** What came of a comparison: the same for the table, JSON, CSV and the page. */
export interface Comparison {
  readonly format: 'kelpie-compare/1';
  readonly kind: CompareKind;
  readonly seed: number;
  readonly variants: readonly string[];
  readonly parameter: string | null;
  readonly values: readonly (number | string)[];
  /** Names of the readings, the first of them for the table and the plot. */
  readonly metrics: readonly string[];
  /** By variant, then by value. */
  readonly points: readonly ComparePoint[];
  /** The run was interrupted: points without readings were not reached. */
  readonly partial: boolean;
}

/** Who runs a comparison and watches. */
export interface CompareOptions extends TaskOptions {
  /** Called after each point. */
  readonly onPoint?: (point: ComparePoint, done: number, all: number) => void;
}

const DEFAULT_METRICS = ['goodputGbps', 'sentGbps', 'messagesPerSecond', 'latencyNs.p50', 'pauseRatio'];
const MEMORY_METRICS = ['chipBytes', 'hostBytes'];
const FAT_TREE_METRICS = ['meanFctUs', 'p99FctUs', 'meanSlowdown'];
/** SRNIC §3.2: 4 GB in pages of 4 KB. */
const DEFAULT_REGIONS_BYTES = 4 * 2 ** 30;
const MOST_POINTS = 10_000;

/**
 * Runs one workload, or one sweep of it, on several subsystems, devices or settings side by side.
 *
 * @example
 * const comparison = await compare({
 *   variants: [{ name: 'ConnectX-6', on: 'srnic' }, { name: 'ConnectX-5', on: 'husky' }],
 *   workload: { opcode: 'SEND', sizes: [512] },
 *   sweep: { parameter: 'qps', values: [1, 16, 256] },
 * });
 */
export async function compare(request: CompareRequest, options: CompareOptions = {}): Promise<Comparison> {
  const plan = planOf(request);
  const points: ComparePoint[] = plan.map(({ variant, value }) => ({ variant, value, readings: null }));
  let done = 0;
  const tasks = plan.map(({ task }) => task);
  await runTasks(tasks, options, (index, answer) => {
    points[index] = { ...points[index], readings: null, ...answer };
    options.onPoint?.(points[index], ++done, plan.length);
  });
  const { kind = 'workload', sweep, seed = 1 } = request;
  return {
    ...{ format: 'kelpie-compare/1', kind, seed },
    variants: request.variants.map(({ name }) => name),
    parameter: sweep?.parameter ?? null,
    values: sweep?.values ?? [],
    metrics: metricsOf(request),
    points,
    partial: done < plan.length,
  };
}

/** A point and the task that measures it. */
interface PlannedPoint {
  readonly variant: string;
  readonly value: number | string | null;
  readonly task: CompareTask;
}

/** Refuses a request that cannot be run, before anything does. */
export function requireComparable(request: CompareRequest): void {
  planOf(request);
}

/** Every point of a request. */
function planOf(request: CompareRequest): PlannedPoint[] {
  const { variants, sweep } = request;
  const names = variants.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (variants.length === 0 || twice !== undefined)
    throw refusal('variants', twice ?? 'none', 'one or more, each with a name of its own');
  const values = sweep?.values ?? [null];
  if (variants.length * values.length > MOST_POINTS)
    throw refusal('sweep', `${variants.length * values.length} points`, `at most ${MOST_POINTS}`);
  return variants.flatMap((variant) =>
    values.map((value) => ({ variant: variant.name, value, task: taskOf(request, variant, value) })),
  );
}

function taskOf(request: CompareRequest, variant: Variant, value: number | string | null): CompareTask {
  const { kind = 'workload', sweep, seed = 1, profiles = [] } = request;
  const parameter = sweep?.parameter ?? '';
  if (kind === 'fat-tree') {
    if (!fabricNics.includes(variant.on)) throw refusal('variants', variant.on, fabricNics.join(', '));
    if (parameter !== 'servers') throw refusal('sweep', parameter, 'servers');
    const { durationNs, load } = request;
    return {
      ...{ job: 'compare', kind, nic: variant.on, servers: integer('servers', value, 1, 4096), seed },
      ...(durationNs === undefined ? {} : { durationNs }),
      ...(load === undefined ? {} : { load }),
    };
  }
  const swept: Changes = value !== null && isChange(parameter) ? { [parameter]: value } : {};
  const on = changeSubsystem(variant.on, { ...variant.changes, ...swept }, profiles);
  libraryOf(on).find('subsystem', on.subsystem);
  if (kind === 'memory') {
    const connections = parameter === 'connections' ? integer('connections', value, 1, 1e7) : null;
    if (connections === null && !isChange(parameter))
      throw refusal('sweep', parameter, 'connections, or a change such as device.NAME');
    return {
      ...{ job: 'compare', kind, on, connections: connections ?? 1 },
      regionsBytes: request.regionsBytes ?? DEFAULT_REGIONS_BYTES,
    };
  }
  const given = request.workload;
  if (given === undefined) throw refusal('workload', 'none', 'what is to be run');
  const workload = value === null || isChange(parameter) ? given : withField(given, parameter, value);
  const metrics = metricsOf(request);
  const resolved = resolveWorkload(workload);
  for (const metric of metrics) readerOf(metric, resolved);
  return { job: 'compare', kind, on, workload, metrics, seed };
}

function metricsOf({ kind = 'workload', metrics }: CompareRequest): readonly string[] {
  if (metrics !== undefined && metrics.length > 0) return metrics;
  if (kind === 'memory') return MEMORY_METRICS;
  return kind === 'fat-tree' ? FAT_TREE_METRICS : DEFAULT_METRICS;
}

function integer(field: string, given: unknown, min: number, max: number): number {
  if (typeof given === 'number' && Number.isInteger(given) && given >= min && given <= max) return given;
  throw refusal(field, given, `an integer from ${min} to ${max}`);
}

function refusal(field: string, given: unknown, allowed: string): KelpieError {
  return new KelpieError('COMPARE_INVALID', 'this cannot be compared', { field, given, allowed });
}
