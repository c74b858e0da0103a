import { mechanisms } from '../../../models/index.js';
import { openTestbed, openTestbedFor, subsystemOf } from '../../../testbeds/index.js';
import {
  hostsNeeded,
  type Measurement,
  type RunOptions,
  resolveWorkload,
  runWorkload,
  type WorkloadInput,
} from '../../../workload/index.js';
import { type Explanation, explain } from '../../explain/index.js';
import { eventTurn } from '../../pool/index.js';
import type { MovedCounter } from '../counters.js';
import type { HuntTestbed } from '../experiments/task.js';
import { componentOf } from '../reduce/component.js';
import { type AnomalyEvidence, evidenceRun, type VerifiedCause } from './evidence.js';

/** One anomaly to be shown, as plain data that can go to another thread. */
export interface EvidenceTask {
  job: 'evidence';
  testbed: HuntTestbed;
  anomaly: number;
  seed: number;
  workload: WorkloadInput;
  /** What clears it; null where nothing is known to. */
  remedy: { text: string; workload: WorkloadInput } | null;
  moved: readonly MovedCounter[];
}

type EvidenceRunOptions = Pick<RunOptions, 'signal' | 'memory'>;

/**
 * Runs a reproducer, the same with what clears it, and again with the suspected parts of the device off: what the report
 * of a hunt shows.
 *
 * @example
 * const { found, cause } = await runEvidenceTask(task);
 */
export async function runEvidenceTask(
  { testbed, anomaly, seed, workload, remedy, moved }: EvidenceTask,
  run: EvidenceRunOptions = {},
): Promise<AnomalyEvidence> {
  const found = await measure(testbed, workload, seed, run);
  const cleared = remedy === null ? null : await measure(testbed, remedy.workload, seed, run);
  const cause = await causeOf(found, testbed, run);
  return {
    ...{ anomaly, seed },
    lineRateGbps: lineRateOf(found),
    found: evidenceRun(workload, found, moved),
    cleared:
      remedy === null || cleared === null
        ? null
        : { text: remedy.text, run: evidenceRun(remedy.workload, cleared, moved) },
    cause,
  };
}

async function measure(
  description: HuntTestbed,
  input: WorkloadInput,
  seed: number,
  run: EvidenceRunOptions,
): Promise<Measurement> {
  const workload = resolveWorkload(input);
  const testbed = await openTestbedFor(workload, { ...description, seed });
  try {
    return await runWorkload(workload, testbed, { onSlice: eventTurn, ...run, seed });
  } finally {
    await testbed.close();
  }
}

function lineRateOf({ verdict, directions }: Measurement): number | null {
  const ways = new Set(directions.map(({ from, to }) => `${from} ${to}`)).size;
  return verdict.bounds === null ? null : verdict.bounds.lineRateGbps * Math.min(2, ways);
}

/** What makes the anomaly go away when it is switched off; only simulated parts can be. */
async function causeOf(
  found: Measurement,
  description: HuntTestbed,
  run: EvidenceRunOptions,
): Promise<VerifiedCause | null> {
  if ((description.provider ?? 'simulated') !== 'simulated' || !found.verdict.anomaly) return null;
  const { workload, seed } = found;
  const explanation = await explain(found, {
    subsystem: subsystemOf({ ...description, settings: workload.settings }),
    mechanisms,
    open: (changed, subsystem, ablate) =>
      openTestbed({
        ...{ hosts: hostsNeeded(changed), subsystem, seed },
        ablate: ablate as (keyof typeof mechanisms)[],
      }),
    run: { onSlice: eventTurn, ...run },
  });
  return verified(explanation);
}

function verified({ cause, outcomes }: Explanation): VerifiedCause | null {
  if (cause === null) return null;
  const { name, ablate, clears, faster } = cause;
  const others = outcomes.filter((each) => each.clears && each.name !== name);
  return {
    component: ablate.length === 1 ? componentOf(ablate[0]) : null,
    ...{ whatIf: name, clears, faster },
    others: others.map((each) => each.name),
  };
}
