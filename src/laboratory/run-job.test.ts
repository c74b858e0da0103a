import { describe, expect, it } from 'vitest';
import { inProcessJobs } from '../jobs/index.js';
import { openTestbedFor } from '../testbeds/index.js';
import { deterministicPart, parseWorkload, runWorkload } from '../workload/index.js';
import { catalogueOf, isLast, type JobEvent, JobLog, type JobRequest, runJob } from './index.js';

// Goal: a job tells what happens in order, ends with one last event whatever happens, and gives the bits of the library.

const WORKLOAD = 'qps: 2\nsizes: [4096]\nmeasure: { minNs: 60000, maxNs: 100000 }\n';

async function eventsOf(request: JobRequest, abortAfter = Number.POSITIVE_INFINITY): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  const abort = new AbortController();
  await runJob(request, {
    ...{ pool: inProcessJobs({ signal: abort.signal }), signal: abort.signal, wallClock: () => 0 },
    onEvent: (event) => {
      events.push(event);
      if (events.length >= abortAfter) abort.abort();
    },
  });
  expect(events.filter(isLast)).toHaveLength(1);
  expect(isLast(events[events.length - 1])).toBe(true);
  return events;
}

describe('a job', () => {
  it('run: slices, then the measurement that the library makes, to the bit', async () => {
    const events = await eventsOf({ job: 'run', subsystem: 'perf', workload: WORKLOAD, seed: 7 });
    const last = events[events.length - 1];
    if (last.kind !== 'result' || last.result.job !== 'run') throw new Error(JSON.stringify(last));
    const { measurement } = last.result;
    const workload = parseWorkload(WORKLOAD, 'w.yaml');
    const testbed = await openTestbedFor(workload, { subsystem: 'perf', seed: 7 });
    const direct = await runWorkload(workload, testbed, { seed: 7, followLatency: true, levels: true });
    await testbed.close();
    expect(JSON.stringify(deterministicPart(measurement))).toBe(JSON.stringify(deterministicPart(direct)));
    const slices = events.filter(({ kind }) => kind === 'slice');
    expect(slices.length).toBeGreaterThanOrEqual(measurement.series.timeNs.length);
  });

  it('run: what was measured when it was ended is its result, marked partial', async () => {
    const events = await eventsOf({ job: 'run', subsystem: 'perf', workload: WORKLOAD, seed: 1 }, 2);
    expect(events[events.length - 1]).toMatchObject({
      kind: 'result',
      result: { measurement: { partial: true } },
    });
  });

  it('hunt: every point as it was tried, then the answer', async () => {
    const events = await eventsOf({ job: 'hunt', subsystem: 'collie-f-as-tested', budget: '4', seed: 1 });
    const tried = events.flatMap((event) => (event.kind === 'experiment' ? [event.record.index] : []));
    expect(tried).toEqual(tried.map((_, index) => index));
    expect(events[events.length - 1]).toMatchObject({
      kind: 'result',
      result: { job: 'hunt', answer: { experiments: tried.length } },
    });
  });

  it('reproduce: the row', async () => {
    const events = await eventsOf({ job: 'reproduce', row: 'H9', seed: 1 });
    expect(events).toMatchObject([
      { kind: 'result', result: { job: 'reproduce', row: { id: 'H9', ok: true } } },
    ]);
  });

  it.each<[JobRequest, string]>([
    [{ job: 'run', subsystem: 'nowhere', workload: '', seed: 1 }, 'PROFILE_NOT_FOUND'],
    [{ job: 'run', subsystem: 'perf', workload: 'qps: many', seed: 1 }, 'WORKLOAD_INVALID'],
    [{ job: 'run', subsystem: 'perf', workload: '', seed: -1 }, 'BAD_REQUEST'],
    [{ job: 'hunt', subsystem: 'perf', budget: 'for ever', seed: 1 }, 'BAD_BUDGET'],
    [{ job: 'reproduce', row: 'Z1', seed: 1 }, 'UNKNOWN_ROW'],
    [{ job: 'dance', seed: 1 } as unknown as JobRequest, 'BAD_REQUEST'],
  ])('refuses %j', async (request, code) => {
    expect(await eventsOf(request)).toMatchObject([{ kind: 'failed', failure: { code } }]);
  });
});

describe('the log of a job', () => {
  it('tells late watchers everything, ends with the last event and is bounded', () => {
    const log = new JobLog();
    const slice = (timeNs: number): JobEvent => ({ kind: 'slice', timeNs, maxNs: 1e9, goodputGbps: 1 });
    for (let index = 0; index < 25_000; index++) log.add(slice(index));
    const heard: JobEvent[] = [];
    const stop = log.watch((event) => heard.push(event));
    expect(heard.length).toBeLessThanOrEqual(10_000);
    expect(heard[heard.length - 1]).toMatchObject({ timeNs: 24_999 });
    stop();
    log.add(slice(25_000));
    expect(heard[heard.length - 1]).toMatchObject({ timeNs: 24_999 });
    log.add({ kind: 'cancelled' });
    log.add(slice(25_001));
    const late: JobEvent[] = [];
    log.watch((event) => late.push(event));
    expect([log.ended, late[late.length - 1]]).toEqual([true, { kind: 'cancelled' }]);
  });
});

it('the catalogue has the shipped subsystems and the rows, as plain data', () => {
  const catalogue = catalogueOf(2);
  expect(structuredClone(catalogue)).toEqual(catalogue);
  expect(catalogue.subsystems).toContainEqual({
    name: 'collie-f',
    title: 'Collie F: ConnectX-6, 200 Gb/s, Xeon, A100',
    portGbps: 200,
  });
  expect(catalogue.rows.find(({ id }) => id === 'P1')).toMatchObject({ expected: 13, unit: 'Mmps' });
});
