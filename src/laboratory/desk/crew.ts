import type { JobPool, JobTask } from '../../jobs/index.js';
import { errorOf, type Failure } from '../../jobs/pool/index.js';
import type { ProfileSource } from '../../testbeds/index.js';
import type { JobEvent, JobResult } from './backend.js';
import type { WholeRequest } from './whole-jobs.js';

/** A task of a worker: a part of a job, or a whole one without parts. */
export type CrewTask =
  | { readonly kind: 'part'; readonly task: JobTask }
  | { readonly kind: 'whole'; readonly request: WholeRequest; readonly profiles: readonly ProfileSource[] };

/** What a worker is told: a task, or that nobody waits for it any more. */
export type ToWorker = CrewTask | { readonly kind: 'stop' };

/** What a worker tells of its task. */
export type FromWorker =
  | { readonly kind: 'event'; readonly event: JobEvent }
  | { readonly kind: 'answer'; readonly answer: unknown }
  | { readonly kind: 'failure'; readonly failure: Failure };

/** A worker: a thread, or a web worker. */
export interface Worker {
  post(message: ToWorker): void;
  end(): void;
}

/** Begins a worker that tells what it has to say, and once when it ends by itself. */
export type Hire = (onMessage: (message: FromWorker) => void, onEnd: (error: Error) => void) => Worker;

/** How a task is run. */
interface Manner {
  readonly isUrgent: boolean;
  readonly isIdle: boolean;
  readonly signal: AbortSignal;
  readonly onEvent: (event: JobEvent) => void;
}

/** How a job without parts is run. */
export interface WholeOptions extends Omit<Manner, 'isUrgent'> {
  readonly profiles: readonly ProfileSource[];
}

interface Work extends Manner {
  readonly task: CrewTask;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One of the crew: it has one task at a time. */
interface Member {
  worker: Worker;
  work: Work | null;
  /** Of a task that nobody waits for. */
  timer: Timer | null;
}

/** What every JavaScript engine has, typed without the types of Node or of the DOM. */
type Timer = { readonly __timer: never };
const timers = globalThis as unknown as {
  setTimeout(call: () => void, ms: number): Timer;
  clearTimeout(timer: Timer): void;
};

/** A run that does not end by itself this soon after it was told to is ended. */
const PATIENCE_MS = 2000;

/**
 * Workers that run what the laboratory is asked for. Parts of long jobs take all but one of them; that one is for whoever
 * waits in front of the page. They begin when there is something to do, and one that is ended gets a successor.
 */
export class Crew {
  /** Parts that run at a time. */
  readonly size: number;
  private readonly hire: Hire;
  private readonly members: Member[] = [];
  private readonly urgent: Work[] = [];
  private readonly patient: Work[] = [];
  private readonly idle: Work[] = [];
  /** Tasks that have not ended, by the signal of their job. */
  private readonly followed = new WeakMap<AbortSignal, Set<Work>>();
  private isClosed = false;

  constructor(size: number, hire: Hire) {
    this.size = Math.max(1, size);
    this.hire = hire;
  }

  /** Begins one worker before there is anything to do, so that the first task need not wait for it. */
  warmUp(): void {
    if (this.members.length === 0) this.begin();
  }

  /** Runs a job without parts; a run that somebody waits for comes before everything else. */
  whole(
    request: WholeRequest,
    { profiles, onEvent, signal, isIdle }: WholeOptions,
  ): Promise<JobResult | null> {
    const isUrgent = request.job === 'run' && !isIdle;
    const task: CrewTask = { kind: 'whole', request, profiles };
    return this.enqueue(task, { isUrgent, isIdle, signal, onEvent }) as Promise<JobResult | null>;
  }

  /** A pool for the parts of one job, which end with its signal. */
  poolOf(signal: AbortSignal): JobPool {
    const pool = {
      size: this.size,
      run: (task: JobTask) =>
        this.enqueue({ kind: 'part', task }, { isUrgent: false, isIdle: false, signal, onEvent: () => {} }),
      close: async () => {},
    };
    // What a task gives depends on its kind, which a literal cannot say.
    return pool as unknown as JobPool;
  }

