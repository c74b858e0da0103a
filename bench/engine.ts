// Event queues under the hold model: pop the earliest event, push it again a delay later, at a steady number pending.
// Every queue lives in a process of its own, as the compiler would mix up what it learns of two. They stay alive and take
// turns in short rounds of the same holds, so that what else a machine does strikes them alike; a ratio is the median over
// the rounds of the ratio within a round. Time is processor time (of all threads, so that the garbage collector and the
// compiler count).
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { EventQueue, HeapQueue, type Queue, Random } from '../src/engine/index.js';
import { type Bar, checkBars, type Row, report } from './report.js';

const ROUNDS = 31;
const HOLDS = 400_000;
const DELAYS = 2 ** 20;
const SIZES = [
  { label: '1k', pending: 1_000 },
  { label: '100k', pending: 100_000 },
  { label: '1M', pending: 1_000_000 },
];
const BARS: Bar[] = [
  { row: 'net 100k wheel', yardstick: 'heap', atLeast: 2.5 },
  { row: 'net 100k wheel', yardstick: 'c++', atLeast: 1.5 },
];
/** Serialisation times in picoseconds of 64, 256, 1024 and 4096 bytes at 100 Gbit/s. */
const SERIALISATION = [5_120, 20_480, 81_920, 327_680];
const PROGRAM = 'build/bench/priority-queue';
const DELAYS_FILE = 'build/bench/delays.bin';
const STARTS_FILE = 'build/bench/starts.bin';

/** The queues of this engine; the first is the one that is compared with all others. */
const QUEUES: Record<string, (capacity: number) => Queue> = {
  wheel: (capacity) => new EventQueue(capacity),
  heap: (capacity) => new HeapQueue(capacity),
};

interface Round {
  seconds: number;
  /** Order-sensitive hash of all pops so far. */
  hash: number;
}

/** A process with a filled and warm queue, which runs `HOLDS` more holds a round. */
interface Contestant {
  name: string;
  round(): Promise<Round>;
  close(): void;
}

/** Delays in picoseconds: exponential with mean 1 µs, or the mix of a network. */
function makeDelays(mix: string): Float64Array {
  const random = new Random(1).split(mix);
  const delays = new Float64Array(DELAYS);
  for (let index = 0; index < DELAYS; index++) {
    delays[index] = mix === 'exp' ? Math.floor(random.nextExponential(1e6)) : networkDelay(random);
  }
  return delays;
}

/** 60 % fixed serialisation times (many ties), 30 % about 0.5 µs of wire, 9 % queueing to 20 µs, 1 % timers of 1 ms. */
function networkDelay(random: Random): number {
  const percent = random.nextInt(100);
  if (percent < 60) return random.pick(SERIALISATION);
  if (percent < 90) return 450_000 + random.nextInt(100_000);
  if (percent < 99) return random.nextInt(20_000_000);
  return 950_000_000 + random.nextInt(100_000_000);
}

/** Pops and pushes `holds` times and returns the hash; the same arithmetic as in priority-queue.cpp. */
function hold(queue: Queue, delays: Float64Array, first: number, holds: number, seed: number): number {
  let hash = seed;
  for (let index = first; index < first + holds; index++) {
    queue.pop();
    const { a, time } = queue;
    hash = (Math.imul(hash ^ a, 0x01000193) + (time | 0)) | 0;
    queue.push(time + delays[index & (DELAYS - 1)], queue.handler, a, queue.b, queue.c);
  }
  return hash;
}

/**
 * Times of the first events, as they lie at any moment of a long run: an event is pending as long as its delay, so long
 * delays are met more often, each somewhere on its way. Points strewn evenly over all delays, end to end, are just that.
 */
function makeStarts(delays: Float64Array, pending: number): Float64Array {
  const random = new Random(1).split('starts');
  const spacing = delays.reduce((sum, delay) => sum + delay, 0) / pending;
  const starts = new Float64Array(pending);
  let delay = 0;
  let end = delays[0];
  for (let index = 0; index < pending; index++) {
    const point = (index + random.nextFloat()) * spacing;
    while (point >= end && delay < DELAYS - 1) end += delays[++delay];
    starts[index] = Math.max(0, Math.floor(end - point));
  }
  return starts;
}

/** Enough holds to let the compiler settle, and every queue its memory. */
function warmHolds(pending: number): number {
  return Math.max(2 * pending, 1_000_000);
}

