// How a hunt scales with workers: `npm run bench:hunt [-- --json] [--check] [--workers 2,4,8,16] [--record] [--seed S]
// [--budget B]`. It replays a recorded hunt in virtual time, with the search, its scheduler and its foresight as they are,
// and a pool whose tasks take as long as they took when they were recorded: deterministic, a few seconds. The first run
// records (a minute or two, kept in build/); `--record` records again.
// `-- --threads 2,8` makes whole hunts on this many threads of this machine instead.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setUpCost } from '../src/jobs/hunt/experiments/cost.js';
import {
  deterministicAnswer,
  type HuntAnswer,
  type HuntTask,
  hunt,
  type Outcome,
  orderHunt,
  runHuntTask,
} from '../src/jobs/hunt/index.js';
import { VirtualPool, type VirtualRun } from '../src/jobs/hunt/testing/virtual-pool.js';
import { InProcessPool } from '../src/jobs/index.js';
import { openThreadPool } from '../src/node/thread-pool.js';
import { type Bar, checkBars, type Row, report } from './report.js';

const args = process.argv.slice(2);
const option = (name: string): string | undefined => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? undefined : args[at + 1];
};
const seed = Number(option('seed') ?? 1);
const budget = option('budget') ?? '10h';
const order = orderHunt({ seed, budget });
const FILE = resolve(`build/hunt-recording-${seed}-${budget}.json`);
/** How often an experiment tells what it has cost so far. */
const TOLD = 12;

/** What was recorded of an experiment. */
interface Recorded {
  ms: number;
  outcome: Outcome;
}

const keyOf = ({ workload }: HuntTask) => JSON.stringify(workload);
const rows: Row[] = [];

/** Makes the hunt with one experiment at a time, and keeps what each gave and how long it took. */
async function record(): Promise<Map<string, Recorded>> {
  const recorded = new Map<string, Recorded>();
  const pool = new InProcessPool(async (task: HuntTask) => {
    const begin = performance.now();
    const outcome = await runHuntTask(task);
    recorded.set(keyOf(task), { ms: performance.now() - begin, outcome });
    if (recorded.size % 100 === 0) process.stderr.write(`recording: ${recorded.size} experiments\n`);
    return outcome;
  });
  await hunt(order, { pool });
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify([...recorded]));
  return recorded;
}

/** A recorded experiment; one that is not, which nobody but the foresight wants, takes as long as its like. */
function runOf(
  task: HuntTask,
  recorded: ReadonlyMap<string, Recorded>,
  msOfCost: number,
): VirtualRun<Outcome> {
  const found = recorded.get(keyOf(task));
  const least = setUpCost(task.workload);
  if (found === undefined)
    return {
      ms: 2 * least * msOfCost,
      answer: () => {
        throw new Error('the recording is of another search: npm run bench:hunt -- --record');
      },
    };
  const { ms, outcome } = found;
  const progress = Array.from({ length: TOLD }, (_, index) => {
    const share = (index + 1) / (TOLD + 1);
    return { ms: share * ms, progress: Math.max(least, share * outcome.cost) };
  });
  return { ms, answer: () => outcome, progress };
}

async function replay(workers: number, recorded: ReadonlyMap<string, Recorded>) {
  const all = [...recorded.values()];
  const sum = (value: (each: Recorded) => number) => all.reduce((total, each) => total + value(each), 0);
  const msOfCost = sum(({ ms }) => ms) / sum(({ outcome }) => outcome.cost);
  const pool = new VirtualPool(workers, (task: HuntTask) => runOf(task, recorded, msOfCost));
  const answer = await pool.drive(hunt(order, { pool }));
  return { answer, seconds: pool.nowMs / 1000, busySeconds: pool.busyMs / 1000 };
}

/** A whole hunt on threads of this machine. */
async function onThreads(workers: number) {
  const worker = resolve('dist/node/job-worker.js');
  if (!existsSync(worker)) throw new Error('first: npm run build');
  const pool = openThreadPool(workers, pathToFileURL(worker));
  const [begin, used] = [performance.now(), process.cpuUsage()];
  let told = 0;
  const answer = await hunt(order, {
    pool,
    onExperiment: () => {
      if (++told % 500 === 0) process.stderr.write(`${workers} threads: ${told} experiments\n`);
    },
  });
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(used);
  await pool.close();
  return { answer, seconds, busySeconds: (user + system) / 1e6 };
}

const threads = option('threads');
const sizes = (threads ?? option('workers') ?? '1,2,4,8,16').split(',').map(Number);
const recorded =
  threads !== undefined
    ? new Map<string, Recorded>()
    : existsSync(FILE) && !args.includes('--record')
      ? new Map(JSON.parse(readFileSync(FILE, 'utf8')) as [string, Recorded][])
      : await record();
const what = threads === undefined ? 'replayed, workers' : 'threads';
const bars: Bar[] = [];
let first: { seconds: number; size: number } | null = null;
let said: string | null = null;
let rowCount = 0;
for (const size of sizes) {
  const { answer, seconds, busySeconds } = await (threads === undefined
    ? replay(size, recorded)
    : onThreads(size));
  const says = saidBy(answer);
  if (said !== null && says !== said) {
    console.error(`bar missed: ${size} workers come to another answer than ${sizes[0]}`);
    process.exitCode = 1;
  }
  said = says;
  rowCount = answer.rows.length;
  if (size === 2) first = { seconds, size };
  const name = `hunt of ${budget}, seed ${seed}, ${what}: ${size}`;
  rows.push({
    ...{ name, value: seconds, unit: 's' },
    ...(first === null || size === 2 ? {} : { ratioTo: { '2 workers': first.seconds / seconds } }),
  });
  rows.push({ name: `${name}, work of all`, value: busySeconds, unit: 's' });
  if (size === 8) bars.push({ row: name, yardstick: '2 workers', atLeast: 2 });
}
rows.push({ name: 'rows of Table 2 found', value: rowCount, unit: 'rows' });
report(rows, args);
checkBars(rows, bars, args);

function saidBy(answer: HuntAnswer): string {
  return JSON.stringify(deterministicAnswer(answer));
}
