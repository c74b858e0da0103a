import { openTestbedFor, type TestbedDescription } from '../../testbeds/index.js';
import { type Measurement, type RunOptions, runWorkload, type Workload } from '../../workload/index.js';
import { eventTurn } from '../pool/index.js';

/** What a hunt runs its experiments on: plain data. */
export type HuntTestbed = Pick<TestbedDescription, 'provider' | 'subsystem' | 'profiles'>;

/** One experiment of a hunt, as plain data that can go to another thread. */
export interface HuntTask {
  job: 'hunt';
  testbed: HuntTestbed;
  workload: Workload;
  seed: number;
}

/**
 * Runs one experiment on a testbed of its own.
 *
 * @example
 * const measurement = await runHuntTask({ job: 'hunt', testbed: { subsystem: 'collie-f' }, workload, seed: 1 });
 */
export async function runHuntTask(
  { testbed: description, workload, seed }: HuntTask,
  run: Pick<RunOptions, 'signal' | 'onSlice' | 'memory'> = {},
): Promise<Measurement> {
  const testbed = await openTestbedFor(workload, { ...description, seed });
  try {
    const measurement = await runWorkload(workload, testbed, {
      ...{ onSlice: eventTurn, watchLinks: false },
      ...run,
      seed,
    });
    // A search has no use for the slices, and they are most of what would go between threads.
    return { ...measurement, series: { timeNs: [], tenants: {}, hosts: {} } };
  } finally {
    await testbed.close();
  }
}
