import { InProcessPool, type Pool } from '../pool/index.js';
import { huntAnswerOf, type HuntAnswer } from './answer/answer.js';
import type { HuntArchive } from './archive.js';
import type { Outcome } from './experiments/experiment.js';
import type { ExperimentRecord } from './experiments/record.js';
import { type HuntTask, runHuntTask } from './experiments/task.js';
import type { HuntState } from './hunt-state.js';
import { type HuntOrder, type HuntRequest, orderHunt } from './order.js';
import { runPlan } from './run-plan.js';

/** With no more workers than this there is always something to do that is wanted for sure. */
const ENOUGH_WORKERS = 4;

/** Who runs a hunt, keeps it and watches it. */
export interface HuntOptions {
  /** Runs the experiments; here, one at a time, unless set. Stays open. */
  pool?: Pool<HuntTask, Outcome>;
  /** Keeps the experiments of the hunt of this number, and has those of an earlier run of the same order. */
  archive?: { hunts: HuntArchive; id: number };
  /** Called after each experiment as the search learns of it, those that were kept among them. */
  onExperiment?: (record: ExperimentRecord, state: HuntState) => void;
  /** Ends the hunt; the answer is then marked partial. */
  signal?: AbortSignal;
  /** Seconds since some moment; needed for a budget in wall time, and for the answer to say how long it took. */
  wallClock?: () => number;
}

/**
 * Hunts for the anomalies of a subsystem. The outcome depends on the request alone, not on who runs the experiments or
 * how many at a time.
 *
 * @example
 * const { anomalies } = await hunt({ budget: '600', seed: 7 }, { onExperiment: ({ index }) => console.log(index) });
 */
export async function hunt(
  request: HuntRequest | HuntOrder = {},
  { pool, archive, onExperiment, signal, wallClock }: HuntOptions = {},
): Promise<HuntAnswer> {
  const { subsystem, testbed, plan } = 'plan' in request ? request : orderHunt(request);
  const ownSignal = signal === undefined ? {} : { signal };
  const runner =
    pool ?? new InProcessPool((task: HuntTask, { onProgress }) => runHuntTask(task, { onProgress, signal }));
  const start = wallClock?.() ?? 0;
  const result = await runPlan(plan, {
    experiment: (order, { onCost: onProgress, signal: given } = {}) =>
      runner.run({ job: 'hunt', testbed, ...order }, { onProgress, signal: given }),
    ...(runner.size > ENOUGH_WORKERS ? { idleWorkers: () => runner.idle ?? 0 } : {}),
    ...(archive === undefined
      ? {}
      : {
          kept: (dispatch) => archive.hunts.kept(archive.id, dispatch),
          keep: (experiment) => archive.hunts.keep(archive.id, experiment),
        }),
    ...(onExperiment === undefined ? {} : { onExperiment }),
    ...(wallClock === undefined ? {} : { wallClock }),
    ...ownSignal,
  });
  const answer = huntAnswerOf(subsystem, plan, result, (wallClock?.() ?? start) - start);
  if (archive !== undefined && !answer.partial) await archive.hunts.putAnswer(archive.id, answer);
  return answer;
}
