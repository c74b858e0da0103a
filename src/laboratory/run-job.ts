import { KelpieError } from '../error.js';
import { hunt, orderHunt } from '../jobs/hunt/index.js';
import { eventTurn, type JobPool } from '../jobs/index.js';
import { failureOf } from '../jobs/pool/index.js';
import { findRow, runTasks } from '../jobs/reproduce/index.js';
import { openTestbedFor, subsystemOf } from '../testbeds/index.js';
import { type Measurement, parseWorkload, type RunOptions, runWorkload } from '../workload/index.js';
import type {
  HuntJobRequest,
  JobEvent,
  JobRequest,
  JobResult,
  ReproduceRequest,
  RunRequest,
} from './backend.js';

/** Who runs a job, ends it and watches it. */
export interface JobHost {
  /** Runs the tasks of hunts and rows. A run is made where it is asked for: it has no parts. */
  readonly pool: JobPool;
  readonly signal: AbortSignal;
  /** Seconds since some moment. */
  readonly wallClock: () => number;
  readonly memory?: RunOptions['memory'];
  readonly onEvent: (event: JobEvent) => void;
}

/** Refuses a request that makes no sense, before anything is made for it. */
export function checkRequest(request: JobRequest): void {
  if (!Number.isSafeInteger(request.seed) || request.seed < 0)
    throw new KelpieError('BAD_REQUEST', 'this is no seed', {
      field: 'seed',
      given: request.seed,
      allowed: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    });
  switch (request.job) {
    case 'run':
      subsystemOf({ subsystem: request.subsystem });
      parseWorkload(request.workload, 'workload');
      return;
    case 'hunt':
      orderOf(request);
      return;
    case 'reproduce':
      findRow(request.row);
      return;
    default:
      throw new KelpieError('BAD_REQUEST', 'there is no such job', {
        field: 'job',
        given: (request as { job: unknown }).job,
        allowed: 'run, hunt, reproduce',
      });
  }
}

/**
 * Runs a job and tells what happens, up to its last event; never rejects.
 *
 * @example
 * await runJob({ job: 'reproduce', row: 'H9', seed: 1 }, { pool, signal, wallClock, onEvent: console.log });
 */
export async function runJob(request: JobRequest, host: JobHost): Promise<void> {
  const { signal, onEvent } = host;
  try {
    checkRequest(request);
    const result = await resultOf(request, host);
    onEvent(result === null ? { kind: 'cancelled' } : { kind: 'result', result });
  } catch (error) {
    onEvent(signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', failure: failureOf(error) });
  }
}

function resultOf(request: JobRequest, host: JobHost): Promise<JobResult | null> {
  switch (request.job) {
    case 'run':
      return measured(request, host);
    case 'hunt':
      return hunted(request, host);
    case 'reproduce':
      return reproduced(request, host);
  }
}

async function measured(request: RunRequest, host: JobHost): Promise<JobResult> {
  return { job: 'run', measurement: await measureRun(request, host) };
}

/** Makes a run as `kelpie run --levels` makes it: the same seed and workload give the same bits. */
async function measureRun(
  { subsystem, workload: text, seed }: RunRequest,
  { signal, memory, wallClock, onEvent }: JobHost,
): Promise<Measurement> {
  const workload = parseWorkload(text, 'workload');
  const testbed = await openTestbedFor(workload, { subsystem, seed });
  try {
    return await runWorkload(workload, testbed, {
      ...{ seed, signal, wallClock, followLatency: true, levels: true },
      ...(memory === undefined ? {} : { memory }),
      onSetUp: (made, all) => onEvent({ kind: 'setUp', made, all }),
      onSlice: (progress) => {
        onEvent({ kind: 'slice', ...progress });
        // Virtual time never waits: without this nobody could end the run.
        return eventTurn();
      },
    });
  } finally {
    await testbed.close();
  }
}

function orderOf({ subsystem, budget, seed }: HuntJobRequest): ReturnType<typeof orderHunt> {
  return orderHunt({ testbed: { subsystem }, budget, seed });
}

async function hunted(
  request: HuntJobRequest,
  { pool, signal, wallClock, onEvent }: JobHost,
): Promise<JobResult> {
  const answer = await hunt(orderOf(request), {
    ...{ pool, signal, wallClock },
    onExperiment: (record, { finds }) => onEvent({ kind: 'experiment', record, finds: finds.length }),
  });
  return { job: 'hunt', answer };
}

async function reproduced(
  { row, seed }: ReproduceRequest,
  { pool, signal }: JobHost,
): Promise<JobResult | null> {
  const [found] = await runTasks([{ kind: 'row', id: row }], { seed, pool, signal });
  return found?.kind === 'row' ? { job: 'reproduce', row: found.result } : null;
}
