import { KelpieError } from '../../error.js';
import { explain } from '../../jobs/explain/index.js';
import { answerOf, Fabric, parseFabric, runFabric, runMixed } from '../../jobs/fabric/index.js';
import { eventTurn } from '../../jobs/index.js';
import { checkUp, healthyTwin, openServer, parseFault, SIMULATED_PROBES } from '../../jobs/ping/index.js';
import { openSimulated, runTask } from '../../jobs/reproduce/index.js';
import { mechanisms } from '../../models/index.js';
import { openTestbed, openTestbedFor, type ProfileSource, subsystemOf } from '../../testbeds/index.js';
import {
  hostsNeeded,
  type Measurement,
  parseWorkload,
  type RunOptions,
  runWorkload,
} from '../../workload/index.js';
import type {
  ExplainRequest,
  FabricJobRequest,
  JobEvent,
  JobResult,
  PingJobRequest,
  ReproduceRequest,
  RunRequest,
} from './backend.js';

/** A job without parts: one thread runs it from its beginning to its end. */
export type WholeRequest = RunRequest | ExplainRequest | ReproduceRequest | FabricJobRequest | PingJobRequest;

/** Who runs such a job and watches it. */
export interface WholeHost {
  readonly signal: AbortSignal;
  readonly memory?: RunOptions['memory'];
  /** Seconds since some moment. */
  readonly wallClock: () => number;
  readonly onEvent: (event: JobEvent) => void;
  /** A user's own. */
  readonly profiles?: readonly ProfileSource[];
}

/** Whether a job has no parts. */
export function isWhole(request: { readonly job: string }): request is WholeRequest {
  return ['run', 'explain', 'reproduce', 'fabric', 'ping'].includes(request.job);
}

/** Runs a job without parts; null where it was ended before there was anything. */
export async function runWhole(request: WholeRequest, host: WholeHost): Promise<JobResult | null> {
  switch (request.job) {
    case 'run':
      return { job: 'run', measurement: await measure(request, host) };
    case 'explain':
      return explained(request, host);
    case 'reproduce':
      return reproduced(request, host);
    case 'fabric':
      return fabricRun(request, host);
    case 'ping':
      return pinged(request, host);
  }
}

/** Makes a run as `kelpie run --levels` makes it: the same seed and workload give the same bits. */
async function measure(
  { subsystem, workload: text, seed }: Omit<RunRequest, 'job'>,
  host: WholeHost,
): Promise<Measurement> {
  const { signal, memory, wallClock, onEvent, profiles = [] } = host;
  const workload = parseWorkload(text, 'workload');
  const testbed = await openTestbedFor(workload, { subsystem, profiles, seed });
  try {
    return await runWorkload(workload, testbed, {
      ...{ seed, signal, wallClock, followLatency: true, levels: true },
      ...(memory === undefined ? {} : { memory }),
      onSetUp: (made, all) => onEvent({ kind: 'setUp', made, all }),
      onSlice: (progress) => {
        onEvent({ kind: 'slice', run: 1, ...progress });
        // Virtual time never waits: without this nobody could end the run.
        return eventTurn();
      },
    });
  } finally {
    await testbed.close();
  }
}

/** What limits a run, proved as `kelpie run --explain` proves it. */
async function explained(request: ExplainRequest, host: WholeHost): Promise<JobResult> {
  const measurement = await measure(request, host);
  const { workload, seed } = measurement;
  const { signal, onEvent, profiles = [] } = host;
  const explanation = await explain(measurement, {
    subsystem: subsystemOf({ subsystem: request.subsystem, profiles, settings: workload.settings }),
    mechanisms,
    open: (changed, subsystem, ablate) =>
      openTestbed({
        ...{ provider: 'simulated', hosts: hostsNeeded(changed), subsystem, seed },
        ablate: ablate as (keyof typeof mechanisms)[],
      }),
    run: { signal, onSlice: eventTurn },
    onWhatIf: (says, done, all) => onEvent({ kind: 'part', done, all, says }),
  });
  return { job: 'explain', measurement, explanation };
}

/** A row, with every slice of every run that it makes. */
async function reproduced(
  { row, seed }: ReproduceRequest,
  { signal, onEvent }: WholeHost,
): Promise<JobResult | null> {
  let run = 0;
  const done = await runTask(
    { kind: 'row', id: row },
    {
      ...{ seed, signal },
      open: (subsystem, options) => {
        run++;
        return openSimulated(subsystem, options);
      },
      onSlice: (progress) => {
        onEvent({ kind: 'slice', run, ...progress });
        return eventTurn();
      },
    },
  );
  return done.kind === 'row' ? { job: 'reproduce', row: done.result } : null;
}

/** A description of a fabric names its files by path: here there are none. */
export function readFabric(text: string): ReturnType<typeof parseFabric> {
  return parseFabric(text, 'fabric', (name, field) => {
    throw new KelpieError('BAD_REQUEST', 'the laboratory reads no files', {
      ...{
        field,
        given: name,
        allowed: 'a description that needs none, or kelpie fabric on the command line',
      },
    });
  });
}

async function fabricRun({ fabric, seed }: FabricJobRequest, host: WholeHost): Promise<JobResult> {
  const { spec, stopNs, full } = readFabric(fabric);
  const { signal, onEvent } = host;
  if (full !== null) {
    const mixed = await runMixed(
      { spec: { ...spec, seed }, stopNs, full },
      {
        signal,
        onSlice: (progress) => {
          onEvent({ kind: 'slice', run: 1, ...progress });
          return eventTurn();
        },
      },
    );
    return { job: 'fabric', answer: answerOf(mixed.fabric, mixed.recorder, !mixed.whole) };
  }
  const simulated = new Fabric({ ...spec, seed });
  const { recorder, whole } = await runFabric(simulated, stopNs, async ({ finished, flows, nowNs }) => {
    onEvent({ kind: 'part', done: finished, all: flows, says: `${(nowNs / 1000).toFixed(0)} us simulated` });
    await eventTurn();
    return !signal.aborted;
  });
  return { job: 'fabric', answer: answerOf(simulated, recorder, !whole) };
}

async function pinged(
  { host, device, fault, seed }: PingJobRequest,
  { onEvent }: WholeHost,
): Promise<JobResult> {
  const choice = { host, device, seed };
  onEvent({ kind: 'part', done: 0, all: 2, says: 'the same server without faults' });
  const twin = await healthyTwin(choice, SIMULATED_PROBES);
  onEvent({ kind: 'part', done: 1, all: 2, says: 'the server' });
  const faults = fault === '' ? [] : [parseFault(fault, twin.plan).description];
  const server = await openServer(choice, faults, SIMULATED_PROBES);
  try {
    const { diagnosis, statuses } = await checkUp(server, twin);
    return { job: 'ping', answer: { host, paths: statuses.length, findings: diagnosis.findings } };
  } finally {
    await server.close();
  }
}
