// What a campaign costs beside its tasks: `npm run bench:campaign [-- --json] [--check] [--many N]`. The same tasks on two
// threads of this process, and on a worker of two threads behind a server of NATS on the loopback interface, in turn; then
// many tasks of a millisecond either way, with the controller's memory on the way. The worker's memory is of its process.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CampaignArchive,
  PoolCarrier,
  parseCampaign,
  runCampaign,
  type TaskCarrier,
} from '../src/jobs/campaign/index.js';
import { LmdbStore, openThreadPool } from '../src/node/index.js';
import { CampaignRegister, makeQueue, NatsCarrier, openNats } from '../src/node/nats/index.js';
import { type Row, report } from './report.js';

const THREADS = 2;
/** Draws of about a millisecond. */
const DRAWS = 100_000;
const COMPARED = 2000;
const TURNS = 3;
/** The bars. */
const MOST_OVERHEAD_MS = 5;
const MOST_GROWTH_MB = 16;
const PORT = 14_322;
const URL = `nats://127.0.0.1:${PORT}`;

const args = process.argv.slice(2);
const at = args.indexOf('--many');
const many = at < 0 ? 100_000 : Number(args[at + 1]);
const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'kelpie-bench-'));
const hasServer = spawnSync('nats-server', ['--version']).status === 0;
let files = 0;

/** What a campaign took, and how the controller's heap grew from its first quarter to its end. */
interface Taken {
  readonly perTaskMs: number;
  readonly heapMb: readonly number[];
}

type Carry = <Result>(
  entry: Awaited<ReturnType<CampaignArchive['create']>>,
  use: (carrier: TaskCarrier) => Promise<Result>,
) => Promise<Result>;

async function take(tasks: number, seed: number, carry: Carry): Promise<Taken> {
  const text = `name: bench\njob: rehearsal\ntasks: ${tasks}\ndraws: ${DRAWS}\nseeds: ${seed}`;
  const store = await LmdbStore.open({ path: join(folder, `${files++}.mdb`), format: 'bench/1' });
  const archive = new CampaignArchive(store);
  const entry = await archive.create(
    parseCampaign(text, 'bench.yaml', () => ''),
    0,
  );
  const heapMb: number[] = [];
  let done = 0;
  const onRecord = () => {
    if (++done % Math.ceil(tasks / 4) !== 0 && done !== tasks) return;
    globalThis.gc?.();
    heapMb.push(process.memoryUsage().heapUsed / 1e6);
  };
  const begin = performance.now();
  await carry(entry, (carrier) => runCampaign(entry, { archive, carrier, onRecord }));
  const perTaskMs = (performance.now() - begin) / tasks;
  await archive.close();
  return { perTaskMs, heapMb };
}

const pool = openThreadPool(THREADS);
const onThreads: Carry = (_, use) => use(new PoolCarrier(pool, { nowMs: () => performance.now(), signal }));

const children: ChildProcess[] = [];
async function openFleet(): Promise<{ carry: Carry; worker: ChildProcess; close(): Promise<void> }> {
  const flags = ['-js', '-sd', join(folder, 'nats'), '-a', '127.0.0.1', '-p', String(PORT)];
  children.push(spawn('nats-server', flags, { stdio: 'ignore' }));
  await sleep(1000);
  const nats = await openNats({ urls: [URL], prefix: 'kelpie' }, { name: 'bench' });
  await makeQueue(nats);
  const register = await CampaignRegister.open(nats);
  const program = resolve('dist/cli/main.js');
  const cores = ['--cores', String(THREADS)];
  const worker = spawn(process.execPath, [program, 'worker', '--nats', URL, ...cores], { stdio: 'ignore' });
  children.push(worker);
  const carry: Carry = async ({ order }, use) => {
    const entry = await register.create(order, Date.now());
    const carrier = await NatsCarrier.open(nats, entry, { signal, again: false, forgives: false });
    try {
      return await use({ size: carrier.size, run: (call) => carrier.run({ ...call, campaign: entry.id }) });
    } finally {
      await carrier.close();
    }
  };
  return { carry, worker, close: () => nats.connection.close() };
}

const rows: Row[] = [];
let missed = false;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const residentMb = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000;

/** Tasks of a millisecond, as many as it says: memory after each quarter. */
async function takeMany(name: string, seed: number, carry: Carry): Promise<void> {
  const { perTaskMs, heapMb } = await take(many, seed, carry);
  const growth = heapMb[heapMb.length - 1] - heapMb[0];
  rows.push({ name: `${many} tasks ${name}, each`, value: perTaskMs, unit: 'ms' });
  rows.push({
    name: `${many} tasks ${name}, heap of the controller at the end`,
    value: heapMb[heapMb.length - 1],
    unit: 'MB',
  });
  rows.push({ name: `${many} tasks ${name}, growth since the first quarter`, value: growth, unit: 'MB' });
  if (growth <= MOST_GROWTH_MB) return;
  missed = true;
  console.error(`bar missed: the controller grew by ${growth.toFixed(1)} MB, wanted ${MOST_GROWTH_MB}`);
}

try {
  if (hasServer) {
    const fleet = await openFleet();
    // The first of each makes threads, queues and compiled code.
    await take(500, 90, onThreads);
    await take(500, 91, fleet.carry);
    const [here, there]: number[][] = [[], []];
    for (let turn = 0; turn < TURNS; turn++) {
      here.push((await take(COMPARED, 10 + turn, onThreads)).perTaskMs);
      there.push((await take(COMPARED, 20 + turn, fleet.carry)).perTaskMs);
    }
    const overheadMs = mean(there) - mean(here);
    rows.push({ name: 'a task on threads', value: mean(here), unit: 'ms' });
    rows.push({ name: 'a task behind NATS', value: mean(there), unit: 'ms' });
    rows.push({ name: 'overhead of a task behind NATS', value: overheadMs, unit: 'ms' });
    if (overheadMs > MOST_OVERHEAD_MS) {
      missed = true;
      console.error(
        `bar missed: ${overheadMs.toFixed(2)} ms of overhead per task, wanted ${MOST_OVERHEAD_MS}`,
      );
    }
    const beforeMb = residentMb(fleet.worker.pid!);
    await takeMany('behind NATS', 30, fleet.carry);
    rows.push({ name: 'worker, memory of its process before', value: beforeMb, unit: 'MB' });
    rows.push({
      name: 'worker, memory of its process after',
      value: residentMb(fleet.worker.pid!),
      unit: 'MB',
    });
    await fleet.close();
  } else console.error('nats-server is not installed: threads alone');
  await takeMany('on threads', 31, onThreads);
} finally {
  await pool.close();
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
report(rows, args);
if (missed && args.includes('--check')) process.exitCode = 1;
