import type { ExperimentRecord, HuntAnswer } from '../jobs/hunt/index.js';
import type { Failure } from '../jobs/pool/index.js';
import type { RowResult, Value } from '../jobs/reproduce/index.js';
import type { Measurement } from '../workload/index.js';

/**
 * Who runs jobs for the page of the laboratory: web workers in a tab, or a server. The page knows nothing else of it.
 * Everything that crosses it is plain data.
 */
export interface LaboratoryBackend {
  /** What there is to choose from. */
  catalogue(): Promise<Catalogue>;
  /** Begins a job and gives its number. A request that makes no sense is refused with a KelpieError. */
  start(request: JobRequest): Promise<JobId>;
  /**
   * Tells what happened to a job so far, and then what happens, in order; the last event of a job is one of
   * {@link isLast}. The function that is returned ends the watching, not the job.
   */
  watch(id: JobId, onEvent: (event: JobEvent) => void): () => void;
  /** Ends a job; what it has found so far is its result. One that has ended stays as it is. */
  cancel(id: JobId): Promise<void>;
  /** The jobs that are known, the newest first. */
  jobs(): Promise<readonly JobEntry[]>;
}

/** The number of a job. */
export type JobId = string;

/** A job that was asked for. */
export interface JobEntry {
  readonly id: JobId;
  readonly request: JobRequest;
  readonly ended: boolean;
}

/** What there is to choose from. */
export interface Catalogue {
  /** Of Kelpie. */
  readonly version: string;
  /** Jobs that run at a time: cores that a browser or a server gives. */
  readonly workers: number;
  readonly subsystems: readonly SubsystemEntry[];
  readonly rows: readonly RowEntry[];
}

/** A subsystem to run on. */
export interface SubsystemEntry {
  readonly name: string;
  readonly title: string;
  readonly portGbps: number;
}

/** A row of a paper. */
export interface RowEntry {
  readonly id: string;
  readonly paper: string;
  readonly setting: string;
  readonly metric: string;
  readonly unit: string;
  /** What the paper says. */
  readonly expected: Value;
  readonly tolerance: string;
  /** Takes minutes. */
  readonly slow: boolean;
  /** Set where a setting or a constant says the outcome and no mechanism yields it: which. */
  readonly encoded?: string;
}

/** A workload on a subsystem. */
export interface RunRequest {
  readonly job: 'run';
  readonly subsystem: string;
  /** YAML or JSON, as `kelpie run` takes it. */
  readonly workload: string;
  readonly seed: number;
}

/** A search for anomalies of a subsystem. */
export interface HuntJobRequest {
  readonly job: 'hunt';
  readonly subsystem: string;
  /** `600` experiments, `10h` of hardware, `90s` of wall time. */
  readonly budget: string;
  readonly seed: number;
}

/** A row of a paper, by its id. */
export interface ReproduceRequest {
  readonly job: 'reproduce';
  readonly row: string;
  readonly seed: number;
}

/** A job that can be asked for. */
export type JobRequest = RunRequest | HuntJobRequest | ReproduceRequest;

/** What came of a job. */
export type JobResult =
  | { readonly job: 'run'; readonly measurement: Measurement }
  | { readonly job: 'hunt'; readonly answer: HuntAnswer }
  | { readonly job: 'reproduce'; readonly row: RowResult };

/** What happens to a job. */
export type JobEvent =
  /** A run makes its connections. */
  | { readonly kind: 'setUp'; readonly made: number; readonly all: number }
  /** A run has passed a slice of its time. */
  | { readonly kind: 'slice'; readonly timeNs: number; readonly maxNs: number; readonly goodputGbps: number }
  /** A hunt has tried a point of its search space; `finds` anomalies are known now. */
  | { readonly kind: 'experiment'; readonly record: ExperimentRecord; readonly finds: number }
  | { readonly kind: 'result'; readonly result: JobResult }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** It was ended before it had a result. */
  | { readonly kind: 'cancelled' };

/** Whether nothing comes after an event. */
export function isLast({ kind }: JobEvent): boolean {
  return kind === 'result' || kind === 'failed' || kind === 'cancelled';
}
