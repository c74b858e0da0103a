import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KelpieError } from '../../error.js';
import type { DescriptionError } from '../../schema/index.js';
import { isolate } from '../isolate/index.js';
import { eventTurn, InProcessPool, MemoryStore } from '../pool/index.js';
import { CampaignArchive } from './archive.js';
import { parseCampaignAssertion } from './assertion.js';
import { pointAt, sizeOf } from './axis.js';
import { PoolCarrier, type TaskCarrier, type TaskPool, type TaskReply } from './carrier.js';
import { worseWhen } from './direction.js';
import type { HostExamination } from './host.js';
import { isAble, needsOf, needsToken } from './needs.js';
import {
  allNeeds,
  campaignJsonSchema,
  knownTo,
  machinesAt,
  needsAt,
  parseCampaign,
  roundOf,
  taskAt,
  taskCount,
} from './order.js';
import { ProgressMeter } from './progress.js';
import { runCampaign } from './runner.js';
import { mergedLine, summariseCampaign, worsened } from './summary.js';
import { runCampaignTask, taskIdentity } from './task.js';
import { wayOf } from './way.js';

// Goal: a campaign's results depend on its file alone, whoever runs the tasks, in whatever order and however often.

const nobody = new AbortController().signal;
const parse = (text: string, texts: Readonly<Record<string, string>> = {}) =>
  parseCampaign(text, 'c.yaml', (file) => texts[file] ?? '');
const REHEARSAL = 'name: quick\njob: rehearsal\ntasks: 20\ndraws: 10\nseeds: [3, 1]\n';

/** Carries tasks to this process, some at a time, and answers in an order of its own. */
function shuffling(size: number, order: (index: number) => number): TaskCarrier {
  const pool: TaskPool = { size, run: (task) => runCampaignTask(task) };
  const carrier = new PoolCarrier(pool, { nowMs: () => 0, signal: nobody });
  return {
    size,
    run: async (call) => {
      for (let turns = order(call.index); turns > 0; turns--) await eventTurn();
      return carrier.run(call);
    },
  };
}

/** The merged results of a campaign. */
async function merged(archive: CampaignArchive, id: number): Promise<string> {
  let text = '';
  for await (const record of archive.records(id)) text += mergedLine(record);
  return text;
}

async function ran(text: string, carrier: TaskCarrier, archive = new CampaignArchive(new MemoryStore())) {
  const entry = await archive.create(parse(text), 0);
  expect(await runCampaign(entry, { archive, carrier })).toBe(true);
  return { archive, entry, text: await merged(archive, entry.id) };
}

const plain = shuffling(1, () => 0);

