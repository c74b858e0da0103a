import type { CampaignSight } from '../../jobs/campaign/index.js';
import type { Comparison, Grid } from '../../jobs/compare/index.js';
import type { Explanation } from '../../jobs/explain/index.js';
import type { FabricAnswer } from '../../jobs/fabric/index.js';
import type { ExperimentRecord, HuntAnswer, Symptom } from '../../jobs/hunt/index.js';
import type { MatrixResult } from '../../jobs/isolate/index.js';
import type { Finding } from '../../jobs/ping/index.js';
import type { Failure } from '../../jobs/pool/index.js';
import type { RowResult } from '../../jobs/reproduce/index.js';
import type { Measurement, Progress } from '../../workload/index.js';
import type { Catalogue } from './catalogue.js';

/**
 * Who runs jobs for the page of the laboratory: web workers in a tab, or a server. The page knows nothing else of it.
 * Everything that crosses it is plain data.
 */
export interface LaboratoryBackend {
  /** What there is to choose from. */
  catalogue(): Promise<Catalogue>;
  /**
   * Begins a job and gives its number. A request that makes no sense is refused with a KelpieError. What comes of a job is
   * kept until somebody forgets it, unless the manner says otherwise.
   */
  start(request: JobRequest, manner?: JobManner): Promise<JobId>;
  /**
   * Tells what happened to a job so far, and then what happens, in order; the last event of a job is one of
   * {@link isLast}. The function that is returned ends the watching, not the job.
   */
  watch(id: JobId, onEvent: (event: JobEvent) => void): () => void;
  /** Ends a job; what it has found so far is its result. One that has ended stays as it is. */
  cancel(id: JobId): Promise<void>;
  /** Goes on with a job that was interrupted; a hunt goes on where it was, others begin again. */
  resume(id: JobId): Promise<void>;
  /** The jobs that are kept or under way, the newest first. */
  jobs(): Promise<readonly JobEntry[]>;
  /** What came of a job; null where it has none. */
  result(id: JobId): Promise<JobResult | null>;
  /** Keeps what came of a job under a name, and gives the number under which it is kept. */
  keep(id: JobId, name: string): Promise<JobId>;
  /** Forgets a job that has ended, and its outcome. */
  forget(id: JobId): Promise<void>;
  /** How far the campaigns of a server are, the newest first; only a server has any. */
  campaigns?(): Promise<readonly CampaignSight[]>;
}

/**
 * `kept`: what comes of it stays until somebody forgets it, as it does unless set. `passing`: it is gone soon after its
 * end. `idle`: passing, and nobody waits for it: it runs behind everything else.
 */
export type JobManner = 'kept' | 'passing' | 'idle';

/** The number of a job. */
export type JobId = string;

/**
 * Where a job stands. `interrupted`: whoever ran it ended before it did. `cancelled`: somebody ended it before it had
 * a result.
 */
export type JobState = 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';

/** A job that was asked for. */
export interface JobEntry {
  readonly id: JobId;
  readonly request: JobRequest;
  readonly state: JobState;
  readonly beganMs: number;
  /** What somebody called it. */
  readonly name?: string;
  /** What came of it, in a sentence. */
  readonly says?: string;
  /** Only a part of it was done. */
  readonly partial?: boolean;
  /** A hunt's number in the archive of hunts. */
  readonly hunt?: number;
}

/** A workload on a subsystem. */
export interface RunRequest {
  readonly job: 'run';
  readonly subsystem: string;
  /** YAML or JSON, as `kelpie run` takes it. */
  readonly workload: string;
  readonly seed: number;
}

