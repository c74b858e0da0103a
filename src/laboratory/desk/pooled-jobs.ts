import { KelpieError } from '../../error.js';
import {
  type CompareRequest,
  compare,
  type GridRequest,
  parseSweep,
  planGrid,
  requireComparable,
  sweep,
} from '../../jobs/compare/index.js';
import {
  type Find,
  type HuntArchive,
  type HuntOrder,
  hunt,
  orderHunt,
  showFeature,
  workloadInputOf,
} from '../../jobs/hunt/index.js';
import type { JobPool } from '../../jobs/index.js';
import { type IsolateOrder, isolate, orderIsolation } from '../../jobs/isolate/index.js';
import type { ProfileSource } from '../../testbeds/index.js';
import { parseWorkloadInput } from '../../workload/index.js';
import type {
  CompareJobRequest,
  FindView,
  HuntJobRequest,
  IsolateJobRequest,
  JobEvent,
  JobResult,
  SweepJobRequest,
} from './backend.js';

/** A job of many parts, which a pool runs. */
export type PooledRequest = HuntJobRequest | IsolateJobRequest | SweepJobRequest | CompareJobRequest;

/** Who runs the parts of such a job and watches it. */
export interface PooledHost {
  readonly pool: JobPool;
  readonly signal: AbortSignal;
  /** Seconds since some moment. */
  readonly wallClock: () => number;
  readonly onEvent: (event: JobEvent) => void;
  readonly profiles?: readonly ProfileSource[];
  /** Keeps the experiments of a hunt, and has those of an earlier part of it. */
  readonly archive?: { readonly hunts: HuntArchive; readonly id: number };
}

/** Runs a job of many parts. */
export async function runPooled(request: PooledRequest, host: PooledHost): Promise<JobResult> {
  const { pool, signal, onEvent, wallClock, archive, profiles = [] } = host;
  switch (request.job) {
    case 'hunt': {
      const tell = findTeller(onEvent);
      const answer = await hunt(huntOrderOf(request, profiles), {
        ...{ pool, signal, wallClock },
        ...(archive === undefined ? {} : { archive }),
        onExperiment: (record, { finds }) => {
          onEvent({ kind: 'experiment', record, finds: finds.length });
          tell(finds);
        },
      });
      return { job: 'hunt', answer };
    }
    case 'isolate': {
      const matrix = await isolate(matrixOrderOf(request, profiles), {
        ...{ pool, signal },
        onPair: ({ attacker, victim, outcome }, done, all) =>
          onEvent({ kind: 'part', done, all, says: `${attacker} against ${victim}: ${outcome}` }),
      });
      return { job: 'isolate', matrix };
    }
    case 'sweep': {
      const grid = await sweep(gridOf(request, profiles), {
        ...{ pool, signal },
        onPoint: (_, { values, readings }, done, all) =>
          onEvent({ kind: 'part', done, all, says: `${values.join(', ')}: ${firstOf(readings)}` }),
      });
      return { job: 'sweep', grid };
    }
    case 'compare': {
      const comparison = await compare(comparisonOf(request, profiles), {
        ...{ pool, signal },
        onPoint: ({ variant, value, readings }, done, all) =>
          onEvent({ kind: 'part', done, all, says: `${variant} ${value ?? ''}: ${firstOf(readings)}` }),
      });
      return { job: 'compare', comparison };
    }
  }
}

/** Tells what a hunt knows whenever that changes. */
function findTeller(onEvent: (event: JobEvent) => void): (finds: readonly Find[]) => void {
  let told = '';
  return (finds) => {
    const now = finds
      .map(({ complete, experiment, features }) => `${experiment} ${complete} ${features.length}`)
      .join();
    if (now === told) return;
    told = now;
    onEvent({ kind: 'finds', finds: finds.map(viewOf) });
  };
}

function viewOf({ symptom, features, complete, experiment, point }: Find): FindView {
  return {
    ...{ symptom, complete, experiment, features: features.map(showFeature) },
    workload: workloadInputOf(point, { length: 'full', name: symptom }),
  };
}

/** Refuses a job that makes no sense, before anything is made for it. */
export function checkPooled(request: PooledRequest, profiles: readonly ProfileSource[]): void {
  if (request.job === 'hunt') huntOrderOf(request, profiles);
  else if (request.job === 'isolate') matrixOrderOf(request, profiles);
  else if (request.job === 'sweep') planGrid(gridOf(request, profiles));
  else requireComparable(comparisonOf(request, profiles));
}

/** The hunt that is asked for. */
export function huntOrderOf(
  { subsystem, budget, seed }: HuntJobRequest,
  profiles: readonly ProfileSource[],
): HuntOrder {
  return orderHunt({ testbed: { subsystem, ...owned(profiles) }, budget, seed });
}

function matrixOrderOf(
  { subsystem, scheme, attackers, victims, seed }: IsolateJobRequest,
  profiles: readonly ProfileSource[],
): IsolateOrder {
  return orderIsolation({ testbed: { subsystem, ...owned(profiles) }, scheme, attackers, victims, seed });
}

function gridOf(
  { subsystem, workload, vary, metrics, seed }: SweepJobRequest,
  profiles: readonly ProfileSource[],
): GridRequest {
  return {
    workload: parseWorkloadInput(workload, 'workload'),
    ...{ on: subsystem, metrics: namesOf('metrics', metrics), seed, profiles },
    axes: namesOf('vary', vary).map(parseSweep),
  };
}

function comparisonOf(
  { subsystems, workload, sweep: swept, metrics, seed }: CompareJobRequest,
  profiles: readonly ProfileSource[],
): CompareRequest {
  return {
    variants: namesOf('subsystems', subsystems).map((name) => ({ name, on: name })),
    workload: parseWorkloadInput(workload, 'workload'),
    ...{ metrics: namesOf('metrics', metrics), seed, profiles },
    ...(swept === '' ? {} : { sweep: parseSweep(swept) }),
  };
}

/** A list of words from somebody who may send anything. */
function namesOf(field: string, given: unknown): readonly string[] {
  if (Array.isArray(given) && given.length > 0 && given.every((each) => typeof each === 'string'))
    return given;
  throw new KelpieError('BAD_REQUEST', 'not a list of words', {
    field,
    given,
    allowed: 'a list of at least one',
  });
}

function owned(profiles: readonly ProfileSource[]): { profiles?: ProfileSource[] } {
  return profiles.length === 0 ? {} : { profiles: [...profiles] };
}

function firstOf(readings: Readonly<Record<string, number | null>> | null): string {
  const [first] = Object.entries(readings ?? {});
  return first === undefined ? 'refused' : `${first[0]} ${first[1] === null ? '–' : first[1].toPrecision(4)}`;
}