describe('a campaign file', () => {
  it('is refused with everything that is wrong with it, and with files that it names', () => {
    const faultsOf = (text: string) => {
      try {
        parse(text, { 'w.yaml': 'qps: -1\nopcode: RED' });
      } catch (error) {
        return (error as DescriptionError).faults.map(({ file, field }) => `${file} ${field}`);
      }
      return [];
    };
    // What the schema finds does not hide what is wrong beyond it.
    expect(faultsOf('name: A B\njob: run\ntries: 0\nxyz: 1\nworkload: w.yaml\nseeds: 9..1').sort()).toEqual([
      'c.yaml name',
      'c.yaml seeds',
      'c.yaml tries',
      'c.yaml xyz',
      'w.yaml opcode',
      'w.yaml qps',
    ]);
    // A faulty field does not hide what is wrong with others, and what does not exist is said once.
    expect(
      faultsOf('name: a\njob: hunt\non: [collie-zz, collie-f]\nbudget: nonsense\nstrategy: magic\n'),
    ).toEqual(['c.yaml on', 'c.yaml budget', 'c.yaml strategy']);
    // Of a field that is faulty itself nothing more is said.
    expect(faultsOf('name: a\njob: ping\nhosts: 7\nprocesses: 4\nassert: [x]').sort()).toEqual([
      'c.yaml assert[0]',
      'c.yaml hosts',
    ]);
    expect(faultsOf('name: a\njob: walk\nseeds: x')).toEqual(['c.yaml job']);
    const several = [
      'name: a\njob: sweep\non: [collie-f, collie-x]\nworkload: w.yaml',
      'vary: { qps: [1, 1] }\nseeds: 9..1\nassert: [nonsense]',
    ].join('\n');
    expect(faultsOf(several).sort()).toEqual([
      'c.yaml assert[0]',
      'c.yaml on',
      'c.yaml seeds',
      'c.yaml vary.qps',
      'w.yaml opcode',
      'w.yaml qps',
    ]);
    // Values of varied fields have their place here, each said once.
    const sweep = 'name: a\njob: sweep\nworkload: { qps: 4 }\nvary:';
    expect(faultsOf(`${sweep} { qps: [1, x, -3], mtuu: [1, 2] }`).sort()).toEqual([
      'c.yaml vary.mtuu',
      'c.yaml vary.qps',
      'c.yaml vary.qps',
    ]);
    const fabric = '{ topology: { kind: star, hosts: 4 }, workload: [{ kind: permutation, bytes: 9 }] }';
    expect(faultsOf(`name: a\njob: fabric\nfabric: ${fabric}\nvary: { control: [x, hpcc] }`)).toEqual([
      'c.yaml vary.control',
    ]);
    expect(faultsOf('name: a\njob: ping\nrows: [H9]')).toEqual(['c.yaml rows']);
    expect(faultsOf('name: a\njob: fabric\nseeds: 1')).toEqual(['c.yaml fabric']);
    expect(faultsOf('name: a\njob: hunt\nbudget: 90s')).toEqual(['c.yaml budget']);
    expect(faultsOf('name: a\njob: run\nworkload: { qps: 1 }\nassert: ["speed > 1"]')).toEqual([
      'c.yaml assert[0]',
    ]);
  });

  it.each([
    'name: a\njob: run\nworkload: { qps: 4 }\non: [collie-f, collie-h]\nseeds: 1..3',
    'name: a\njob: sweep\nworkload: { qps: 4 }\nvary: { qps: 1..8, loss: [0, 0.01] }',
    'name: a\njob: hunt\nbudget: "5"\nseeds: 1..8',
    'name: a\njob: isolate\nschemes: [none, sr-iov]\nvictims: large_bw_write,small_tput_write',
    'name: a\njob: reproduce\nrows: [H9, P6]\nseeds: [1, 2]',
    'name: a\njob: fabric\nfabric: { topology: { kind: star, hosts: 4 }, workload: [{ kind: permutation, bytes: 9 }] }\nvary: { control: [dcqcn, hpcc] }',
    'name: a\njob: ping\non: [hostping, hgx]\nfaults: [none, ats-off@rnic0]',
    REHEARSAL,
  ])('of every job is read: %#', (text) => {
    const order = parse(text);
    expect(taskCount(order)).toBe(sizeOf(order.axes));
    // A task goes to other machines as text.
    const task = taskAt(order, taskCount(order) - 1);
    expect(JSON.parse(JSON.stringify(task))).toEqual(task);
  });

  it('has a published schema that is current', () => {
    const path = 'docs/schema/campaign.schema.json';
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(campaignJsonSchema());
  });
});

describe('points', () => {
  it('are every combination once, the last axis first', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }), (lengths) => {
        const axes = lengths.map((count, index) => ({ name: `a${index}`, from: 10, count }));
        const points = Array.from({ length: sizeOf(axes) }, (_, index) => pointAt(axes, index));
        expect(new Set(points.map((point) => JSON.stringify(point))).size).toBe(sizeOf(axes));
        expect(points.map((point) => Object.values(point).map(String).join(' '))).toEqual(
          points.map((point) => Object.values(point).map(String).join(' ')).sort(),
        );
      }),
    );
  });
});

