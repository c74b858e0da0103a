import { InProcessPool, type Pool } from '../../pool/index.js';
import type { Anomaly, HuntAnswer } from '../answer/answer.js';
import type { HuntTestbed } from '../experiments/task.js';
import type { AnomalyEvidence } from './evidence.js';
import { type EvidenceTask, runEvidenceTask } from './task.js';

/** Who gathers evidence, and for how much. */
export interface EvidenceOptions {
  /** Runs the workloads; here, one at a time, unless set. Stays open. */
  pool?: Pool<EvidenceTask, AnomalyEvidence>;
  /** How many anomalies, the worst first; all unless set. */
  most?: number;
  /** Ends it; what was gathered until then is returned. */
  signal?: AbortSignal;
  /** Called after each anomaly. */
  onGathered?: (done: number, all: number) => void;
}

/**
 * Runs the reproducers of a hunt again to show them over time, those of the worst anomalies first, and finds out which
 * part causes each by switching it off.
 *
 * @example
 * const evidence = await gatherEvidence(answer, { subsystem: 'collie-f' }, { most: 5 });
 */
export async function gatherEvidence(
  answer: HuntAnswer,
  testbed: HuntTestbed,
  { pool, most = answer.anomalies.length, signal, onGathered }: EvidenceOptions = {},
): Promise<AnomalyEvidence[]> {
  const runner =
    pool ?? new InProcessPool((task: EvidenceTask) => runEvidenceTask(task, signal ? { signal } : {}));
  const worst = answer.anomalies
    .map((anomaly, index) => ({ anomaly, index }))
    .sort((one, other) => other.anomaly.severity - one.anomaly.severity)
    .slice(0, most);
  const gathered: AnomalyEvidence[] = [];
  const one = async (task: EvidenceTask) => {
    const evidence = await runner.run(task).catch((cause) => {
      // A pool that is closed by the signal refuses what it had not begun.
      if (signal?.aborted === true) return null;
      throw cause;
    });
    if (evidence === null || signal?.aborted === true) return;
    gathered.push(evidence);
    onGathered?.(gathered.length, worst.length);
  };
  await Promise.all(worst.map(({ anomaly, index }) => one(taskOf(anomaly, index, answer.seed, testbed))));
  return gathered.sort((first, second) => first.anomaly - second.anomaly);
}

function taskOf(anomaly: Anomaly, index: number, seed: number, testbed: HuntTestbed): EvidenceTask {
  // Of the ways out the one that gives most is worth a picture.
  const [remedy] = anomaly.advice
    .filter(({ workload }) => workload !== undefined)
    .sort((one, other) => (other.wireGbps ?? 0) - (one.wireGbps ?? 0));
  return {
    ...{ job: 'evidence', testbed, anomaly: index, seed },
    workload: anomaly.workload,
    remedy: remedy?.workload === undefined ? null : { text: remedy.text, workload: remedy.workload },
    moved: anomaly.counters,
  };
}
