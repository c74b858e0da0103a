import type { ExperimentRecord } from '../../jobs/hunt/index.js';
import type {
  FindView,
  JobEvent,
  JobId,
  JobRequest,
  JobResult,
  LaboratoryBackend,
} from '../../laboratory/desk/backend.js';
import { isLast } from '../../laboratory/desk/backend.js';
import { Observable } from './observable.js';

/** A job as the page sees it. */
export interface JobView {
  readonly id: JobId | null;
  /** What was asked for; null where nobody told. */
  readonly request: JobRequest | null;
  readonly state: 'none' | 'starting' | 'running' | 'done' | 'failed' | 'cancelled';
  /** Parts that are done, and all; null where it has none. */
  readonly parts: { readonly done: number; readonly all: number } | null;
  /** What the last part said. */
  readonly says: string;
  /** Goodput of each slice of the run that is going on, and its number. */
  readonly run: number;
  readonly trace: readonly number[];
  readonly records: readonly ExperimentRecord[];
  readonly finds: readonly FindView[];
  readonly result: JobResult | null;
  readonly fault: string | null;
}

const NONE: JobView = {
  ...{
    id: null,
    request: null,
    state: 'none',
    parts: null,
    says: '',
    run: 0,
    trace: [],
    records: [],
    finds: [],
  },
  ...{ result: null, fault: null },
};

/** A page is drawn no more often than this while a job goes on. */
const DRAW_MS = 120;
const MOST_TRACE = 400;

/** One job that is watched: what has happened to it, drawn at a pace that eyes follow. */
export class JobModel extends Observable<JobView> {
  private readonly backend: LaboratoryBackend;
  private unwatch = () => {};
  private timer: number | null = null;
  /** What has come since the page was drawn. */
  private next: JobView = NONE;
  private records: ExperimentRecord[] = [];
  private trace: number[] = [];

  constructor(backend: LaboratoryBackend) {
    super(NONE);
    this.backend = backend;
  }

  /** Begins a job and watches it; gives its number, or null where it was refused. */
  async start(request: JobRequest): Promise<JobId | null> {
    this.reset('starting', request);
    try {
      const id = await this.backend.start(request);
      this.watchJob(id, request);
      return id;
    } catch (error) {
      this.next = { ...this.next, state: 'failed', fault: (error as Error).message };
      this.draw();
      return null;
    }
  }

  /** Watches a job that somebody began. */
  watchJob(id: JobId, request: JobRequest | null = null): void {
    if (this.state.id === id && this.state.state === 'running') return;
    this.reset('running', request);
    this.next = { ...this.next, id };
    this.draw();
    this.unwatch = this.backend.watch(id, (event) => this.heard(event));
  }

  /** Ends the job; what it has found is its result. */
  cancel(): void {
    if (this.state.id !== null) void this.backend.cancel(this.state.id);
  }

  /** Looks away; the job goes on. */
  leave(): void {
    this.unwatch();
  }

  private reset(state: JobView['state'], request: JobRequest | null): void {
    this.unwatch();
    this.records = [];
    this.trace = [];
    this.next = { ...NONE, state, request };
    this.draw();
  }

  private heard(event: JobEvent): void {
    const { next } = this;
    switch (event.kind) {
      case 'experiment':
        this.records.push(event.record);
        break;
      case 'finds':
        this.next = { ...next, finds: event.finds };
        break;
      case 'part':
        this.next = { ...next, parts: { done: event.done, all: event.all }, says: event.says };
        break;
      case 'slice':
        if (event.run !== next.run) this.trace = [];
        this.trace.push(event.goodputGbps);
        if (this.trace.length > MOST_TRACE) this.trace.shift();
        if (event.run !== next.run) this.next = { ...next, run: event.run };
        break;
      case 'result':
        this.next = { ...next, state: 'done', result: event.result };
        break;
      case 'failed':
        this.next = { ...next, state: 'failed', fault: event.failure.message };
        break;
      case 'cancelled':
        this.next = { ...next, state: 'cancelled' };
    }
    if (isLast(event)) this.draw();
    else this.timer ??= window.setTimeout(() => this.draw(), DRAW_MS);
  }

  private draw(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.update({ ...this.next, records: [...this.records], trace: [...this.trace] });
  }
}