describe('a campaign', () => {
  it('gives the same bits whatever the number and the order of its workers', async () => {
    const one = await ran(REHEARSAL, plain);
    expect(one.text.split('\n')).toHaveLength(41);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.infiniteStream(fc.nat(3)), async (size, turns) => {
        const other = await ran(
          REHEARSAL,
          shuffling(size, () => turns.next().value),
        );
        expect(other.text).toBe(one.text);
      }),
      { numRuns: 20 },
    );
  });

  it('goes on where it was interrupted and does nothing twice', async () => {
    const whole = (await ran(REHEARSAL, plain)).text;
    const archive = new CampaignArchive(new MemoryStore());
    const entry = await archive.create(parse(REHEARSAL), 0);
    const begun: number[] = [];
    const carrier: TaskCarrier = {
      size: 3,
      run: (call) => {
        begun.push(call.index);
        return plain.run(call);
      },
    };
    for (let runs = 0; ; runs++) {
      const stop = new AbortController();
      let records = 0;
      const before = begun.length;
      const onRecord = () => {
        if (++records === before + 7) stop.abort();
      };
      if (await runCampaign(entry, { archive, carrier, onRecord, signal: stop.signal })) break;
      expect(runs).toBeLessThan(10);
    }
    expect(await merged(archive, entry.id)).toBe(whole);
    expect(begun.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index));
    expect(await archive.state(entry.id)).toBe('done');
  });

  it('tries a task that fails as often as it says, gives it up with the reason, and again if asked', async () => {
    const text = `${REHEARSAL}failing: [4]\ntries: 3`;
    const { archive, entry } = await ran(text, plain);
    const { failed, measured, failures } = await summariseCampaign(entry, archive);
    expect([failed, measured]).toEqual([2, 38]);
    expect(failures[0]).toMatchObject({
      point: { task: 4, seed: 3 },
      tries: 3,
      reason: expect.stringContaining('task 4'),
    });
    await archive.forgive(entry.id);
    expect((await summariseCampaign(entry, archive)).left).toBe(2);
  });

  it('counts what a device refuses as an answer', async () => {
    const text =
      'name: a\njob: sweep\nworkload: { qps: 8, measure: { maxNs: 500000 } }\nvary: { device.maxQps: [1024, 4] }';
    const { archive, entry } = await ran(text, plain);
    const { refused, measured, failed } = await summariseCampaign(entry, archive);
    expect([measured, refused, failed]).toEqual([1, 1, 0]);
  });

  it('says how far it is', async () => {
    const archive = new CampaignArchive(new MemoryStore());
    const entry = await archive.create(parse(`${REHEARSAL}failing: [1]\ntries: 2`), 0);
    const meter = new ProgressMeter(entry, 0);
    await runCampaign(entry, { archive, carrier: plain, onRecord: (record) => meter.add(record) });
    expect(meter.progress('done', 4000)).toMatchObject({
      ...{ tasks: 40, measured: 38, failed: 2, repeated: 2, perSecond: 10, leftS: 0, state: 'done' },
      workers: [{ name: 'here', done: 40 }],
    });
  });
});

describe('the report of a campaign', () => {
  it('holds assertions against runs, and against the last campaign', async () => {
    const archive = new CampaignArchive(new MemoryStore());
    const text = (qps: number) =>
      `name: a\njob: run\nworkload: { qps: ${qps}, sizes: [256], measure: { maxNs: 500000 } }\nassert: ["goodputGbps >= 0.9 * last", "goodputGbps > 0", "pauseRatio > 0.5"]`;
    const first = await ran(text(16), plain, archive);
    const one = await summariseCampaign(first.entry, archive);
    expect(one.assertions.map(({ broken, without }) => [broken, without])).toEqual([
      [0, 1],
      [0, 0],
      [1, 0],
    ]);
    const second = await ran(text(1), plain, archive);
    const two = await summariseCampaign(second.entry, archive);
    expect(two.last).toBe(1);
    expect(two.assertions.map(({ broken }) => broken)).toEqual([1, 0, 1]);
    const goodput = two.changes.find(({ metric }) => metric === 'goodputGbps')!;
    expect(goodput).toMatchObject({ runs: 1, fell: 1, worse: 'less' });
    expect(worsened(goodput)).toBe(1);
  });

  it('knows which way metrics get worse, and names the runs that did first', async () => {
    expect(['goodputGbps', 'tenant.a.latencyNs.p99', 'violated', 'held'].map(worseWhen)).toEqual([
      ...['less', 'more', 'more', 'less'],
    ]);
    expect(['experiments', 'rows', 'drawn'].map(worseWhen)).toEqual([null, null, null]);
    const archive = new CampaignArchive(new MemoryStore());
    const text = (sizes: string) =>
      `name: a\njob: sweep\nworkload: { sizes: [256], measure: { maxNs: 500000 } }\nvary: { qps: ${sizes} }`;
    await ran(text('[16, 1]'), plain, archive);
    // The same two names of tasks, now with the other's figures.
    const entry = await archive.create(parse(text('[16, 1]')), 0);
    for (const [index, place] of [1, 0].entries()) {
      const { point } = (await archive.record(1, index))!;
      await archive.keep(entry.id, { ...(await archive.record(1, place))!, index, point });
    }
    const { changes } = await summariseCampaign(entry, archive);
    const goodput = changes.find(({ metric }) => metric === 'goodputGbps')!;
    expect(goodput).toMatchObject({ rose: 1, fell: 1 });
    expect(goodput.most[0].point['qps']).toBe(16);
    expect(goodput.most[0].to).toBeLessThan(goodput.most[0].from);
  });

  it('reads what people assert', () => {
    const holds = (text: string, value: number | null, last?: number | null) =>
      parseCampaignAssertion(text).holds(value, last);
    expect(holds('a.b >= 3', 3)).toBe(true);
    expect(holds('a < 1e3', 1000)).toBe(false);
    expect(holds('a > 1', null)).toBe(false);
    expect(holds('a >= last', 3, 4)).toBe(false);
    expect(holds('a >= 0.5 * last', 3, 4)).toBe(true);
    expect(holds('a >= last', 3)).toBe(null);
    for (const text of ['a', 'a >', '> 3', 'a >= b', 'a = 3'])
      expect(() => parseCampaignAssertion(text)).toThrow();
  });
});

