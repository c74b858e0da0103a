import { KelpieError } from '../../error.js';
import { ledgerOf, nicArchitectures } from '../../models/index.js';
import { openTestbed, subsystemOf } from '../../testbeds/index.js';
import {
  hostsNeeded,
  METRICS_IN_WORDS,
  metricReader,
  type RunOptions,
  resolveWorkload,
  runWorkload,
  type Workload,
  type WorkloadInput,
} from '../../workload/index.js';
import { eventTurn } from '../pool/index.js';
import { type ChangedSubsystem, lossesOf } from './change.js';
import { type FatTree, runFatTree } from './fat-tree.js';

/** One point of a comparison, as plain data that can go to another thread. */
export type CompareTask = { readonly job: 'compare' } & (
  | {
      readonly kind: 'workload';
      readonly on: ChangedSubsystem;
      readonly workload: WorkloadInput;
      readonly metrics: readonly string[];
      readonly seed: number;
    }
  | {
      readonly kind: 'memory';
      readonly on: ChangedSubsystem;
      readonly connections: number;
      readonly regionsBytes: number;
    }
  | ({ readonly kind: 'fat-tree' } & FatTree)
);

/** Numbers by name; null where there is none. */
export type Readings = Readonly<Record<string, number | null>>;

/** What came of a point: numbers, why it cannot be measured, or null where the signal was raised before its end. */
export type CompareAnswer = { readonly readings: Readings } | { readonly refused: string } | null;

/** Runs one point of a comparison. What a device refuses, such as more queue pairs than it has, is an answer. */
export async function runCompareTask(
  task: CompareTask,
  run: Pick<RunOptions, 'signal' | 'memory'> = {},
): Promise<CompareAnswer> {
  try {
    const readings = await readingsOf(task, run);
    return readings === null ? null : { readings };
  } catch (error) {
    if (error instanceof KelpieError) return { refused: `${error.message} [${error.code}]` };
    throw error;
  }
}

async function readingsOf(
  task: CompareTask,
  run: Pick<RunOptions, 'signal' | 'memory'>,
): Promise<Readings | null> {
  switch (task.kind) {
    case 'workload':
      return measured(task, run);
    case 'memory':
      return memoryOf(task);
    case 'fat-tree':
      return runFatTree(task, run.signal);
  }
}

async function measured(
  { on, workload: input, metrics, seed }: Extract<CompareTask, { kind: 'workload' }>,
  run: Pick<RunOptions, 'signal' | 'memory'>,
): Promise<Readings | null> {
  const workload = resolveWorkload(input);
  const { ablate, subsystem, profiles } = on;
  const { settings } = workload;
  const testbed = await openTestbed({
    ...{ subsystem, profiles, settings, ablate, seed },
    hosts: hostsNeeded(workload),
    impairments: lossesOf(on),
  });
  try {
    const measurement = await runWorkload(workload, testbed, {
      ...{ seed, watchLinks: false, followLatency: true, onSlice: eventTurn },
      ...run,
    });
    if (measurement.partial) return null;
    return Object.fromEntries(
      metrics.map((metric) => {
        const value = readerOf(metric, workload)(measurement);
        return [metric, typeof value === 'number' ? value : null];
      }),
    );
  } finally {
    await testbed.close();
  }
}

/** The reader of a metric; refuses one that the workload cannot have. */
export function readerOf(metric: string, workload: Workload): NonNullable<ReturnType<typeof metricReader>> {
  const read = metricReader(metric, workload);
  if (read !== null) return read;
  throw new KelpieError('COMPARE_UNKNOWN_METRIC', 'there is no such metric', {
    field: 'metric',
    given: metric,
    allowed: METRICS_IN_WORDS,
  });
}

/** Bytes on the chip and in host memory, and of every structure by itself. */
function memoryOf({ on, connections, regionsBytes }: Extract<CompareTask, { kind: 'memory' }>): Readings {
  const { architecture, constants } = subsystemOf(on).device;
  const use = { queuePairs: connections, regionsBytes };
  const ledger = ledgerOf(nicArchitectures().compose(architecture), constants, use);
  const sum = (place: string) =>
    ledger.reduce((bytes, row) => (row.place === place ? bytes + row.bytes : bytes), 0);
  return {
    chipBytes: sum('chip'),
    hostBytes: sum('host'),
    ...Object.fromEntries(ledger.map(({ structure, place, bytes }) => [`${place}: ${structure}`, bytes])),
  };
}
