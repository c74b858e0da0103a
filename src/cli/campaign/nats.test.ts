import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Nats, openNats } from '../../node/nats/index.js';
import { makeClass, makeQueue } from '../../node/nats/queue.js';
import { VERSION } from '../../version.js';
import { drawChaos } from './testing/chaos.js';
import { Crew } from './testing/crew.js';
import { TestProxy, TestServer, WHY_NO_SERVER } from './testing/nats-server.js';

// Goal: whatever ends while a campaign runs, every task has one result, the merged result is that of one machine to the
// bit, and nothing hangs. Method: real servers, workers and controllers, killed on the way.

/** npm run test:campaign: more kills, and a connection that is cut for ten seconds. */
const FULL = process.env['KELPIE_CAMPAIGN'] === 'full';
const TASKS = 500;
/** Moments, order and victims of what goes wrong are drawn with these. */
const SEEDS = FULL ? [1, 2, 3] : [1];
const CHAOS = {
  ...{ tasks: TASKS, workers: FULL ? 12 : 3, controllers: FULL ? 2 : 1, servers: FULL ? 2 : 1 },
  ...{ longestServerMs: FULL ? 3000 : 1000, cutMs: FULL ? 10_000 : 1500 },
};
/** Long enough for a busy machine to mark its tasks in time. */
const ACK_WAIT_MS = 3000;
const LIMIT_MS = FULL ? 300_000 : 120_000;
const NEEDS = { provider: 'simulated', cores: 1, memoryGb: 1, labels: [] };

