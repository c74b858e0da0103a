import { afterEach, describe, expect, it } from 'vitest';
import { MemoryStore } from '../../jobs/index.js';
import {
  Crew,
  catalogueOf,
  Desk,
  type Hire,
  isLast,
  type JobEvent,
  type JobRequest,
  type LaboratoryBackend,
} from '../index.js';
import { WorkersHere } from '../testing/hire-here.js';
import { type DeskCall, type DeskReply, DistantDesk, deskPort } from './desk-port.js';

// Goal: a desk goes on whoever watches, keeps what comes of jobs before it says so, and loses nothing when it is closed.

const WORKLOAD = 'qps: 2\nsizes: [4096]\nmeasure: { minNs: 60000, maxNs: 100000 }\n';
const RUN: JobRequest = { job: 'run', subsystem: 'perf', workload: WORKLOAD, seed: 1 };
const HUNT: JobRequest = { job: 'hunt', subsystem: 'collie-f-as-tested', budget: '12', seed: 1 };

const open: Desk[] = [];
afterEach(async () => {
  for (const desk of open.splice(0)) await desk.close();
});

function deskOn(store: MemoryStore, hire: Hire = new WorkersHere().hire): Desk {
  const desk = new Desk({ catalogue: catalogueOf(2), crew: new Crew(2, hire), store, nowMs: () => 1000 });
  open.push(desk);
  return desk;
}

function eventsOf(desk: Pick<LaboratoryBackend, 'watch'>, id: string): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  return new Promise((done) => {
    desk.watch(id, (event) => {
      events.push(event);
      if (isLast(event)) done(events);
    });
  });
}