  /** Ends all workers; what has not ended fails. */
  close(): void {
    this.isClosed = true;
    for (const member of this.members.splice(0)) {
      if (member.timer !== null) timers.clearTimeout(member.timer);
      member.worker.end();
      member.work?.reject(closed());
    }
    for (const queue of [this.urgent, this.patient, this.idle])
      for (const work of queue.splice(0)) work.reject(closed());
  }

  private enqueue(task: CrewTask, manner: Manner): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal, isUrgent, isIdle } = manner;
      if (this.isClosed || signal.aborted) {
        reject(closed());
        return;
      }
      const work: Work = { task, ...manner, resolve, reject };
      this.follow(work);
      (isUrgent ? this.urgent : isIdle ? this.idle : this.patient).push(work);
      this.hand();
    });
  }

  /** Hears when nobody waits for a task: once for all tasks of a job, which may be thousands. */
  private follow(work: Work): void {
    const { signal } = work;
    const known = this.followed.get(signal);
    if (known !== undefined) {
      known.add(work);
      return;
    }
    const works = new Set([work]);
    this.followed.set(signal, works);
    signal.addEventListener(
      'abort',
      () => {
        for (const each of [...works]) this.abandon(each);
      },
      { once: true },
    );
  }

  private hand(): void {
    for (;;) {
      const patient = this.members.filter(({ work }) => work !== null && !work.isUrgent).length;
      const waiting = [this.urgent, ...(patient < this.size ? [this.patient, this.idle] : [])];
      const queue = waiting.find(({ length }) => length > 0);
      const member = queue && (this.members.find(({ work }) => work === null) ?? this.another());
      if (queue === undefined || member == null) return;
      member.work = queue.shift()!;
      member.worker.post(member.work.task);
    }
  }

  private another(): Member | null {
    return this.members.length > this.size ? null : this.begin();
  }

  private begin(): Member {
    const member: Member = { work: null, timer: null, worker: null as unknown as Worker };
    member.worker = this.hire(
      (message) => this.heard(member, message),
      (error) => this.lost(member, error),
    );
    this.members.push(member);
    return member;
  }

  private heard(member: Member, message: FromWorker): void {
    const { work } = member;
    if (work === null) return;
    if (message.kind === 'event') {
      work.onEvent(message.event);
      return;
    }
    this.free(member);
    this.followed.get(work.signal)?.delete(work);
    if (message.kind === 'answer') work.resolve(message.answer);
    else work.reject(errorOf(message.failure));
    this.hand();
  }

  private free(member: Member): void {
    if (member.timer !== null) timers.clearTimeout(member.timer);
    member.timer = null;
    member.work = null;
  }

  /** Nobody waits for a task: a run gives what it has, a part is worth nothing. */
  private abandon(work: Work): void {
    for (const queue of [this.urgent, this.patient, this.idle]) {
      const place = queue.indexOf(work);
      if (place >= 0) {
        queue.splice(place, 1);
        this.followed.get(work.signal)?.delete(work);
        work.reject(closed());
      }
    }
    const member = this.members.find((each) => each.work === work);
    if (member === undefined) return;
    if (work.task.kind === 'whole') {
      member.worker.post({ kind: 'stop' });
      member.timer = timers.setTimeout(() => this.replace(member, closed()), PATIENCE_MS);
    } else this.replace(member, closed());
  }

  private lost(member: Member, error: Error): void {
    if (!this.members.includes(member)) return;
    this.replace(member, error);
  }

  private replace(member: Member, error: Error): void {
    const { work } = member;
    this.members.splice(this.members.indexOf(member), 1);
    this.free(member);
    member.worker.end();
    if (work !== null) {
      this.followed.get(work.signal)?.delete(work);
      work.reject(error);
    }
    if (!this.isClosed) this.hand();
  }
}

function closed(): Error {
  return new Error('this task was abandoned');
}
