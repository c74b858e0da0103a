import { KelpieError } from '../../../error.js';
import { openTestbedFor, type TestbedDescription } from '../../../testbeds/index.js';
import { type RunOptions, runWorkload } from '../../../workload/index.js';
import { eventTurn } from '../../pool/index.js';
import { costOf, type DeliveredSoFar } from './cost.js';
import { type ExperimentOrder, type Outcome, outcomeOf } from './experiment.js';

/** What a hunt runs its experiments on: plain data. */
export type HuntTestbed = Pick<TestbedDescription, 'provider' | 'subsystem' | 'profiles'>;

/** Slices of a run after which it tells what it has cost and gives the event loop a turn. */
const SLICES_PER_TURN = 4;

/** One experiment of a hunt, as plain data that can go to another thread. */
export interface HuntTask extends ExperimentOrder {
  job: 'hunt';
  testbed: HuntTestbed;
}

/** How a task is run. */
export interface HuntTaskOptions extends Pick<RunOptions, 'signal' | 'memory'> {
  /** Told after each slice what the experiment will cost at least. */
  onProgress?: (leastCost: number) => void;
}

/**
 * Runs one experiment on a testbed of its own.
 *
 * @example
 * const order = { workload, seed: 1, baseline: NO_BASELINE, unlimited: false };
 * const { observation } = await runHuntTask({ job: 'hunt', testbed: { subsystem: 'collie-f' }, ...order });
 */
export async function runHuntTask(
  { testbed: description, workload, seed, baseline, unlimited }: HuntTask,
  { onProgress, ...run }: HuntTaskOptions = {},
): Promise<Outcome> {
  const testbed = await openTestbedFor(workload, { ...description, seed });
  let delivered: DeliveredSoFar = { packets: 0, messages: 0 };
  let slices = 0;
  try {
    const measurement = await runWorkload(workload, testbed, {
      watchLinks: false,
      ...run,
      seed,
      onSlice: ({ packets, messages }) => {
        delivered = { packets, messages };
        if (++slices % SLICES_PER_TURN !== 0) return;
        onProgress?.(costOf(workload, delivered));
        return eventTurn();
      },
    });
    if (measurement.partial) throw interrupted();
    return outcomeOf(measurement, { baseline, unlimited }, delivered);
  } finally {
    // A simulated one is memory alone, which nobody else has: it would take its time to give back each request.
    if (testbed.provider !== 'simulated') await testbed.close();
  }
}

function interrupted(): KelpieError {
  return new KelpieError('CANNOT_RUN', 'the experiment was interrupted');
}