describe('a desk', () => {
  it('keeps jobs with what came of them, the newest first; another desk on the same store has them', async () => {
    const store = new MemoryStore();
    const desk = deskOn(store);
    const run = await desk.start(RUN);
    const row = await desk.start({ job: 'reproduce', row: 'H9', seed: 1 });
    const events = await eventsOf(desk, run);
    await eventsOf(desk, row);
    expect(events.filter(({ kind }) => kind === 'slice').length).toBeGreaterThan(2);
    for (const each of [desk, deskOn(store)]) {
      expect(await each.jobs()).toMatchObject([
        { id: row, state: 'done', says: 'H9 comes out as the paper says.' },
        { id: run, state: 'done', request: RUN },
      ]);
      expect(await each.result(run)).toEqual((events[events.length - 1] as { result: unknown }).result);
      expect((await eventsOf(each, run)).at(-1)).toEqual(events[events.length - 1]);
    }
  });

  it('runs what passes without keeping it, until somebody does', async () => {
    const store = new MemoryStore();
    const desk = deskOn(store);
    const id = await desk.start(RUN, 'passing');
    await eventsOf(desk, id);
    expect(await desk.jobs()).toEqual([]);
    const kept = await desk.keep(id, '<img src=x onerror=alert(1)>');
    expect(await deskOn(store).jobs()).toMatchObject([
      { id: kept, name: '<img src=x onerror=alert(1)>', state: 'done' },
    ]);
    expect(await deskOn(store).result(kept)).toMatchObject({ job: 'run', measurement: { seed: 1 } });
    await desk.forget(kept);
    expect(await desk.jobs()).toEqual([]);
  });

  it('goes on while nobody watches, and tells whoever comes back everything in order', async () => {
    const desk = deskOn(new MemoryStore());
    const id = await desk.start(HUNT);
    let first = 0;
    await new Promise<void>((left) => {
      const stop = desk.watch(id, ({ kind }) => {
        if (kind === 'experiment' && ++first === 3) {
          stop();
          left();
        }
      });
    });
    const events = await eventsOf(desk, id);
    const tried = events.flatMap((event) => (event.kind === 'experiment' ? [event.record.index] : []));
    expect(tried).toEqual(tried.map((_, index) => index));
    expect(tried.length).toBeGreaterThanOrEqual(12);
  });

  it('closed in the middle of a hunt it keeps what there is; the next desk goes on to the same answer', async () => {
    const whole = deskOn(new MemoryStore());
    const expected = (await eventsOf(whole, await whole.start(HUNT))).at(-1);
    const store = new MemoryStore();
    const desk = deskOn(store);
    const id = await desk.start(HUNT);
    await new Promise<void>((done) => {
      let count = 0;
      desk.watch(id, () => ++count === 4 && done());
    });
    await desk.close();
    expect(await desk.jobs()).toMatchObject([{ id, state: 'done', partial: true }]);
    const next = deskOn(store);
    await next.resume(id);
    const last = (await eventsOf(next, id)).at(-1);
    if (last?.kind !== 'result' || expected?.kind !== 'result')
      throw new Error(JSON.stringify([last, expected]));
    const answer = (result: object) => ({ ...(result as { answer: object }).answer, wallSeconds: 0 });
    expect(answer(last.result)).toEqual(answer(expected.result));
    expect(await next.jobs()).toMatchObject([{ id, state: 'done' }]);
    expect((await next.jobs())[0].partial).toBeUndefined();
  });

  it('a job whose desk died in the middle is interrupted, not running forever', async () => {
    const store = new MemoryStore();
    const desk = deskOn(store);
    const id = await desk.start(HUNT);
    expect(await deskOn(store).jobs()).toMatchObject([{ id, state: 'interrupted' }]);
    expect((await eventsOf(deskOn(store), id)).at(-1)).toEqual({ kind: 'cancelled' });
  });

  it('cancels a run with what it has, and a row with nothing', async () => {
    const desk = deskOn(new MemoryStore());
    const workload = 'qps: 2\nmeasure: { sliceNs: 1000, minNs: 20000000, maxNs: 20000000 }\n';
    const run = await desk.start({ ...RUN, workload });
    await new Promise<void>((done) => {
      desk.watch(run, ({ kind }) => kind === 'slice' && done());
    });
    await desk.cancel(run);
    expect((await eventsOf(desk, run)).at(-1)).toMatchObject({
      kind: 'result',
      result: { measurement: { partial: true } },
    });
    const row = await desk.start({ job: 'reproduce', row: 'P3', seed: 1 });
    await desk.cancel(row);
    expect((await eventsOf(desk, row)).at(-1)).toEqual({ kind: 'cancelled' });
  });

  it('refuses what makes no sense, and more than it can look after', async () => {
    const desk = deskOn(new MemoryStore());
    await expect(desk.start({ ...RUN, subsystem: 'nowhere' })).rejects.toMatchObject({
      code: 'PROFILE_NOT_FOUND',
    });
    await expect(desk.cancel('77')).rejects.toMatchObject({ code: 'NO_JOB' });
    await expect(desk.forget('../etc')).rejects.toMatchObject({ code: 'NO_JOB' });
    await expect(desk.keep('p1', 'x')).rejects.toMatchObject({ code: 'NO_RESULT' });
    await expect(desk.keep('1', 'x'.repeat(1000))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    for (let index = 0; index < 200; index++) await desk.start({ ...RUN, seed: index }, 'idle');
    await expect(desk.start(RUN, 'passing')).rejects.toMatchObject({ code: 'BUSY' });
  });

  it('says it where a worker dies, and has another one do the rest', async () => {
    const workers = new WorkersHere();
    const desk = deskOn(new MemoryStore(), workers.hire);
    const id = await desk.start(RUN);
    const events = eventsOf(desk, id);
    workers.die();
    expect((await events).at(-1)).toMatchObject({ kind: 'failed', failure: { message: 'the worker died' } });
    expect((await eventsOf(desk, await desk.start(RUN))).at(-1)).toMatchObject({ kind: 'result' });
    expect(workers.begun).toBe(2);
  });

  it('works over a port as it does here, errors with their codes', async () => {
    const desk = deskOn(new MemoryStore());
    let answer: (call: DeskCall) => Promise<void> = async () => {};
    const distant = new DistantDesk((call) => void answer(structuredClone(call)));
    answer = deskPort(desk, (reply: DeskReply) => distant.heard(structuredClone(reply)));
    const id = await distant.start(RUN);
    expect((await eventsOf(distant, id)).at(-1)).toMatchObject({ kind: 'result' });
    expect(await distant.jobs()).toEqual(await desk.jobs());
    expect((await distant.catalogue()).workers).toBe(2);
    await expect(distant.resume('77')).rejects.toMatchObject({ code: 'NO_JOB', field: 'id' });
    const last = eventsOf(distant, await distant.start({ ...HUNT, budget: '600' }));
    distant.lost(new Error('the thread ended'));
    expect((await last).at(-1)).toMatchObject({ kind: 'failed', failure: { message: 'the thread ended' } });
    await expect(distant.jobs()).rejects.toThrow('the thread ended');
  });
});

describe('the crew', () => {
  it('keeps a worker for whoever waits in front of the page', async () => {
    const desk = deskOn(new MemoryStore());
    const hunt = await desk.start({ ...HUNT, budget: '60' });
    let tried = 0;
    desk.watch(hunt, ({ kind }) => {
      if (kind === 'experiment') tried++;
    });
    await eventsOf(desk, await desk.start(RUN, 'passing'));
    expect(tried).toBeLessThan(60);
    await desk.cancel(hunt);
  });
});
