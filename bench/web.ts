// How long the laboratory takes in a browser: `npm run bench:web [-- --json]`. Opens the static page as it is built, from a
// server that compresses nothing and keeps nothing, in every browser that is installed.
import { availableParallelism, cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { type BrowserPage, Chromium, findChromium } from '../src/cli/testing/chromium.js';
import { Firefox, findFirefox } from '../src/cli/testing/firefox.js';
import { StaticServer } from '../src/cli/testing/static-server.js';

const ROUNDS = 5;
const MOVES = 40;
const SIZE = { width: 1280, height: 900 };

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
  /** Until the result of the moved slider is there, run in front of the reader. */
  resultsMs: number[];
  complaints: string[];
}

const RAN = `performance.getEntriesByName('kelpie-run').length > 0`;

/** Moves a slider up and down, and sees when the next frame is drawn; each time waits a little, as a hand does. */
const MOVE = (moves: number) => `(async () => {
  const slider = document.getElementById('s-depth');
  const took = [];
  for (let move = 0; move < ${moves}; move++) {
    await new Promise((done) => setTimeout(done, 60));
    const start = performance.now();
    slider.value = String(move % 8);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    took.push(performance.now() - start);
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
  await new Promise((done) => setTimeout(done, 3000));
  const movesMs = await page.evaluate<number[]>(MOVE(MOVES));
  const resultsMs = await page.evaluate<number[]>(RESULTS);
  complaints = [...complaints, ...page.complaints];
  await opened.close();
  await files.close();
  return { browser, openings, movesMs, resultsMs, complaints };
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
if (process.argv.includes('--json')) console.log(JSON.stringify(found));
else {
  console.log(
    `${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'}), load ${loadavg()[0].toFixed(1)}\n`,
  );
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  for (const { browser, openings, movesMs, resultsMs, complaints } of found) {
    const [shown, ran] = [openings.map(({ shownMs }) => shownMs), openings.map(({ ranMs }) => ranMs)];
    console.log(
      `${browser}, ${ROUNDS} openings without a cache, ${MOVES} moves of a slider while a hunt goes on`,
    );
    console.log(`  a result is shown, made ahead     median ${ms(median(shown))}, most ${ms(most(shown))}`);
    console.log(`  the first run here has ended      median ${ms(median(ran))}, most ${ms(most(ran))}`);
    console.log(
      `  a moved slider is drawn           median ${ms(median(movesMs))}, most ${ms(most(movesMs))}`,
    );
    console.log(
      `  a new run beside the hunt         median ${ms(median(resultsMs))}, most ${ms(most(resultsMs))}`,
    );
    console.log(
      `  transferred                       ${(most(openings.map(({ bytes }) => bytes)) / 1e6).toFixed(2)} MB, nothing compressed by the server`,
    );
    console.log(`  complaints in the console         ${complaints.length}\n`);
  }
}
process.exit(0);