describe('hunts of a campaign', () => {
  const text = 'name: a\njob: hunt\non: collie-a\nbudget: "40"\nseeds: 1..3\nround: 2';

  it('know what earlier rounds found, whoever ends first, and nothing if they are independent', async () => {
    const order = parse(text);
    expect([0, 1, 2].map((index) => roundOf(order, index))).toEqual([0, 0, 1]);
    expect(knownTo(order, 2)).toEqual([0, 1]);
    expect(knownTo({ ...order, round: null }, 2)).toEqual([]);
    // Each hunt finds one set of its own; a slow first one changes nothing.
    const knownBy = async (independent: boolean) => {
      const known: Record<number, number[]> = {};
      const carrier: TaskCarrier = {
        size: 8,
        run: async ({ index, task }) => {
          known[index] = (task.known ?? []).map(({ moved }) => Number(moved[0]));
          for (let turns = index === 0 ? 5 : 0; turns > 0; turns--) await eventTurn();
          const set = { symptom: 'pause', features: [], corners: [], moved: [String(index)], point: {} };
          const found = { kind: 'measured', metrics: {}, says: '', found: true, known: [set] };
          return { outcome: found, worker: 'w', wallMs: 0, tries: 1 } as unknown as TaskReply;
        },
      };
      const archive = new CampaignArchive(new MemoryStore());
      const entry = await archive.create({ ...order, round: independent ? null : order.round }, 0);
      await runCampaign(entry, { archive, carrier });
      return known;
    };
    expect(await knownBy(false)).toEqual({ 0: [], 1: [], 2: [0, 1] });
    expect(await knownBy(true)).toEqual({ 0: [], 1: [], 2: [] });
  });
});

describe('tasks', () => {
  it('have a hash of their own by point, seed, profile and version, whatever the order of fields', () => {
    const order = parse(REHEARSAL);
    const all = Array.from({ length: taskCount(order) }, (_, index) =>
      taskIdentity(taskAt(order, index), null),
    );
    expect(new Set(all).size).toBe(all.length);
    const { job, ...rest } = taskAt(order, 0);
    expect(taskIdentity({ ...rest, job }, null)).toBe(all[0]);
    expect(taskIdentity(taskAt(order, 0), '7')).not.toBe(all[0]);
  });

  it('of a matrix make the matrix that isolate makes', async () => {
    const { archive, entry } = await ran(
      'name: a\njob: isolate\nattackers: PU-RNR_UC-RNR\nvictims: large_bw_write',
      plain,
    );
    const { pairs } = await isolate({ attackers: 'PU-RNR_UC-RNR', victims: 'large_bw_write' });
    expect((await archive.record(entry.id, 0))?.outcome).toMatchObject({ kind: 'measured', detail: pairs });
  });

  it.each([
    ['name: a\njob: reproduce\nrows: P6', { ok: 1 }],
    [
      'name: a\njob: fabric\nfabric: { topology: { kind: star, hosts: 4 }, workload: [{ kind: permutation, bytes: 9000 }] }\nvary: { "workload[0].bytes": [1000] }',
      { finished: 4, drops: 0 },
    ],
    ['name: a\njob: ping\nfaults: pcie-width@rnic2:0.25', { findings: 1 }],
  ])('of other jobs measure: %#', async (text, metrics) => {
    const { archive, entry } = await ran(
      text,
      new PoolCarrier(new InProcessPool(runCampaignTask), { nowMs: () => 0, signal: nobody }),
    );
    expect((await archive.record(entry.id, 0))?.outcome).toMatchObject({ kind: 'measured', metrics });
  });
});

