import { findScheme, type Isolation } from '../../schemes/index.js';
import {
  hostsNeeded,
  type Measurement,
  type RunOptions,
  resolveWorkload,
  runWorkload,
  type TenantInput,
  type Testbed,
  type Workload,
} from '../../workload/index.js';
import { findAttacker, findVictim } from './find.js';
import { type ResourceBounds, type ResourceUse, resourceUse } from './resources.js';
import type { Attacker } from './suite/index.js';
import { refusalOf, underScheme } from './under-scheme.js';
import { windowFor } from './window.js';

/** One run, as plain data that can go to another thread. */
export interface ExperimentTask {
  scheme: string;
  victim: string;
  /** Null: the victim alone; {@link TWIN}: beside its own like. */
  attacker: string | null;
  /** What each tenant is promised. */
  guaranteeGbps: number;
  /** The attacker calls the provider's verbs past the scheme. */
  bypass: boolean;
  /** Whether the time lines are wanted. */
  series: boolean;
  seed: number;
  /** Watched this many times as long as usual; once unless set. */
  times?: number;
}

/** Rates over time. */
export interface TimeLine {
  timeNs: readonly number[];
  victimGbps: readonly number[];
  attackerGbps: readonly number[];
}

/** What a run gave. */
export type ExperimentResult =
  | { kind: 'refused'; reason: string }
  | {
      kind: 'measured';
      /** Of the victim, on the wire. */
      gbps: number;
      messagesPerSecond: number;
      latencyNs: number | null;
      attackerGbps: number;
      attackerMessagesPerSecond: number;
      use: ResourceUse;
      events: number;
      timeLine: TimeLine | null;
    };

/** What an experiment runs on. */
export interface ExperimentBench {
  /** Opens a testbed of this many hosts whose tenants are kept apart. */
  open(options: {
    hosts: number;
    seed: number;
    isolation: Isolation;
  }): Promise<{ testbed: Testbed; bounds: ResourceBounds | null }>;
  run?: Pick<RunOptions, 'signal' | 'onSlice' | 'memory'>;
}

/** In the place of an attacker: a tenant that does just what the victim does, which is what a fair share is. */
export const TWIN = 'twin';

const VICTIM = 'victim';
const ATTACKER = 'attacker';

/** The workload of a task. The victim comes first: the tenant that a strict priority favours. */
export function workloadOf(task: Pick<ExperimentTask, 'victim' | 'attacker' | 'times'>): Workload {
  const victim = findVictim(task.victim);
  const attacker = attackerOf(task);
  const tenants: TenantInput[] = [{ ...victim.tenant, name: VICTIM }];
  if (attacker !== null) tenants.push({ ...attacker.tenant, name: ATTACKER });
  else if (task.attacker === TWIN) tenants.push({ ...victim.tenant, name: ATTACKER });
  return resolveWorkload({ name: task.victim, tenants, measure: windowFor(attacker, task.times).measure });
}

function attackerOf({ attacker }: Pick<ExperimentTask, 'attacker'>): Attacker | null {
  return attacker === null || attacker === TWIN ? null : findAttacker(attacker);
}

/** Runs one task. */
export async function runExperiment(task: ExperimentTask, bench: ExperimentBench): Promise<ExperimentResult> {
  const scheme = findScheme(task.scheme);
  const { workload, isolation } = underScheme(workloadOf(task), scheme, {
    guaranteeGbps: task.guaranteeGbps,
    bypass: task.bypass ? [ATTACKER] : [],
  });
  // Alone, the victim has the place that it would have beside the attacker.
  const both = workload.tenants.length === 1 ? withGhost(isolation!) : isolation!;
  const hosts = hostsNeeded(workload).length;
  const { testbed, bounds } = await bench.open({ hosts, seed: task.seed, isolation: both });
  try {
    const { capabilities } = testbed.hosts[0].context;
    const loyal = workload.tenants.filter(({ name }) => !(task.bypass && name === ATTACKER));
    const reason = refusalOf(scheme, loyal, testbed.provider, capabilities);
    if (reason !== null) return { kind: 'refused', reason };
    const measurement = await runWorkload(workload, testbed, {
      seed: task.seed,
      watchLinks: false,
      ...bench.run,
    });
    return measured(measurement, bounds, task);
  } finally {
    await testbed.close();
  }
}

function withGhost(isolation: Isolation): Isolation {
  const [victim] = isolation.tenants;
  return { ...isolation, tenants: [victim, { ...victim, name: ATTACKER, index: 1 }] };
}

function measured(
  measurement: Measurement,
  bounds: ResourceBounds | null,
  task: ExperimentTask,
): ExperimentResult {
  const { lastNs } = windowFor(attackerOf(task));
  const victim = measurement.tenants.find(({ name }) => name === VICTIM)!;
  const attacker = measurement.tenants.find(({ name }) => name === ATTACKER);
  // Where the window is fixed, the steady part's rates are scaled to it by the payload of its slices.
  const share =
    lastNs === null || victim.goodputGbps === 0
      ? 1
      : lastGbps(measurement, VICTIM, lastNs) / victim.goodputGbps;
  return {
    kind: 'measured',
    gbps: victim.wireGbps * share,
    messagesPerSecond: victim.messagesPerSecond * share,
    latencyNs: victim.latencyNs?.mean ?? null,
    attackerGbps: attacker?.wireGbps ?? 0,
    attackerMessagesPerSecond: attacker?.messagesPerSecond ?? 0,
    use: bounds === null ? {} : resourceUse(measurement, bounds),
    events: measurement.events ?? 0,
    timeLine: task.series
      ? {
          timeNs: measurement.series.timeNs,
          victimGbps: measurement.series.tenants[VICTIM]?.goodputGbps ?? [],
          attackerGbps: measurement.series.tenants[ATTACKER]?.goodputGbps ?? [],
        }
      : null,
  };
}

/** A tenant's mean goodput over the end of a run. */
function lastGbps({ series }: Measurement, tenant: string, lastNs: number): number {
  const from = series.timeNs[series.timeNs.length - 1] - lastNs;
  const values = series.tenants[tenant].goodputGbps.filter((_, slice) => series.timeNs[slice] > from);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