const readDoubles = (path: string) => new Float64Array(new Uint8Array(readFileSync(path)).buffer);

/**
 * What a child process does, by the protocol of priority-queue.cpp: fills and warms its queue, then runs `HOLDS` holds
 * for each byte on stdin and prints the processor seconds and the hash.
 */
function contend(queue: Queue, pending: number): void {
  const delays = readDoubles(DELAYS_FILE);
  const starts = readDoubles(STARTS_FILE);
  for (let index = 0; index < pending; index++) queue.push(starts[index], 1, index, 0, 0);
  let next = warmHolds(pending);
  let hash = hold(queue, delays, 0, next, 0);
  const byte = new Uint8Array(1);
  while (readSync(0, byte) === 1) {
    const start = process.cpuUsage();
    hash = hold(queue, delays, next, HOLDS, hash);
    const { user, system } = process.cpuUsage(start);
    next += HOLDS;
    console.log(`${(user + system) / 1e6} ${hash >>> 0}`);
  }
}

function startContestant(name: string, command: string, commandArgs: string[]): Contestant {
  const child = spawn(command, commandArgs, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name,
    async round() {
      child.stdin.write('\n');
      const { value, done } = await lines.next();
      if (done) throw new Error(`${command} ended before its round`);
      const [seconds, hash] = value.split(' ').map(Number);
      return { seconds, hash };
    },
    close() {
      child.stdin.end();
    },
  };
}

/** Compiles the C++ contestant; false, with the reason on stderr, where that cannot be done. */
function compile(): boolean {
  mkdirSync('build/bench', { recursive: true });
  const compiler = spawnSync('g++', ['-O2', '-std=c++17', '-o', PROGRAM, 'bench/priority-queue.cpp'], {
    encoding: 'utf8',
  });
  if (compiler.status === 0) return true;
  const reason = compiler.error ? `cannot be run (${compiler.error.message})` : `failed:\n${compiler.stderr}`;
  console.error(`no rows for C++: g++ ${reason}`);
  return false;
}

/** Seconds of each contestant in each round, after checking that all pop in the same order. */
async function race(contestants: readonly Contestant[]): Promise<number[][]> {
  const seconds: number[][] = contestants.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    const hashes = new Set<number>();
    for (const [index, contestant] of contestants.entries()) {
      const outcome = await contestant.round();
      hashes.add(outcome.hash);
      seconds[index].push(outcome.seconds);
    }
    if (hashes.size !== 1)
      throw new Error(`the queues disagree on the order of events: hashes ${[...hashes].join(', ')}`);
  }
  for (const contestant of contestants) contestant.close();
  return seconds;
}

async function measure(mix: string, label: string, pending: number, withCompiled: boolean): Promise<Row[]> {
  const delays = makeDelays(mix);
  writeFileSync(DELAYS_FILE, delays);
  writeFileSync(STARTS_FILE, makeStarts(delays, pending));
  const contestants: Contestant[] = [];
  for (const name of Object.keys(QUEUES)) {
    contestants.push(
      startContestant(name, process.execPath, [process.argv[1], '--contend', name, String(pending)]),
    );
  }
  if (withCompiled) {
    const counts = [warmHolds(pending), HOLDS].map(String);
    contestants.push(startContestant('c++', PROGRAM, [DELAYS_FILE, STARTS_FILE, ...counts]));
  }
  const seconds = await race(contestants);
  const ratioTo: Record<string, number> = {};
  const rows: Row[] = contestants.map(({ name }, index) => {
    if (index > 0) ratioTo[name] = median(seconds[index].map((each, round) => each / seconds[0][round]));
    return {
      name: `${mix} ${label} ${name}`.trim(),
      value: HOLDS / median(seconds[index]) / 1e6,
      unit: 'Mholds/s',
    };
  });
  rows[0].ratioTo = ratioTo;
  return rows;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

async function main(args: readonly string[]): Promise<void> {
  const withCompiled = compile();
  const rows: Row[] = [];
  for (const mix of ['exp', 'net']) {
    for (const { label, pending } of SIZES) rows.push(...(await measure(mix, label, pending, withCompiled)));
  }
  report(rows, args);
  checkBars(rows, BARS, args);
}

const args = process.argv.slice(2);
if (args[0] === '--contend') contend(QUEUES[args[1]](Number(args[2])), Number(args[2]));
else await main(args);
