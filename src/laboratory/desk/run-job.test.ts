import { describe, expect, it } from 'vitest';
import { inProcessJobs } from '../../jobs/index.js';
import { openTestbedFor } from '../../testbeds/index.js';
import { deterministicPart, parseWorkload, runWorkload } from '../../workload/index.js';
import { catalogueOf, isLast, type JobEvent, JobLog, type JobRequest, runJob } from '../index.js';

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
    const slices = events.flatMap((event) => (event.kind === 'slice' ? [event] : []));
    expect(slices.length).toBeGreaterThanOrEqual(measurement.series.timeNs.length);
    // Counters move in front of whoever watches, and come to what the measurement has.
    const seen = slices.slice(0, measurement.series.timeNs.length);
    expect(seen.map(({ counters }) => counters?.['a']?.['tx_bytes_phy'] ?? 0)).toEqual(
      measurement.series.hosts['a'].counters['tx_bytes_phy'],
    );
    expect(seen.map(({ goodputGbps }) => goodputGbps)).toEqual(
      measurement.series.tenants['workload'].goodputGbps,
    );
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
    const found = events.flatMap((event) => (event.kind === 'finds' ? [event.finds.length] : []));
    const known = events.flatMap((event) => (event.kind === 'experiment' ? [event.finds] : []));
    expect(found.at(-1) ?? 0).toBe(known.at(-1));
    expect(events[events.length - 1]).toMatchObject({
      kind: 'result',
      result: { job: 'hunt', answer: { experiments: tried.length } },
    });
  });

  it('reproduce: the row', async () => {
    const events = await eventsOf({ job: 'reproduce', row: 'H9', seed: 1 });
    expect(events[events.length - 1]).toMatchObject({
      kind: 'result',
      result: { job: 'reproduce', row: { id: 'H9', ok: true } },
    });
  });

  it('reproduce: every slice of every run that the row makes', async () => {
    const events = await eventsOf({ job: 'reproduce', row: 'P12', seed: 1 }, 40);
    const runs = events.flatMap((event) => (event.kind === 'slice' ? [event.run] : []));
    expect(runs.length).toBeGreaterThanOrEqual(39);
    expect(runs[0]).toBe(1);
    expect([...runs].sort((one, other) => one - other)).toEqual(runs);
    expect(events[events.length - 1]).toEqual({ kind: 'cancelled' });
  });

  it.each<[JobRequest, object]>([
    [
      { job: 'explain', subsystem: 'perf', workload: WORKLOAD, seed: 1 },
      { explanation: { outcomes: expect.any(Array) }, measurement: { partial: false } },
    ],
    [
      {
        ...{ job: 'isolate', subsystem: 'husky', scheme: 'none', seed: 1 },
        ...{ attackers: 'PU-RNR_UC-RNR', victims: 'large_bw_write' },
      },
      { matrix: { pairs: [{ victim: 'large_bw_write' }] } },
    ],
    [
      {
        job: 'sweep',
        subsystem: 'perf',
        workload: WORKLOAD,
        vary: ['qps=1,2'],
        metrics: ['goodputGbps'],
        seed: 1,
      },
      { grid: { points: [{ values: [1] }, { values: [2] }] } },
    ],
    [
      {
        ...{ job: 'compare', subsystems: ['perf', 'husky'], workload: WORKLOAD, sweep: '', seed: 1 },
        metrics: ['goodputGbps'],
      },
      { comparison: { variants: ['perf', 'husky'], partial: false } },
    ],
    [
      {
        ...{ job: 'fabric', seed: 1 },
        fabric: 'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: permutation, bytes: 100000 }]',
      },
      { answer: { flows: 4, finished: 4, partial: false } },
    ],
    [
      { job: 'ping', host: 'hostping', device: 'connectx-6-200g', fault: 'pcie-width@rnic2:0.25', seed: 1 },
      { answer: { findings: [{ links: ['rnic2-up'] }] } },
    ],
  ])('runs %j', async (request, result) => {
    const events = await eventsOf(request);
    expect(events[events.length - 1]).toMatchObject({
      kind: 'result',
      result: { job: request.job, ...result },
    });
    // A pair of runs ends before anybody could be told how far it is.
    expect(events.filter(({ kind }) => kind === 'part' || kind === 'slice').length).toBeGreaterThanOrEqual(
      request.job === 'fabric' ? 0 : 1,
    );
  });

  it.each<[JobRequest, string]>([
    [{ job: 'run', subsystem: 'nowhere', workload: '', seed: 1 }, 'PROFILE_NOT_FOUND'],
    [{ job: 'run', subsystem: 'perf', workload: 'qps: many', seed: 1 }, 'WORKLOAD_INVALID'],
    [{ job: 'run', subsystem: 'perf', workload: '', seed: -1 }, 'BAD_REQUEST'],
    [{ job: 'hunt', subsystem: 'perf', budget: 'forever', seed: 1 }, 'BAD_BUDGET'],
    [{ job: 'reproduce', row: 'Z1', seed: 1 }, 'UNKNOWN_ROW'],
    [{ job: 'dance', seed: 1 } as unknown as JobRequest, 'BAD_REQUEST'],
    [null as unknown as JobRequest, 'BAD_REQUEST'],
    [{ job: 'run', subsystem: {}, workload: '', seed: 1 } as unknown as JobRequest, 'BAD_REQUEST'],
    [{ job: 'run', seed: 1 } as unknown as JobRequest, 'BAD_REQUEST'],
    [
      {
        ...{ job: 'sweep', subsystem: 'perf', workload: '{}', seed: 1 },
        vary: 'qps',
        metrics: [],
      } as unknown as JobRequest,
      'BAD_REQUEST',
    ],
    [
      {
        job: 'fabric',
        fabric: 'topology: { kind: file, file: /etc/passwd }\nworkload: [{ kind: permutation, bytes: 1000 }]',
        seed: 1,
      },
      'BAD_REQUEST',
    ],
    [{ job: 'ping', host: 'nowhere', device: 'connectx-6-200g', fault: '', seed: 1 }, 'PROFILE_NOT_FOUND'],
  ])('refuses %j', async (request, code) => {
    expect(await eventsOf(request)).toMatchObject([{ kind: 'failed', failure: { code } }]);
  });
});

describe('the log of a job', () => {
  it('tells late watchers everything, ends with the last event and is bounded', () => {
    const log = new JobLog();
    const slice = (timeNs: number): JobEvent => ({
      ...{
        kind: 'slice',
        run: 1,
        timeNs,
        maxNs: 1e9,
        goodputGbps: 1,
        pauseShare: 0,
        packets: 0,
        messages: 0,
      },
    });
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
  expect(catalogue.subsystems.find(({ name }) => name === 'collie-f')).toMatchObject({
    ...{
      title: 'Collie F: ConnectX-6, 200 Gb/s, Xeon, A100',
      portGbps: 200,
      rnic: 'rnic0',
      memory: 'memory0',
    },
    ...{ hasSwitch: true, own: false },
  });
  for (const { name, nodes, links, rnic, memory } of catalogue.subsystems) {
    const names = nodes.map((node) => node.name);
    expect(names, name).toEqual(expect.arrayContaining([rnic, memory]));
    for (const { between } of links) expect(names, name).toEqual(expect.arrayContaining([...between]));
  }
  expect(catalogue.servers.find(({ name }) => name === 'hostping')?.faults).toContain('pcie-width@rnic2-up');
  expect(catalogue.rows.find(({ id }) => id === 'P1')).toMatchObject({ expected: 13, unit: 'Mmps' });
});