/** What limits a workload on a subsystem: runs with the suspects off. */
export interface ExplainRequest extends Omit<RunRequest, 'job'> {
  readonly job: 'explain';
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

/** What one tenant does to another. */
export interface IsolateJobRequest {
  readonly job: 'isolate';
  readonly subsystem: string;
  /** Joined by `+`. */
  readonly scheme: string;
  /** Names, or beginnings with `*`, joined by commas. */
  readonly attackers: string;
  readonly victims: string;
  readonly seed: number;
}

/** A workload over every combination of values of some fields. */
export interface SweepJobRequest extends Omit<RunRequest, 'job'> {
  readonly job: 'sweep';
  /** As `--vary` of `kelpie sweep`: `qps=1..64`. */
  readonly vary: readonly string[];
  readonly metrics: readonly string[];
}

/** One workload on several subsystems. */
export interface CompareJobRequest {
  readonly job: 'compare';
  readonly subsystems: readonly string[];
  readonly workload: string;
  /** As `--sweep` of `kelpie compare`; nothing is swept where it is empty. */
  readonly sweep: string;
  readonly metrics: readonly string[];
  readonly seed: number;
}

/** A fabric of light NICs. */
export interface FabricJobRequest {
  readonly job: 'fabric';
  /** YAML or JSON, as `kelpie fabric` takes it; it may name no other file. */
  readonly fabric: string;
  readonly seed: number;
}

/** A check-up of a simulated server. */
export interface PingJobRequest {
  readonly job: 'ping';
  readonly host: string;
  /** The RNICs of the host. */
  readonly device: string;
  /** As `--fault` of `kelpie ping`; none where it is empty. */
  readonly fault: string;
  readonly seed: number;
}

/** A job that can be asked for. */
export type JobRequest =
  | RunRequest
  | ExplainRequest
  | HuntJobRequest
  | ReproduceRequest
  | IsolateJobRequest
  | SweepJobRequest
  | CompareJobRequest
  | FabricJobRequest
  | PingJobRequest;

/** What came of a check-up. */
export interface PingAnswer {
  readonly host: string;
  /** Paths between RNICs and memories that were probed. */
  readonly paths: number;
  readonly findings: readonly Finding[];
}

/** What came of a job. */
export type JobResult =
  | { readonly job: 'run'; readonly measurement: Measurement }
  | { readonly job: 'explain'; readonly measurement: Measurement; readonly explanation: Explanation }
  | { readonly job: 'hunt'; readonly answer: HuntAnswer }
  | { readonly job: 'reproduce'; readonly row: RowResult }
  | { readonly job: 'isolate'; readonly matrix: MatrixResult }
  | { readonly job: 'sweep'; readonly grid: Grid }
  | { readonly job: 'compare'; readonly comparison: Comparison }
  | { readonly job: 'fabric'; readonly answer: FabricAnswer }
  | { readonly job: 'ping'; readonly answer: PingAnswer };

/** An anomaly while the hunt for it goes on. */
export interface FindView {
  readonly symptom: Symptom;
  /** What it needs, in words. */
  readonly features: readonly string[];
  /** Whether that is known; else the search is at it. */
  readonly complete: boolean;
  /** Number of the experiment that showed it first. */
  readonly experiment: number;
  /** The mildest workload known to show it, as `kelpie run` takes it. */
  readonly workload: object;
}

/** What happens to a job. */
export type JobEvent =
  /** A run makes its connections. */
  | { readonly kind: 'setUp'; readonly made: number; readonly all: number }
  /** A run, the one of this number in its job, has passed a slice of its time. */
  | ({ readonly kind: 'slice'; readonly run: number } & Progress)
  /** Of the parts of a job this many are done; the last one said this. */
  | { readonly kind: 'part'; readonly done: number; readonly all: number; readonly says: string }
  /** A hunt has tried a point of its search space; `finds` anomalies are known now. */
  | { readonly kind: 'experiment'; readonly record: ExperimentRecord; readonly finds: number }
  /** A hunt knows more: every anomaly that it has found so far. */
  | { readonly kind: 'finds'; readonly finds: readonly FindView[] }
  | { readonly kind: 'result'; readonly result: JobResult }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** It was stopped before it had a result. */
  | { readonly kind: 'cancelled' };

/** Whether nothing comes after an event. */
export function isLast({ kind }: JobEvent): boolean {
  return kind === 'result' || kind === 'failed' || kind === 'cancelled';
}
