import { KelpieError } from '../../error.js';
import { HuntArchive } from '../../jobs/hunt/index.js';
import type { Store } from '../../jobs/index.js';
import type { ProfileSource } from '../../testbeds/index.js';
import {
  isLast,
  type JobEntry,
  type JobEvent,
  type JobId,
  type JobManner,
  type JobRequest,
  type JobResult,
  type LaboratoryBackend,
} from './backend.js';
import type { Catalogue } from './catalogue.js';
import type { Crew } from './crew.js';
import { JobLog } from './job-log.js';
import { huntOrderOf } from './pooled-jobs.js';
import { checkRequest, runJob } from './run-job.js';
import { partialOf, sayingOf } from './saying.js';

/** What a desk works with. */
export interface DeskOptions {
  readonly catalogue: Catalogue;
  readonly crew: Crew;
  /** Keeps jobs and what came of them. */
  readonly store: Store;
  /** Opens where hunts are kept; in the store unless set. */
  readonly hunts?: () => Promise<HuntArchive>;
  /** A user's own. */
  readonly profiles?: readonly ProfileSource[];
  readonly nowMs: () => number;
}

/** A job that this desk has under way, or had a moment ago. */
interface Live {
  entry: JobEntry;
  readonly log: JobLog;
  readonly abort: AbortController;
  /** Resolves when its last event has been told and kept. */
  ended: Promise<void>;
}

/** Jobs under way at a time. */
const MOST_UNDER_WAY = 200;
/** Logs of jobs that have ended: who watched them may still ask. */
const MOST_ENDED = 100;
const MOST_NAME = 200;

/**
 * Takes jobs, has them run and keeps what comes of them: the laboratory behind a page, in a tab or in a server. It goes on
 * whoever watches.
 *
 * @example
 * const desk = new Desk({ catalogue: catalogueOf(4), crew, store: new MemoryStore(), nowMs: Date.now });
 * const id = await desk.start({ job: 'reproduce', row: 'H9', seed: 1 });
 * desk.watch(id, (event) => console.log(event.kind));
 */
export class Desk implements LaboratoryBackend {
  private readonly options: DeskOptions;
  private readonly profiles: readonly ProfileSource[];
  private readonly hunts: () => Promise<HuntArchive>;
  private readonly live = new Map<JobId, Live>();
  private passing = 0;

  constructor(options: DeskOptions) {
    this.options = options;
    this.profiles = options.profiles ?? [];
    const own = new HuntArchive(options.store);
    this.hunts = options.hunts ?? (async () => own);
  }

  async catalogue(): Promise<Catalogue> {
    return this.options.catalogue;
  }

  async start(request: JobRequest, manner: JobManner = 'kept'): Promise<JobId> {
    checkRequest(request, this.profiles);
    if ([...this.live.values()].filter(({ log }) => !log.ended).length >= MOST_UNDER_WAY)
      throw new KelpieError('BUSY', `${MOST_UNDER_WAY} jobs are running`, {
        ...{ field: 'job', given: request.job, allowed: 'wait until some of them have ended' },
      });
    const begun = { request, state: 'running' as const, beganMs: this.options.nowMs() };
    if (manner !== 'kept') {
      const id = `p${++this.passing}`;
      this.begin({ id, ...begun }, manner === 'idle');
      return id;
    }
    const hunt =
      request.job === 'hunt' ? await (await this.hunts()).create(huntOrderOf(request, this.profiles)) : null;
    let entry: JobEntry | null = null;
    await this.options.store.append(['job'], (number) => {
      entry = { id: String(number), ...begun, ...(hunt === null ? {} : { hunt: hunt.id }) };
      return entry;
    });
    this.begin(entry!);
    return entry!.id;
  }

  /** Tells events with their numbers, from one on: whoever was cut off goes on behind what was heard. */
  watch(id: JobId, onEvent: (event: JobEvent, number: number) => void, from = 0): () => void {
    const live = this.live.get(id);
    if (live !== undefined) return live.log.watch(onEvent, from);
    let isWatched = true;
    void this.lastEventOf(id).then((event) => {
      if (isWatched) onEvent(event, from);
    });
    return () => {
      isWatched = false;
    };
  }

  async cancel(id: JobId): Promise<void> {
    const live = this.live.get(id);
    if (live === undefined) await this.entryOf(id);
    live?.abort.abort();
  }

  async resume(id: JobId): Promise<void> {
    if (this.live.get(id)?.log.ended === false) return;
    const { says: _, partial: __, ...entry } = await this.entryOf(id);
    checkRequest(entry.request, this.profiles);
    const again: JobEntry = { ...entry, state: 'running' };
    await this.options.store.put(['job', Number(id)], again);
    await this.options.store.remove(['result', Number(id)]);
    this.begin(again);
  }

  async jobs(): Promise<readonly JobEntry[]> {
    const kept = ((await this.options.store.list(['job'])) as JobEntry[]).map((entry) =>
      this.asItStands(entry),
    );
    return kept.reverse();
  }

  async result(id: JobId): Promise<JobResult | null> {
    const event = await this.lastEventOf(id);
    return event.kind === 'result' ? event.result : null;
  }

