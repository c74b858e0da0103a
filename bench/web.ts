// How the laboratory does in a browser: `npm run bench:web [-- --json] [-- --write]`. Opens the static page as it is built,
// from a server that compresses nothing and keeps nothing, in every browser that is installed, and holds what it measures
// against the bars; a missed one is exit code 1. `--write` puts the figures into docs/laboratory.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BrowserPage, Chromium, findChromium } from '../src/cli/testing/chromium.js';
import { Firefox, findFirefox } from '../src/cli/testing/firefox.js';
import { StaticServer } from '../src/cli/testing/static-server.js';
import { FIRST_SETUP, requestOf } from '../src/laboratory/setup/setup.js';
import { deterministicPart, type Measurement } from '../src/workload/index.js';

const ROUNDS = 5;
const MOVES = 40;
const SIZE = { width: 1280, height: 900 };
const PAGE = 'docs/laboratory.md';
/** What must hold on a machine of two cores. */
const BARS = { resultMs: 3000, moveMs: 100, bytes: 1_500_000 };

interface Opening {
  /** From the start of the navigation until a result is on the page, and until one was run there. */
  shownMs: number;
  ranMs: number;
  bytes: number;
}

interface Figures {
  browser: string;
  openings: Opening[];
  /** From moving a slider until the frame after it is drawn, while a hunt goes on. */
  movesMs: number[];
  /** Until the result of a setup that nobody has run is there, beside the hunt. */
  resultsMs: number[];
  /** Whether it gives the measurement of the command line, and runs when its server is gone. */
  isSame: boolean;
  isOffline: boolean;
  complaints: string[];
}

const RAN = `performance.getEntriesByName('kelpie-run').length > 0`;

/**
 * Moves a slider up and down, and sees when the next frame is drawn. Each move is due at its time, whatever keeps the page:
 * time in which it hears nobody counts.
 */
const MOVE = (moves: number) => `(async () => {
  const slider = document.getElementById('s-depth');
  const took = [];
  for (let move = 0; move < ${moves}; move++) {
    const due = performance.now() + 60;
    await new Promise((done) => setTimeout(done, 60));
    slider.value = String(move % 8);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    took.push(performance.now() - due);
  }
  return took;
})()`;

/** Goes to setups that nobody has run, one after the other, while the hunt goes on. */
const RESULTS = `(async () => {
  const took = [];
  for (let seed = 101; seed < 111; seed++) {
    const start = performance.now();
    kelpie.lab.change('seed', seed);
    while (!kelpie.lab.state.isCurrent) await new Promise((done) => setTimeout(done, 2));
    took.push(performance.now() - start);
  }
  return took;
})()`;

async function measure(
  browser: string,
  open: () => Promise<{ page(url: string, size: typeof SIZE): Promise<BrowserPage>; close(): Promise<void> }>,
): Promise<Figures> {
  const openings: Opening[] = [];
  let complaints: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // A fresh profile and a fresh origin: nothing is cached.
    const files = await StaticServer.open(resolve('dist/web'));
    const opened = await open();
    const page = await opened.page(files.url, SIZE);
    await page.until(RAN, 60_000);
    const at = (name: string) =>
      page.evaluate<number>(`performance.getEntriesByName('${name}')[0].startTime`);
    const bytes = page.requests
      .filter(({ url }) => url.startsWith('http'))
      .reduce((sum, each) => sum + each.bytes, 0);
    openings.push({ shownMs: await at('kelpie-shown'), ranMs: await at('kelpie-run'), bytes });
    complaints = [...complaints, ...page.complaints];
    await opened.close();
    await files.close();
  }
  const files = await StaticServer.open(resolve('dist/web'));
  const opened = await open();
  const page = await opened.page(files.url, SIZE);
  await page.until(RAN, 60_000);
  await page.evaluate(
    `kelpie.backend.start({ job: 'hunt', subsystem: 'collie-f-as-tested', budget: '10h', seed: 1 })`,
  );
  await page.until(
    `kelpie.backend.jobs().then((jobs) => jobs.some(({ state, request }) => state === 'running' && request.job === 'hunt'))`,
  );
  const movesMs = await page.evaluate<number[]>(MOVE(MOVES));
  const resultsMs = await page.evaluate<number[]>(RESULTS);
  complaints = [...complaints, ...page.complaints];
  await opened.close();
  await files.close();
  return { browser, openings, movesMs, resultsMs, complaints, ...(await compare(open)) };
}