describe.skipIf(WHY_NO_SERVER !== null)(`campaigns on NATS ${WHY_NO_SERVER ?? ''}`, () => {
  const closers: (() => unknown)[] = [];
  let crew: Crew;
  let folder: string;
  let program: Crew['program'];

  beforeAll(async () => {
    crew = await Crew.open();
    ({ folder, program } = crew);
  }, 120_000);
  afterEach(async () => {
    crew.kill();
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => crew.close());

  const file = (name: string, text: string) => crew.file(name, text);
  const begin = (argv: readonly string[]) => crew.begin(argv);
  const worker = (url: string, name: string) =>
    begin(['worker', '--nats', url, '--cores', '1', '--name', name]);
  const openServer = async (name: string, flags: readonly string[] = []) => {
    const server = await TestServer.open(join(folder, name), flags);
    closers.push(() => server.kill());
    return server;
  };
  const connected = async (url: string): Promise<Nats> => {
    const nats = await openNats({ urls: [url], prefix: 'kelpie' }, { name: 'test' });
    closers.push(() => nats.connection.close());
    return nats;
  };
  /** Results on the server, asked until there are this many. */
  const reached = async (nats: Nats, count: number) => {
    for (;;) {
      const info = await nats.manager.streams.info('KV_kelpie-results').catch(() => null);
      if (info !== null && info.state.messages >= count) return;
      await sleep(50);
    }
  };
  /** Asks until the server has heard of a campaign. */
  const begun = async (nats: Nats) => {
    for (;;) {
      const info = await nats.manager.streams.info('KV_kelpie-campaigns').catch(() => null);
      if (info !== null && info.state.messages > 0) return;
      await sleep(50);
    }
  };
  const digestOf = (text: string): string => (JSON.parse(text) as { digest: string }).digest;

  it.each(SEEDS)(
    'give every task one result through a full stream, a poisoned task, and kills and cuts drawn with seed %i',
    async (seed) => {
      const campaign = file(
        'chaos.yaml',
        `name: chaos\njob: rehearsal\ntasks: ${TASKS}\ndraws: ${FULL ? 300_000 : 150_000}\nfailing: [17]\ntries: 5\n`,
      );
      const alone = file('alone.yaml', readFileSync(campaign, 'utf8').replace('tries: 5', 'tries: 1'));
      const here = await program.typed(
        ['campaign', 'run', alone, '--folder', join(folder, `here-${seed}`), '--workers', '2', '--json'],
        LIMIT_MS,
      );
      expect(here.code, here.err).toBe(1);

      const server = await openServer(`chaos-${seed}`);
      const nats = await connected(server.url);
      // Room for a few tasks alone: the controller must wait for it again and again.
      await nats.manager.streams.add({
        ...{ name: 'KELPIE_TASKS', subjects: ['kelpie.task.>'], retention: 'workqueue', storage: 'file' },
        ...{ max_msgs: 30, discard: 'new' },
      });
      await makeQueue(nats);
      await makeClass(nats, VERSION, NEEDS, ACK_WAIT_MS);
      const proxy = await TestProxy.open(server.port);
      closers.push(() => proxy.close());
      const place = ['--nats', server.url, '--folder', join(folder, `there-${seed}`), '--json'];
      let controller = begin(['campaign', 'run', campaign, ...place]);
      const crew = [worker(server.url, 'w0'), worker(proxy.url, 'w1'), worker(server.url, 'w2')];
      let workers = crew.length;
      for (const { atResults, mishap } of drawChaos(seed, CHAOS)) {
        await reached(nats, atResults);
        switch (mishap.kind) {
          case 'worker': {
            const place = mishap.which % crew.length;
            crew[place].child.kill('SIGKILL');
            crew[place] = worker(place === 1 ? proxy.url : server.url, `w${workers++}`);
            break;
          }
          case 'controller':
            // Before it has told the server of its campaign there is nothing to resume.
            await begun(nats);
            controller.child.kill('SIGKILL');
            await controller.ended;
            controller = begin(['campaign', 'resume', '1', ...place]);
            break;
          case 'server':
            await server.kill();
            await sleep(mishap.awayMs);
            await server.begin();
            break;
          case 'connection':
            proxy.cut();
            await sleep(mishap.awayMs);
            proxy.mend();
            break;
        }
      }
      expect(await controller.ended, controller.err()).toBe(1);
      expect(digestOf(controller.out())).toBe(digestOf(here.out));
      const lines = readFileSync(join(folder, `there-${seed}`, '1', 'results.jsonl'), 'utf8')
        .trimEnd()
        .split('\n');
      const indexes = lines.map((line) => (JSON.parse(line) as { index: number }).index);
      expect(indexes).toEqual(Array.from({ length: TASKS }, (_, index) => index));
      // Nothing is left in the queue, and the poisoned task has its letter.
      const left = async () => (await nats.manager.streams.info('KELPIE_TASKS')).state.messages;
      for (let tries = 0; tries < 100 && (await left()) > 0; tries++) await sleep(100);
      expect(await left()).toBe(0);
      const letter = await nats.manager.streams.getMessage('KELPIE_DEAD', { last_by_subj: 'kelpie.dead.1' });
      expect(letter?.json()).toMatchObject({ index: 17, outcome: { kind: 'failed' } });
      // Those that were not killed end as they are told.
      const last = crew[0];
      while (!last.err().includes('works for')) await sleep(50);
      last.child.kill('SIGTERM');
      expect(await last.ended, last.err()).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'go to workers that have what they need, are cancelled, show themselves, and keep large results',
    async () => {
      const server = await openServer('needs');
      const nats = await connected(server.url);
      await makeQueue(nats);
      // Tasks of another version wait, and are nobody's here.
      await makeClass(nats, '9.9.9', NEEDS);
      await nats.client.publish('kelpie.task.9-9-9.simulated_1_1.1', '{}');
      const plain = worker(server.url, 'plain');
      const labelled = begin([
        ...['worker', '--nats', server.url, '--cores', '1', '--name', 'labelled'],
        ...['--label', 'rack-7', '--serve', '127.0.0.1:0'],
      ]);
      const place = ['--nats', server.url, '--folder', join(folder, 'needs-there'), '--json'];
      // The use of a thousand links is more than a message should have.
      const shape = '{ kind: leaf-spine, leaves: 32, spines: 32, hostsPerLeaf: 2 }';
      const large = file(
        'large.yaml',
        `name: large\njob: fabric\nfabric: { topology: ${shape}, workload: [{ kind: permutation, bytes: 20000 }] }\nkeep: all\nneeds: { labels: [rack-7] }\n`,
      );
      const ran = begin(['campaign', 'run', large, ...place, '--serve', '127.0.0.1:0']);
      expect(await ran.ended, ran.err()).toBe(0);
      const here = await program.typed(
        ['campaign', 'run', large, '--folder', join(folder, 'needs-here'), '--workers', '1', '--json'],
        LIMIT_MS,
      );
      expect(digestOf(ran.out())).toBe(digestOf(here.out));
      expect((await nats.manager.streams.info('OBJ_kelpie-objects')).state.messages).toBeGreaterThan(1);
      expect(ran.err()).toMatch(/http:.* shows it, \/metrics/);
      const [address] = /http:\S+metrics/.exec(labelled.err()) as RegExpExecArray;
      const metrics = await (await fetch(address)).text();
      expect(metrics).toContain('kelpie_worker_done_total{worker="labelled"} 1\n');
      expect(plain.err()).toContain('refuses 1 tasks of version 9-9-9');
      const endless = file('endless.yaml', 'name: endless\njob: rehearsal\ntasks: 4\nhanging: [1]\n');
      const stuck = begin(['campaign', 'run', endless, ...place]);
      await reached(nats, 4);
      const cancel = await program.typed(['campaign', 'cancel', '2', '--nats', server.url], LIMIT_MS);
      expect(cancel.out).toContain('campaign 2 is cancelled');
      expect(await stuck.ended, stuck.err()).toBe(1);
      const status = await program.typed(['campaign', 'status', '2', ...place], LIMIT_MS);
      expect(JSON.parse(status.out)).toMatchObject({ state: 'cancelled', measured: 3, tasks: 4 });
      // Whoever did not run it is told how to get its results, and gets them without a run.
      const elsewhere = ['--nats', server.url, '--folder', join(folder, 'needs-elsewhere'), '--json'];
      const early = await program.typed(['campaign', 'report', '1', ...elsewhere], LIMIT_MS);
      expect(early).toMatchObject({ code: 2 });
      expect(early.out + early.err).toContain('kelpie campaign resume 1');
      const fetched = await program.typed(['campaign', 'resume', '1', ...elsewhere], LIMIT_MS);
      expect(digestOf(fetched.out)).toBe(digestOf(here.out));
      // A folder with campaigns of its own takes those of a server beside them, and they are compared.
      const own = ['--folder', join(folder, 'needs-here'), '--json'];
      for (const id of [2, 3]) {
        const again = await program.typed(['campaign', 'run', large, ...own, '--workers', '1'], LIMIT_MS);
        expect(JSON.parse(again.out)).toMatchObject({ id });
      }
      const mixed = ['--nats', server.url, ...own];
      const beside = await program.typed(
        ['campaign', 'run', large, ...mixed, '--assert', 'drops == 1 * last'],
        LIMIT_MS,
      );
      expect(JSON.parse(beside.out)).toMatchObject({ id: 4, last: 3, measured: 1 });
      expect(JSON.parse(beside.out).assertions[0]).toMatchObject({ checked: 1, broken: 0, without: 0 });
    },
    LIMIT_MS,
  );

  it(
    'have hosts examined by the workers on them, each by its own',
    async () => {
      const server = await openServer('hosts');
      const on = (host: string) =>
        begin([
          ...['worker', '--nats', server.url, '--cores', '2', '--name', host],
          '--label',
          `host-${host}`,
        ]);
      const hosts = file(
        'hosts.yaml',
        'name: rack\njob: ping\nhosts: [alpha, beta, gamma]\nprocesses: 2\nneeds: { cores: 2 }\nmetrics: [smallUs, largeGbps]\n',
      );
      const place = ['--nats', server.url, '--folder', join(folder, 'hosts-there'), '--json'];
      const workers = [on('alpha'), on('beta')];
      const ran = begin(['campaign', 'run', hosts, ...place]);
      // Nobody is on the third yet, and that is said.
      while (!ran.err().includes('host-gamma')) await sleep(50);
      expect(ran.err()).toMatch(/no known worker .* host-gamma\n/);
      workers.push(on('gamma'));
      expect([0, 1], ran.err()).toContain(await ran.ended);
      expect(JSON.parse(ran.out())).toMatchObject({ tasks: 3, measured: 3, left: 0 });
      const lines = readFileSync(join(folder, 'hosts-there', '1', 'results.jsonl'), 'utf8')
        .trimEnd()
        .split('\n');
      const all = lines.map((line) => JSON.parse(line));
      for (const [index, { metrics, point }] of all.entries()) {
        expect(point.host).toBe(['alpha', 'beta', 'gamma'][index]);
        expect(metrics.smallUs).toBeGreaterThan(0);
        expect(metrics.largeGbps).toBeGreaterThan(0);
      }
      for (const { child, ended, out } of workers) {
        child.kill('SIGTERM');
        await ended;
        expect(out()).toBe('1 tasks done, 0 tries failed\n');
      }
      const nats = await connected(server.url);
      const queues: string[] = [];
      for await (const { name } of nats.manager.consumers.list('KELPIE_TASKS')) queues.push(name);
      expect(queues.filter((name) => name.includes('host-'))).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'share what hunts know through the queue, with the outcome of one machine',
    async () => {
      const server = await openServer('hunts');
      // So little to choose from that a set is complete after some fifty experiments.
      file(
        'space.yaml',
        'direction: uni\nlayout: even\nmtu: 1024\ntransport: UD\nopcode: SEND\nmemory: memory0\nmrBytes: 65536\nmrs: 1\nsge: 1\n' +
          'batch: { min: 1, max: 64 }\nqueueDepth: { min: 16, max: 256 }\nqps: 1\nsizes: { min: 1024, max: 1024, length: 1 }\n',
      );
      const hunts = file(
        'hunts.yaml',
        `name: hunts\njob: hunt\non: collie-f\nspace: space.yaml\nbudget: "60"\nseeds: 1..${FULL ? 6 : 2}\nround: ${FULL ? 2 : 1}\n`,
      );
      const run = (where: string, ...more: string[]) => [
        ...['campaign', 'run', hunts, '--folder', join(folder, where), '--json'],
        ...more,
      ];
      const anomalies = (where: string, id: number) =>
        readFileSync(join(folder, where, String(id), 'results.jsonl'), 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { metrics: { anomalies: number } }).metrics.anomalies);
      const here = await program.typed(run('hunts-here', '--workers', '2'), LIMIT_MS);
      worker(server.url, 'a');
      worker(server.url, 'b');
      const there = begin(run('hunts-there', '--nats', server.url));
      expect(await there.ended, there.err()).toBe(here.code);
      expect(digestOf(there.out())).toBe(digestOf(here.out));
      const alone = begin(run('hunts-alone', '--independent', '--nats', server.url));
      expect(await alone.ended, alone.err()).toBe(here.code);
      // Everyone finds the one there is; those of later rounds know it, and do not say it again.
      const first = FULL ? [1, 1] : [1];
      expect(anomalies('hunts-alone', 2)).toEqual(Array(FULL ? 6 : 2).fill(1));
      expect(anomalies('hunts-there', 1)).toEqual([...first, ...Array(FULL ? 4 : 1).fill(0)]);
    },
    LIMIT_MS,
  );
});
