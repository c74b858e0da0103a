import type { RunOptions } from '../../workload/index.js';
import type { KnownSet } from '../hunt/index.js';
import type { Axis, CampaignPoint } from './axis.js';
import type { CampaignDescription } from './description.js';
import type { HostExaminer, WayProber } from './host.js';
import type { CampaignReader } from './reader.js';

/** What a job makes of a description: its axes without the seed, and what all of its tasks have in common, plain data. */
export interface Planned<Base> {
  readonly axes: readonly Axis[];
  readonly base: Base;
}

/** What a task gets beside its base and its point. */
export interface TaskOptions {
  /** What is read of the run. */
  readonly metrics: readonly string[];
  /** Whether all of the run is kept. */
  readonly keepsAll: boolean;
  /** What earlier hunts have found. */
  readonly known: readonly KnownSet[];
  readonly run: TaskRun;
}

/** What whoever runs tasks gives them. */
export interface TaskRun extends Pick<RunOptions, 'signal' | 'memory'> {
  readonly examineHost?: HostExaminer;
  /** Only a worker has others to probe. */
  readonly probeWay?: WayProber;
}

/** What came of a task, plain data that depends on the task alone. */
export interface Measured {
  /** Numbers by name; null where there is none. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** A few words for a table. */
  readonly says: string;
  /** Whether there is something to look at: an anomaly, a violation, a red row. */
  readonly found: boolean;
  /** All of it, where it is kept. */
  readonly detail?: unknown;
  /** What later hunts need not look for. */
  readonly known?: readonly KnownSet[];
}

/** One job as campaigns run it. */
export interface CampaignKind<Base> {
  /** Fields of the description that it needs, and those that it may have, beside what every campaign has. */
  readonly required: readonly (keyof CampaignDescription)[];
  readonly optional: readonly (keyof CampaignDescription)[];
  /** Whether all of a run is kept unless the campaign says. */
  readonly keepsAll: boolean;
  /** Metrics that every run has. */
  readonly metrics: readonly string[];
  /** Reads a description; faults go to the reader, and null comes back if there is nothing to go on with. */
  plan(description: CampaignDescription, reader: CampaignReader): Planned<Base> | null;
  /** Whether a metric is one that runs can have; those of `metrics` need not be asked. */
  hasMetric?(base: Base, metric: string): boolean;
  /** Labels that the worker of a task must have besides those of the campaign. */
  labelsOf?(point: CampaignPoint): readonly string[];
  /** Labels of the machines that a task is about: tasks that share one run one after the other. */
  machinesOf?(point: CampaignPoint): readonly string[];
  run(base: Base, point: CampaignPoint, options: TaskOptions): Promise<Measured>;
}