/** Holds the first run of the page against the command line, then opens the page again without its server. */
async function compare(
  open: Parameters<typeof measure>[1],
): Promise<{ isSame: boolean; isOffline: boolean }> {
  const files = await StaticServer.open(resolve('dist/web'));
  const opened = await open();
  const first = await opened.page(files.url, SIZE);
  await first.until(RAN, 60_000);
  const here = await first.evaluate<string>('JSON.stringify(kelpie.lab.state.measurement)');
  await first.until('navigator.serviceWorker.controller !== null', 60_000);
  await files.close();
  const again = await opened.page(files.url, SIZE).catch(() => opened.page(files.url, SIZE));
  const isOffline = await again.until(RAN, 60_000).then(
    () => true,
    () => false,
  );
  await opened.close();
  const text = (measurement: string) =>
    JSON.stringify(deterministicPart(JSON.parse(measurement) as Measurement));
  return { isSame: text(here) === text(onCommandLine()), isOffline };
}

/** What `kelpie run` prints for the first setup. */
function onCommandLine(): string {
  const { workload, subsystem, seed } = requestOf(FIRST_SETUP);
  const folder = mkdtempSync(join(tmpdir(), 'kelpie-bench-'));
  const file = join(folder, 'lab.yaml');
  writeFileSync(file, workload);
  const flags = ['--subsystem', subsystem, '--seed', String(seed), '--levels', '--json'];
  const { stdout } = spawnSync(process.execPath, ['dist/cli/main.js', 'run', file, ...flags], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  rmSync(folder, { recursive: true });
  return stdout;
}

const sorted = (values: readonly number[]) => [...values].sort((one, other) => one - other);
const median = (values: readonly number[]) => sorted(values)[Math.floor(values.length / 2)];
const most = (values: readonly number[]) => Math.max(...values);

const found: Figures[] = [];
const [chromium, firefox] = [findChromium(), findFirefox()];
if (chromium !== undefined) found.push(await measure('Chromium', async () => Chromium.open(chromium)));
if (firefox !== undefined) found.push(await measure('Firefox', () => Firefox.open(firefox)));
if (found.length === 0) {
  console.error('kelpie: neither Chromium nor Firefox is installed');
  process.exit(3);
}

const ms = (value: number) => `${value.toFixed(0)} ms`;
const both = (values: readonly number[]) => `${ms(median(values))} (${ms(most(values))})`;
/** A line per figure: its name, what was measured, the bar, and whether it holds. */
const lines = (each: Figures): [string, string, string, boolean][] => {
  const { openings, movesMs, resultsMs, complaints, isSame, isOffline } = each;
  const [shown, ran] = [openings.map(({ shownMs }) => shownMs), openings.map(({ ranMs }) => ranMs)];
  const bytes = most(openings.map((opening) => opening.bytes));
  return [
    ['a result is shown, made ahead', both(shown), '3 s', most(shown) < BARS.resultMs],
    ['the first run in the tab has ended', both(ran), '3 s', most(ran) < BARS.resultMs],
    [
      'a moved slider is drawn, beside a hunt on all cores',
      both(movesMs),
      '100 ms',
      most(movesMs) < BARS.moveMs,
    ],
    ['another run has ended, beside that hunt', both(resultsMs), '', true],
    [
      'transferred, nothing compressed by the server',
      `${(bytes / 1e6).toFixed(2)} MB`,
      '1.5 MB',
      bytes < BARS.bytes,
    ],
    ['complaints in the console', String(complaints.length), 'none', complaints.length === 0],
    ['the measurement of the command line, to the bit', isSame ? 'yes' : 'no', 'yes', isSame],
    ['opens and runs when its server is gone', isOffline ? 'yes' : 'no', 'yes', isOffline],
  ];
};

const machine = `${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'}), load ${loadavg()[0].toFixed(1)}`;
const about = `Median and most of ${ROUNDS} openings without a cache, of ${MOVES} moves and of 10 runs; ${machine}.`;
const tables = found.map(lines);
const rows = tables[0].map(([name, , bar], row) => [
  ...[name, ...tables.map((table) => table[row][1]), bar],
  tables.every((table) => table[row][3]) ? '' : 'missed',
]);
const table = [['', ...found.map(({ browser }) => browser), 'bar', ''], rows[0].map(() => '---'), ...rows]
  .map((row) => `| ${row.join(' | ')} |`)
  .join('\n');
if (process.argv.includes('--json')) console.log(JSON.stringify(found));
else console.log(`${about}\n\n${table}`);
for (const { browser, complaints } of found)
  for (const complaint of complaints) console.error(`${browser}: ${complaint}`);
if (process.argv.includes('--write')) {
  const [begin, end] = ['<!-- measured begin: written by npm run bench:web -->', '<!-- measured end -->'];
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(begin);
  writeFileSync(PAGE, `${before}${begin}\n\n${about}\n\n${table}\n\n${end}${rest.split(end)[1]}`);
}
process.exit(tables.flat().every(([, , , holds]) => holds) ? 0 : 1);
