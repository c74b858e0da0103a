import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CampaignSummary } from '../../jobs/campaign/index.js';
import { makeQueue, type Nats, openNats, Presences } from '../../node/nats/index.js';
import { makeClass } from '../../node/nats/queue.js';
import { VERSION } from '../../version.js';
import { type Begun, Crew } from './testing/crew.js';
import { TestServer, WHY_NO_SERVER } from './testing/nats-server.js';

// Goal: hosts probe each other, one end serving and one probing; an end that dies or never comes costs its own ways alone,
// with the reason, and nothing hangs. Method: workers that stand for hosts, at loopback addresses of their own.

const LIMIT_MS = 240_000;
/** Long enough for a busy machine to mark its tasks in time. */
const ACK_WAIT_MS = 3000;
const NEEDS = { provider: 'software', cores: 1, memoryGb: 1 };

describe.skipIf(WHY_NO_SERVER !== null)(`ways between hosts ${WHY_NO_SERVER ?? ''}`, () => {
  let crew: Crew;
  let server: TestServer;
  let nats: Nats;
  let runs = 0;
  beforeAll(async () => {
    crew = await Crew.open();
    server = await TestServer.open(join(crew.folder, 'store'));
    nats = await openNats({ urls: [server.url], prefix: 'kelpie' }, { name: 'test' });
  }, LIMIT_MS);
  beforeEach(() => {
    runs++;
  });
  afterEach(() => crew.kill());
  afterAll(async () => {
    await nats?.connection.close();
    await server?.kill();
    crew.close();
  });

  /** Each test has addresses of its own: one that was killed may hold its for a moment. */
  const on = (host: string, place: number, ...flags: string[]): Begun =>
    crew.begin([
      ...['worker', '--nats', server.url, '--cores', '2', '--name', host, '--label', `host-${host}`],
      ...['--address', `127.77.${runs}.${place}`, ...flags],
    ]);
  const run = (text: string, ...flags: string[]) => {
    const file = crew.file(`rack-${runs}.yaml`, text);
    const folder = join(crew.folder, `kept-${runs}`);
    const begun = crew.begin([
      ...['campaign', 'run', file, '--nats', server.url, '--folder', folder, '--json'],
      ...flags,
    ]);
    const summary = async () => {
      const code = await begun.ended;
      return { code, ...(JSON.parse(begun.out() || '{}') as CampaignSummary & { page: string }) };
    };
    return { ...begun, summary };
  };
  const lettersOf = async (campaign: number) => {
    const subject = `kelpie.dead.${campaign}`;
    const { state } = await nats.manager.streams.info('KELPIE_DEAD', { subjects_filter: subject });
    return state.subjects?.[subject] ?? 0;
  };

  it(
    'are measured one at a time per host, both directions, and are a matrix in the report',
    async () => {
      const ran = run(
        'name: rack\njob: ping\nhosts: [alpha, beta, gamma]\nbetween: all\nprocesses: 2\nassert: [wayUs < 1000000]\n',
        ...['--assert', 'wayGbps > 0'],
      );
      const workers = ['alpha', 'beta', 'gamma'].map((host, place) => on(host, place + 1));
      const { code, rack, measured, assertions, page } = await ran.summary();
      expect(code, ran.err()).toBe(0);
      expect(measured).toBe(9);
      expect(rack!.hosts).toEqual(['alpha', 'beta', 'gamma']);
      expect(rack!.ways).toHaveLength(6);
      for (const { from, to, us, gbps } of rack!.ways) {
        expect(from).not.toBe(to);
        expect(us).toBeGreaterThan(0);
        expect(gbps).toBeGreaterThan(0);
      }
      // Hosts have no such metric, and ways have it.
      expect(assertions.map(({ checked, broken, without }) => [checked, broken, without])).toEqual([
        [9, 0, 3],
        [9, 0, 3],
      ]);
      expect(readFileSync(page, 'utf8')).toContain('Ways between hosts');
      // Who probes did it: every way was done by the worker of its first host.
      const lines = readFileSync(page.replace('report.html', 'results.jsonl'), 'utf8').trimEnd().split('\n');
      const addresses = lines.map((line) => JSON.parse(line)).flatMap(({ detail }) => detail.address ?? []);
      expect(new Set(addresses).size).toBe(3);
      for (const { child, ended, out } of workers) {
        child.kill('SIGTERM');
        await ended;
        expect(out()).toBe('3 tasks done, 0 tries failed\n');
      }
    },
    LIMIT_MS,
  );

  it(
    'to and from a host that has no worker are given up with the reason, and all others are measured',
    async () => {
      const workers = [on('alpha', 1), on('beta', 2)];
      const presences = await Presences.open(nats);
      const present = async () => (await presences.list()).map(({ name }) => name);
      while (!(await present()).includes('alpha') || !(await present()).includes('beta')) await sleep(50);
      const ran = run(
        'name: lost\njob: ping\nhosts: [alpha, beta, lost]\nbetween: all\nprocesses: 2\nwaitS: 2\n',
      );
      const { code, rack, measured, failed, failures, id } = await ran.summary();
      expect(code, ran.err()).toBe(1);
      expect([measured, failed]).toEqual([4, 5]);
      const ways = Object.fromEntries(rack!.ways.map((way) => [`${way.from}>${way.to}`, way]));
      for (const name of ['alpha>beta', 'beta>alpha']) expect(ways[name].us).toBeGreaterThan(0);
      for (const name of ['alpha>lost', 'beta>lost', 'lost>alpha', 'lost>beta'])
        expect(ways[name].failure).toMatch(/no worker of host-lost/);
      expect(rack!.findings).toMatchObject([{ kind: 'unreachable', hosts: ['lost'] }]);
      for (const { reason } of failures) expect(reason).toMatch(/no worker of host-lost/);
      expect(await lettersOf(id)).toBe(failed);
      expect(workers.every(({ child }) => child.exitCode === null)).toBe(true);
    },
    LIMIT_MS,
  );

  it(
    'whose serving end dies are probed again when it is back',
    async () => {
      await makeQueue(nats);
      for (const host of ['alpha', 'beta'])
        await makeClass(nats, VERSION, { ...NEEDS, labels: [`host-${host}`] }, ACK_WAIT_MS);
      const asked = nats.connection.subscribe('kelpie.way.*.host-beta', { max: 2 });
      const ran = run(
        'name: back\njob: ping\nhosts: [alpha, beta]\nbetween: all\nprocesses: 2\ntries: 20\nseeds: 1..3\n',
      );
      on('alpha', 1);
      const first = on('beta', 2);
      // Its end is asked for the second time, and being probed.
      for await (const _ of asked);
      first.child.kill('SIGKILL');
      await first.ended;
      on('beta', 2);
      const { code, measured, rack } = await ran.summary();
      expect(code, ran.err()).toBe(0);
      expect(measured).toBe(3 * 4);
      expect(rack!.ways.every(({ us }) => us !== null)).toBe(true);
    },
    LIMIT_MS,
  );
});