  async keep(id: JobId, name: string): Promise<JobId> {
    if (typeof name !== 'string' || name.length > MOST_NAME)
      throw new KelpieError('BAD_REQUEST', 'not a name', {
        ...{ field: 'name', given: String(name).slice(0, 40), allowed: `at most ${MOST_NAME} characters` },
      });
    const { store } = this.options;
    if (!id.startsWith('p')) {
      const named = { ...(await this.entryOf(id)), name };
      await store.put(['job', Number(id)], named);
      const live = this.live.get(id);
      if (live !== undefined) live.entry = { ...live.entry, name };
      return id;
    }
    const result = await this.result(id);
    const live = this.live.get(id);
    if (result === null || live === undefined)
      throw new KelpieError('NO_RESULT', 'this job has nothing to keep', {
        ...{ field: 'id', given: id, allowed: 'a job that has ended with a result' },
      });
    const number = await store.append(['job'], (next) => ({ ...live.entry, id: String(next), name }));
    await store.put(['result', number], result);
    return String(number);
  }

  async forget(id: JobId): Promise<void> {
    if (this.live.get(id)?.log.ended === false)
      throw new KelpieError('BUSY', 'this job is still running', {
        ...{ field: 'id', given: id, allowed: 'one that has ended' },
      });
    await this.entryOf(id);
    this.live.delete(id);
    await this.options.store.remove(['job', Number(id)]);
    await this.options.store.remove(['result', Number(id)]);
  }

  /** Ends every job; what each has is kept before this resolves. */
  async close(): Promise<void> {
    const under = [...this.live.values()].filter(({ log }) => !log.ended);
    for (const { abort } of under) abort.abort();
    await Promise.all(under.map(({ ended }) => ended));
    this.options.crew.close();
  }

  private begin(entry: JobEntry, isIdle = false): void {
    const live: Live = { entry, log: new JobLog(), abort: new AbortController(), ended: Promise.resolve() };
    this.live.delete(entry.id);
    this.live.set(entry.id, live);
    live.ended = this.run(live, isIdle);
    this.forgetOldest();
  }

  private async run(live: Live, isIdle: boolean): Promise<void> {
    const { crew, nowMs } = this.options;
    const { entry, log, abort } = live;
    const { signal } = abort;
    const { profiles } = this;
    // The last event is told when it has been kept: who sees it may leave.
    let last: JobEvent | null = null;
    await runJob(entry.request, {
      ...{ pool: crew.poolOf(signal), signal, profiles, wallClock: () => nowMs() / 1000 },
      ...(entry.hunt === undefined ? {} : { archive: { hunts: await this.hunts(), id: entry.hunt } }),
      runElsewhere: (request, onEvent, stop) =>
        crew.whole(request, { profiles, onEvent, signal: stop, isIdle }),
      onEvent: (event) => {
        if (isLast(event)) last = event;
        else log.add(event);
      },
    });
    const event = last ?? ({ kind: 'cancelled' } as const);
    live.entry = ended(live.entry, event);
    if (!entry.id.startsWith('p')) await this.keepEnd(live, event);
    log.add(event);
  }

  private async keepEnd({ entry }: Live, event: JobEvent): Promise<void> {
    const { store } = this.options;
    try {
      if (event.kind === 'result') await store.put(['result', Number(entry.id)], event.result);
      await store.put(['job', Number(entry.id)], entry);
    } catch {
      // A store without room: the result is told all the same, and the job reads as interrupted later.
    }
  }

  /** A job that nobody has under way was interrupted, whatever it says. */
  private asItStands(entry: JobEntry): JobEntry {
    const live = this.live.get(entry.id);
    if (live !== undefined) return live.entry;
    return entry.state === 'running' ? { ...entry, state: 'interrupted' } : entry;
  }

  private async entryOf(id: JobId): Promise<JobEntry> {
    const live = this.live.get(id);
    if (live !== undefined) return live.entry;
    const found = /^\d{1,15}$/.test(id) ? await this.options.store.get(['job', Number(id)]) : undefined;
    if (found !== undefined) return this.asItStands(found as JobEntry);
    throw new KelpieError('NO_JOB', 'there is no such job', {
      field: 'id',
      given: id,
      allowed: 'one of the list',
    });
  }

  private async lastEventOf(id: JobId): Promise<JobEvent> {
    const live = this.live.get(id);
    if (live !== undefined) {
      await live.ended;
      let last: JobEvent = { kind: 'cancelled' };
      live.log.watch((event) => {
        last = event;
      });
      return last;
    }
    try {
      const { state, says } = await this.entryOf(id);
      const result = (await this.options.store.get(['result', Number(id)])) as JobResult | undefined;
      if (result !== undefined) return { kind: 'result', result };
      return state === 'failed'
        ? { kind: 'failed', failure: { message: says ?? 'it failed' } }
        : { kind: 'cancelled' };
    } catch (error) {
      return { kind: 'failed', failure: { message: (error as Error).message } };
    }
  }

  private forgetOldest(): void {
    const over = [...this.live.values()].filter(({ log }) => log.ended);
    for (const { entry } of over.slice(0, Math.max(0, over.length - MOST_ENDED))) this.live.delete(entry.id);
  }
}

function ended(entry: JobEntry, event: JobEvent): JobEntry {
  switch (event.kind) {
    case 'result':
      return {
        ...{ ...entry, state: 'done' as const, says: sayingOf(event.result) },
        ...(partialOf(event.result) ? { partial: true } : {}),
      };
    case 'failed':
      return { ...entry, state: 'failed', says: event.failure.message };
    default:
      return { ...entry, state: 'cancelled' };
  }
}
