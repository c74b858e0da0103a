import { KelpieError } from '../../error.js';
import { parseFault, planOf } from '../../jobs/ping/index.js';
import { failureOf } from '../../jobs/pool/index.js';
import { findRow } from '../../jobs/reproduce/index.js';
import { findProfile, resolveHost } from '../../profiles/index.js';
import { type ProfileSource, subsystemOf } from '../../testbeds/index.js';
import { parseWorkload } from '../../workload/index.js';
import type { JobEvent, JobRequest, JobResult } from './backend.js';
import { checkPooled, type PooledHost, type PooledRequest, runPooled } from './pooled-jobs.js';
import { isWhole, readFabric, runWhole, type WholeHost, type WholeRequest } from './whole-jobs.js';

/** The jobs that the laboratory runs. */
export const LABORATORY_JOBS = [
  'run',
  'explain',
  'hunt',
  'reproduce',
  'isolate',
  'sweep',
  'compare',
  'fabric',
  'ping',
] as const;

/** Who runs a job, ends it and watches it. */
export interface JobHost extends PooledHost, Pick<WholeHost, 'memory'> {
  /** Runs a job without parts elsewhere; it is run here unless set. */
  readonly runElsewhere?: (
    request: WholeRequest,
    onEvent: (event: JobEvent) => void,
    signal: AbortSignal,
  ) => Promise<JobResult | null>;
}

/** Refuses a request that makes no sense, before anything is made for it. */
export function checkRequest(request: JobRequest, profiles: readonly ProfileSource[] = []): void {
  if (typeof request !== 'object' || request === null)
    throw new KelpieError('BAD_REQUEST', 'not a request', { field: 'request', allowed: 'an object' });
  if (!LABORATORY_JOBS.includes(request.job))
    throw new KelpieError('BAD_REQUEST', 'there is no such job', {
      ...{ field: 'job', given: (request as { job: unknown }).job, allowed: LABORATORY_JOBS.join(', ') },
    });
  if (!Number.isSafeInteger(request.seed) || request.seed < 0)
    throw new KelpieError('BAD_REQUEST', 'not a seed', {
      field: 'seed',
      given: request.seed,
      allowed: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
    });
  for (const [field, value] of Object.entries(request))
    if (!['seed', 'vary', 'metrics', 'subsystems'].includes(field) && typeof value !== 'string')
      throw new KelpieError('BAD_REQUEST', 'not text', { field, given: value, allowed: 'text' });
  if (isWhole(request)) checkWhole(request, profiles);
  else checkPooled(request, profiles);
}

function checkWhole(request: WholeRequest, profiles: readonly ProfileSource[]): void {
  switch (request.job) {
    case 'run':
    case 'explain':
      subsystemOf({ subsystem: textOf(request, 'subsystem'), profiles });
      parseWorkload(textOf(request, 'workload'), 'workload');
      return;
    case 'reproduce':
      findRow(textOf(request, 'row'));
      return;
    case 'fabric':
      readFabric(textOf(request, 'fabric'));
      return;
    case 'ping': {
      const plan = planOf(resolveHost(findProfile('host', textOf(request, 'host'))));
      findProfile('device', textOf(request, 'device'));
      if (textOf(request, 'fault') !== '') parseFault(request.fault, plan);
    }
  }
}

/** A field that must be there. */
function textOf<Field extends string>(request: { readonly [Key in Field]: string }, field: Field): string {
  const text: unknown = request[field];
  if (typeof text === 'string') return text;
  throw new KelpieError('BAD_REQUEST', 'a field is missing', { field, given: text, allowed: 'text' });
}

/**
 * Runs a job and tells what happens, up to its last event; never rejects.
 *
 * @example
 * await runJob({ job: 'reproduce', row: 'H9', seed: 1 }, { pool, signal, wallClock, onEvent: console.log });
 */
export async function runJob(request: JobRequest, host: JobHost): Promise<void> {
  const { signal, onEvent, profiles } = host;
  try {
    checkRequest(request, profiles);
    const result = await resultOf(request, host);
    onEvent(result === null ? { kind: 'cancelled' } : { kind: 'result', result });
  } catch (error) {
    onEvent(signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', failure: failureOf(error) });
  }
}

function resultOf(request: JobRequest, host: JobHost): Promise<JobResult | null> {
  if (!isWhole(request)) return runPooled(request satisfies PooledRequest, host);
  return host.runElsewhere?.(request, host.onEvent, host.signal) ?? runWhole(request, host);
}