it('a campaign on the thread of its controller hears that it is ended', async () => {
  const archive = new CampaignArchive(new MemoryStore());
  const entry = await archive.create(parse('name: a\njob: rehearsal\ntasks: 400\ndraws: 10\n'), 0);
  const stop = new AbortController();
  const { signal } = stop;
  const carrier = new PoolCarrier(new InProcessPool(runCampaignTask), { nowMs: () => 0, signal });
  const onRecord = () => void setImmediate(() => stop.abort());
  expect(await runCampaign(entry, { archive, carrier, onRecord, signal })).toBe(false);
  expect((await archive.done(entry)).reduce((sum, each) => sum + each, 0)).toBeLessThan(400);
});

describe('real hosts', () => {
  const order = parse('name: rack\njob: ping\nhosts: [a.rack, b.rack]\nneeds: { labels: [gpu] }\n');
  const found = { notes: ['lspci: not installed'], findings: [], smallUs: 20, largeGbps: 5 };
  const outcome = (examined: Partial<HostExamination>) =>
    runCampaignTask(taskAt(order, 0), { examineHost: async () => ({ admitted: [], ...found, ...examined }) });

  it('need a worker on them each, beside what the campaign needs', () => {
    expect(allNeeds(order).map(({ provider, labels }) => [provider, ...labels])).toEqual([
      ['software', 'gpu', 'host-a-rack'],
      ['software', 'gpu', 'host-b-rack'],
    ]);
    expect(() => parse('name: rack\njob: ping\nhosts: [a.b, a-b]\n')).toThrow('two hosts have one label');
    expect(() => parse('name: rack\njob: ping\nhosts: [a]\nfaults: all\n')).toThrow(
      'real hosts have no such',
    );
  });

  it('are measured as far as can be, with what is not known and why', async () => {
    expect(await outcome({ admitted: ['acs@switch1'] })).toMatchObject({
      ...{ kind: 'measured', found: true, says: 'acs@switch1' },
      metrics: { findings: 1, admitted: 1, smallUs: 20, largeGbps: 5 },
    });
    expect(await outcome({ admitted: null })).toMatchObject({
      ...{ kind: 'measured', found: false, says: 'nothing (not known: lspci: not installed)' },
      metrics: { findings: 0, admitted: null },
    });
  });

  it('are refused with the reason where nothing can be measured, and where there is no machine', async () => {
    expect(await outcome({ admitted: null, smallUs: null, largeGbps: null })).toEqual({
      kind: 'refused',
      reason: 'nothing of this host can be measured: lspci: not installed [NOTHING_TO_MEASURE]',
    });
    await expect(runCampaignTask(taskAt(order, 0))).rejects.toMatchObject({ code: 'CANNOT_RUN' });
  });
});

describe('ways between hosts', () => {
  const HOSTS = ['a', 'b', 'c', 'd', 'e'];
  const rackOrder = (between: string, more = '') =>
    parse(`name: rack\njob: ping\nhosts: [${HOSTS.join(', ')}]\nbetween: ${between}\n${more}`);
  /** The outcome of a rack in which ways take this many microseconds, or fail. */
  const summaryOf = async (us: (from: string, to: string) => number | string, more = '') => {
    const order = rackOrder('all', more);
    const archive = new CampaignArchive(new MemoryStore());
    const entry = await archive.create(order, 0);
    const pool = new InProcessPool((task: Parameters<typeof runCampaignTask>[0]) => {
      const way = wayOf(task.point);
      return runCampaignTask(task, {
        examineHost: async () => ({ admitted: [], notes: [], findings: [], smallUs: 20, largeGbps: 5 }),
        probeWay: async ({ to }) => {
          const took = us(way!.from, to.replace('host-', ''));
          if (typeof took === 'string') throw new KelpieError('CANNOT_RUN', took);
          return { smallUs: took, largeGbps: 100 / took, address: '127.0.0.1' };
        },
      });
    });
    await runCampaign(entry, { archive, carrier: new PoolCarrier(pool, { nowMs: () => 0, signal: nobody }) });
    return summariseCampaign(entry, archive);
  };

  it('are all, or so many from each host, with as many to each', () => {
    expect(taskCount(rackOrder('all'))).toBe(5 + 20);
    const order = rackOrder('2');
    const ways = Array.from({ length: taskCount(order) }, (_, index) => wayOf(taskAt(order, index).point));
    const known = ways.filter((way) => way !== null);
    for (const host of HOSTS) {
      expect(known.filter(({ from }) => from === host)).toHaveLength(2);
      expect(known.filter(({ to }) => to === host)).toHaveLength(2);
    }
    expect(known.every(({ from, to }) => from !== to)).toBe(true);
    // The one that probes takes the task; both are busy with it.
    const [index] = ways.flatMap((way, place) => (way === null ? [] : [place]));
    expect(needsAt(order, index).labels).toEqual([`host-${ways[index]!.from}`]);
    expect(machinesAt(order, index)).toEqual([`host-${ways[index]!.from}`, `host-${ways[index]!.to}`]);
  });

  it.each([
    ['hosts: [a]\nbetween: all', 'nothing between one host'],
    ['hosts: [a, b]\nbetween: 2', 'not have that many others'],
    ['hosts: [a, "b > c"]\nbetween: all', 'no way can be named'],
    [
      `hosts: [${Array.from({ length: 60 }, (_, index) => `h${index}`).join(', ')}]\nbetween: all`,
      'too many ways',
    ],
    ['on: hostping\nbetween: all', 'simulated servers have none'],
    ['on: hostping\nwaitS: 5', 'simulated servers have none'],
  ])('are refused: %s', (text, problem) => {
    expect(() => parse(`name: rack\njob: ping\n${text}\n`)).toThrow(problem);
  });

  it('are held against each other, and the slow one breaks an assertion by name', async () => {
    const even = await summaryOf((from) => 50 + (from.charCodeAt(0) % 3), 'assert: [findings == 0]');
    expect(even.rack).toMatchObject({ hosts: HOSTS, findings: [] });
    expect(even.assertions).toMatchObject([{ broken: 0, without: 0, checked: 25 }]);
    const slow = await summaryOf(
      (from, to) => (from === 'b' && to === 'd' ? 400 : 50),
      'assert: [findings == 0, wayUs < 300]',
    );
    expect(slow.rack!.findings).toMatchObject([{ kind: 'slow-pair', hosts: ['b', 'd'] }]);
    expect(slow.rack!.ways.find(({ from, to }) => from === 'b' && to === 'd')).toMatchObject({
      us: 400,
      gbps: 0.25,
    });
    const point = { host: 'b > d', seed: 1 };
    expect(slow.assertions).toMatchObject([
      { broken: 1, examples: [{ point, value: 1 }] },
      { broken: 1, without: 5, examples: [{ point, value: 400 }] },
    ]);
    expect(slow.found).toBe(1);
  });

  it('name a slow host, and one that nobody reaches, with the reason', async () => {
    const { rack, failed } = await summaryOf(
      (from, to) => (to === 'e' || from === 'e' ? 'nobody there' : from === 'c' || to === 'c' ? 300 : 50),
      'tries: 1',
    );
    expect(failed).toBe(8);
    expect(rack!.findings.map(({ kind, hosts }) => [kind, ...hosts])).toEqual([
      ['unreachable', 'e'],
      ['slow-host', 'c'],
    ]);
    expect(rack!.findings[0].evidence[0]).toContain('nobody there');
  });

  it('cannot be probed without a worker', async () => {
    const order = rackOrder('all');
    await expect(runCampaignTask(taskAt(order, 5))).rejects.toMatchObject({ code: 'CANNOT_RUN' });
  });
});

describe('what tasks need', () => {
  it('may be RNICs, as labels of the workers that have them', () => {
    const { needs } = parse(`${REHEARSAL}needs: { devices: [mlx5_0, MT4119], labels: [rack-7] }`);
    expect(needs.labels).toEqual(['device-mlx5-0', 'device-mt4119', 'rack-7']);
    expect(needsOf(needsToken(needs))).toEqual(needs);
  });

  it('is a token of a subject and back', () => {
    const needs = { provider: 'simulated', cores: 4, memoryGb: 32, labels: ['hardware', 'rack-7'] };
    expect(needsOf(needsToken(needs))).toEqual(needs);
    expect(needsOf('nonsense')).toBeNull();
    const worker = { providers: ['simulated'], cores: 8, memoryGb: 64, labels: ['hardware', 'rack-7', 'x'] };
    expect(isAble(worker, needs)).toBe(true);
    for (const lack of [{ providers: [] }, { cores: 2 }, { memoryGb: 31 }, { labels: ['rack-7'] }])
      expect(isAble({ ...worker, ...lack }, needs)).toBe(false);
  });
});
