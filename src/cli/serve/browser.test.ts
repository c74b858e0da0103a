import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildWeb } from '../../../scripts/build-web.js';
import { MemoryStore } from '../../jobs/index.js';
import { Crew, catalogueOf, Desk } from '../../laboratory/index.js';
import { commandOf, FIRST_SETUP, requestOf, type Setup, SLIDERS } from '../../laboratory/setup/setup.js';
import { WorkersHere } from '../../laboratory/testing/hire-here.js';
import { deterministicPart, type Measurement } from '../../workload/index.js';
import { type BrowserPage, Chromium, findChromium } from '../testing/chromium.js';
import { Firefox, findFirefox } from '../testing/firefox.js';
import { StaticServer } from '../testing/static-server.js';
import { typed } from '../testing/typed.js';
import { LabServer } from './lab-server.js';
import { readPageFiles } from './page-files.js';

// Goal: the laboratory works in a browser, alone and behind its server: it runs, gives the bits of the command line, keeps
// what it is told, opens without a network, and can be read, heard and used by everybody. Nothing here looks at a clock.
// `npm run test:lab` has more of it: every case in both browsers, more setups, more sizes of the screen.

/** Bounds for a machine that is slow and busy; nothing waits for them. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const isWhole = process.env['KELPIE_LAB'] === 'full';

const HOSTILE = `<img src=x onerror="document.title='hit'">&'"</script><script>document.title='hit'</script>`;
const root = mkdtempSync(join(tmpdir(), 'kelpie-web-'));
const folder = join(root, 'page');
let files: StaticServer;

beforeAll(async () => {
  await buildWeb(folder, (path) => import(/* @vite-ignore */ `../../${path}.ts`));
  files = await StaticServer.open(folder);
});
afterAll(async () => {
  await files?.close();
  rmSync(root, { recursive: true, force: true });
});

/** What the page shows has been run in front of the reader. */
const RUN_HERE = `document.querySelector('.lab')?.dataset.result === 'here'`;
/** How many points the line over each slider has. */
const POINTS_OF_CURVES = `[...document.querySelectorAll('.resp path.c1')].map((line) => line.getAttribute('d').split(/[ML]/).length - 1)`;
const measurementOf = (page: BrowserPage) =>
  page
    .evaluate<string>('JSON.stringify(kelpie.lab.state.measurement)')
    .then((text) => JSON.parse(text) as Measurement);
const set = (id: string, value: string | number) => `{
  const field = document.getElementById(${JSON.stringify(id)});
  field.value = ${JSON.stringify(String(value))};
  field.dispatchEvent(new Event(field.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
}`;
/** Presses a button that has a place on the page. */
const press = (words: string) =>
  `[...document.querySelectorAll('button, a.btn')].find((each) => each.textContent.startsWith(${JSON.stringify(words)}) && each.getBoundingClientRect().width > 0).click()`;
const says = (selector: string, words: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].some((each) => each.textContent.includes(${JSON.stringify(words)}))`;

/** What the command line measures for the same seed and workload. */
async function onCommandLine(setup: Setup): Promise<Measurement> {
  const request = requestOf(setup);
  // The command beside the result has the workload in it: what is typed here is what it would read.
  const [, workload] = /<<'END'\n(.*)END$/s.exec(commandOf(request))!;
  const file = join(root, 'lab.yaml');
  writeFileSync(file, workload);
  const { out, err } = await typed([
    ...['run', file, '--subsystem', request.subsystem, '--seed', String(request.seed), '--levels', '--json'],
  ]);
  expect(err).not.toContain('kelpie:');
  return JSON.parse(out) as Measurement;
}

const SETUPS: readonly Setup[] = [
  FIRST_SETUP,
  {
    ...FIRST_SETUP,
    subsystem: 'perf',
    opcode: 'READ',
    direction: 'bi',
    memoryB: '',
    sizeBytes: 1024,
    seed: 7,
  },
  {
    ...FIRST_SETUP,
    subsystem: 'srnic',
    transport: 'UD',
    opcode: 'SEND',
    memoryB: '',
    sizeBytes: 512,
    mtu: 1024,
  },
];

interface Opened {
  page(url: string, size: { width: number; height: number; dark?: boolean }): Promise<BrowserPage>;
  close(): Promise<void>;
}

const browsers: readonly [string, string | undefined, (path: string) => Promise<Opened> | Opened][] = [
  ['Chromium', findChromium(), (path) => Chromium.open(path)],
  ['Firefox', findFirefox(), (path) => Firefox.open(path)],
];

describe.each(browsers)(
  'the laboratory as files, in %s (skipped where it is not installed)',
  (name, path, open) => {
    describe.skipIf(path === undefined)('', () => {
      // What differs between browsers is in every run, the rest in both by `npm run test:lab`.
      const itOnce = it.skipIf(name !== 'Chromium' && !isWhole);
      let browser: Opened;
      beforeAll(async () => {
        browser = await open(path!);
      });
      afterAll(() => browser?.close());
      const size = { width: 1280, height: 900 };
      // A page that is left open goes on filling its curves.
      const pages: BrowserPage[] = [];
      afterEach(async () => {
        for (const page of pages.splice(0)) await page.close();
      });
      const opened = async (hash = '', width = size.width) => {
        const page = await browser.page(`${files.url}${hash}`, { ...size, width });
        pages.push(page);
        await page.until(`document.querySelector('main h1') !== null && 'kelpie' in window`);
        return page;
      };

      it('opens with a result, runs it here, asks nobody else, in under 1.5 MB and without a complaint', async () => {
        const page = await opened();
        expect(await page.evaluate(`document.querySelector('.verdict h1').textContent`)).toContain('pause');
        // The runs round the first setup were made ahead: each curve has a point for each step of its slider.
        expect(await page.evaluate(POINTS_OF_CURVES)).toEqual(SLIDERS.map(({ values }) => values.length));
        await page.until(RUN_HERE);
        expect(page.requests.length).toBeGreaterThan(4);
        for (const { url } of page.requests)
          expect(url.startsWith(files.url) || url.startsWith('blob:'), url).toBe(true);
        const bytes = page.requests
          .filter(({ url }) => url.startsWith('http'))
          .reduce((sum, each) => sum + each.bytes, 0);
        expect(bytes).toBeGreaterThan(100_000);
        expect(bytes).toBeLessThan(1_500_000);
        expect(page.complaints).toEqual([]);
      });

      it('gives the measurement of the command line to the bit', async () => {
        const page = await opened();
        for (const setup of isWhole ? SETUPS : SETUPS.slice(0, 2)) {
          await page.evaluate(`kelpie.lab.show({ kind: 'setup', setup: ${JSON.stringify(setup)} })`);
          await page.until(
            `kelpie.lab.state.isCurrent && kelpie.lab.state.id !== null && kelpie.lab.state.linked.setup.seed === ${setup.seed}`,
          );
          const [here, there] = [await measurementOf(page), await onCommandLine(setup)];
          expect(here.profile).toBe(setup.subsystem);
          expect(JSON.stringify(deterministicPart(here))).toBe(JSON.stringify(deterministicPart(there)));
        }
      });

      itOnce(
        'a slider moves by keyboard, its result follows, and the curves over all of them fill with runs',
        async () => {
          const page = await opened();
          await page.until(RUN_HERE);
          await page.evaluate(`document.getElementById('s-qps').focus()`);
          await page.press('ArrowRight');
          expect(await page.evaluate(`document.querySelector('output[for=s-qps]').textContent`)).toBe('16');
          await page.until(`${RUN_HERE} && kelpie.lab.state.measurement.workload.tenants[0].qps === 16`);
          const known = `[...document.querySelectorAll('.resp')].map((each) => each.querySelectorAll('.pt').length)`;
          // A curve that is whole has a line and no single points.
          // Dozens of runs, in workers that only take what nobody else wants.
          await page.until(`${known}.every((points) => points === 0)`, 180_000);
          expect(
            await page.evaluate(`document.getElementById('s-mtu').getAttribute('aria-valuetext')`),
          ).toMatch(/^4 KB: \d/);
          expect(page.complaints).toEqual([]);
        },
      );

      itOnce('a link reproduces the run, and one that makes no sense is an error in words', async () => {
        const page = await opened();
        await page.evaluate(set('memoryB', ''));
        await page.evaluate(set('s-sizeBytes', 2));
        await page.until(`${RUN_HERE} && kelpie.lab.state.measurement.workload.tenants[0].sizes[0] === 256`);
        const link = await page.evaluate<string>(`new Promise((done) => {
        navigator.clipboard.writeText = async (text) => done(text);
        ${press('Copy link')};
      })`);
        expect(link.startsWith(`${files.url}#/run?on=collie-f-as-tested&`)).toBe(true);
        const here = await measurementOf(page);
        const [name, text] = await page.evaluate<[string, string]>(`new Promise((done) => {
          const make = URL.createObjectURL;
          let file;
          URL.createObjectURL = (blob) => make.call(URL, (file = blob));
          HTMLAnchorElement.prototype.click = function () {
            void file.text().then((text) => done([this.download, text]));
          };
          ${press('Download the workload')};
        })`);
        const setup: Setup = { ...FIRST_SETUP, memoryB: '', sizeBytes: 256 };
        expect([name, text]).toEqual(['lab.yaml', requestOf(setup).workload]);
        await page.close();
        pages.splice(0);
        const other = await opened(link.slice(files.url.length));
        await other.until(`${RUN_HERE} && kelpie.lab.state.measurement.workload.tenants[0].sizes[0] === 256`);
        const both = [here, await measurementOf(other)].map(deterministicPart);
        expect(JSON.stringify(both[1])).toBe(JSON.stringify(both[0]));
        await other.evaluate(
          `location.hash = '#/run?on=' + ${JSON.stringify(encodeURIComponent(HOSTILE))} + '&qps=8'`,
        );
        await other.until(says('.fault', 'onerror'));
        await other.evaluate(`location.hash = '#/run?qps=7'`);
        await other.until(says('.fault', 'it can be 1, 2, 4'));
        expect(await other.evaluate('document.title')).toBe('Kelpie laboratory');
      });

      itOnce(
        'a hunt shows the points that it tries, stops with what it has, and a row runs beside its paper',
        async () => {
          const page = await opened('#/hunt', 400);
          await page.evaluate(set('hunt-budget', '10h'));
          await page.evaluate(press('Hunt on'));
          await page.until(
            `/\\d\\d points tried/.test(document.querySelector('.space canvas')?.ariaLabel ?? '')`,
          );
          expect(await page.overlaps()).toEqual([]);
          await page.evaluate(press('Stop and keep'));
          await page.until(says('h1', 'before it was stopped'));
          expect(await page.overlaps()).toEqual([]);
          await page.evaluate(`location.hash = '#/papers'`);
          await page.until(`document.getElementById('row-P1') !== null`);
          await page.evaluate(`document.querySelector('#row-P1 .btn').click()`);
          await page.until(says('#row-P1 .tag', 'run here'));
          expect(page.complaints).toEqual([]);
        },
      );

      itOnce('results are kept for the next time, compared, and forgotten; names are text', async () => {
        const page = await opened();
        await page.until(RUN_HERE);
        await page.evaluate(set('keep-name', HOSTILE));
        await page.evaluate(press('Keep result'));
        await page.until(says('.keep', 'Kept'));
        await page.evaluate(set('memoryB', ''));
        await page.until(`${RUN_HERE} && kelpie.lab.state.measurement.verdict.symptom === null`);
        await page.evaluate(set('keep-name', 'clean'));
        await page.evaluate(press('Keep result'));
        await page.until(`document.getElementById('keep-name').value === ''`);
        const next = await opened('#/results');
        await next.until(`${says('.jobs a', HOSTILE)} && ${says('.jobs a', 'clean')}`);
        expect(await next.evaluate(`document.querySelectorAll('main img, main script').length`)).toBe(0);
        await next.evaluate(
          `for (const row of document.querySelectorAll('.jobs tbody tr')) if (/onerror|clean/.test(row.textContent)) row.querySelector('input').click()`,
        );
        await next.until(`!${buttonOf('Compare the two')}.disabled`);
        await next.evaluate(press('Compare the two'));
        await next.until(`${says('h2', 'clean')} && ${says('td', 'total.goodputGbps')}`);
        const rows = `document.querySelectorAll('.jobs tbody tr').length`;
        const before = await next.evaluate<number>(rows);
        await next.evaluate(press('Forget'));
        await next.until(`${rows} === ${before - 1}`);
        expect([await next.evaluate('document.title'), next.complaints]).toEqual(['Kelpie laboratory', []]);
      });

      it('opens and runs when there is no network any more', async () => {
        const own = await StaticServer.open(folder);
        const first = await browser.page(own.url, size);
        await first.until(RUN_HERE);
        await first.until(`navigator.serviceWorker.controller !== null`);
        await own.close();
        const page = await browser.page(own.url, size).catch(() => browser.page(own.url, size));
        await page.until(RUN_HERE);
        expect((await measurementOf(page)).verdict.symptom).toBe('pause');
      });
    });
  },
);

const buttonOf = (words: string) =>
  `[...document.querySelectorAll('button')].find((each) => each.textContent.startsWith(${JSON.stringify(words)}))`;

const chromium = findChromium();
/** Buttons that nobody can press because they have no place on the page. */
const UNSEEN = `[...document.querySelectorAll('main button')]
  .filter((each) => each.closest('details:not([open])') === null && each.getBoundingClientRect().width === 0)
  .map((each) => each.textContent)`;
const SIZES = [
  [400, true],
  [1280, false],
  [760, false],
  [1920, true],
] as const;

describe.skipIf(chromium === undefined)(
  'everybody can use it (skipped where Chromium is not installed)',
  () => {
    let browser: Chromium;
    beforeAll(() => {
      browser = Chromium.open(chromium!);
    });
    afterAll(() => browser?.close());

    it.each(['run', 'hunt', 'papers', 'jobs', 'results'])(
      '%s: nothing serious for axe, nothing overlaps, nothing is wider than the screen',
      async (name) => {
        for (const [width, dark] of isWhole ? SIZES : SIZES.slice(0, 2)) {
          const page = await browser.page(`${files.url}#/${name}`, { width, height: 900, dark });
          await page.until(`document.querySelector('main h1') !== null && 'kelpie' in window`);
          if (name === 'run') await page.until(RUN_HERE);
          expect(await page.overlaps(), `${name} ${width}`).toEqual([]);
          expect(await page.evaluate(UNSEEN), `${name} ${width}`).toEqual([]);
          expect(await page.accessibility(axe.source), `${name} ${width}`).toEqual([]);
          expect(page.complaints).toEqual([]);
          await page.close();
        }
      },
    );

    it('under 640 pixels the picture is a list, with a value for every queue and link; above, a picture', async () => {
      const shown = `['.scene', '.stations'].map((each) => getComputedStyle(document.querySelector(each)).display !== 'none')`;
      const narrow = await browser.page(files.url, { width: 600, height: 900 });
      await narrow.until(RUN_HERE);
      expect(await narrow.evaluate(shown)).toEqual([false, true]);
      const rows = await narrow.evaluate<string[]>(
        `[...document.querySelectorAll('.stations li')].map((each) => each.innerText.replace(/\\n/g, ' '))`,
      );
      expect(rows.find((row) => row.startsWith('receive buffer of b'))).toMatch(/\d+ K?B$/);
      expect(rows.find((row) => row.startsWith('NIC b pauses its peer'))).toMatch(/\d %$/);
      const wide = await browser.page(files.url, { width: 1280, height: 900 });
      await wide.until(RUN_HERE);
      expect(await wide.evaluate(shown)).toEqual([true, false]);
    });

    it('the picture moves through the slices of the run, and stands where somebody wants no motion', async () => {
      const page = await browser.page(files.url, { width: 1280, height: 900 });
      await page.until(RUN_HERE);
      const slice = `document.querySelector('.time input').value`;
      const first = await page.evaluate<string>(slice);
      await page.until(`${slice} !== ${JSON.stringify(first)}`);
      const levels = await page.evaluate<number[]>(
        `kelpie.lab.state.measurement.series.levels.queues.find(({ name }) => name === 'b/rnic0/receive-buffer').levels`,
      );
      await page.evaluate(
        `{ const time = document.querySelector('.time input'); time.value = 5; time.dispatchEvent(new Event('input', { bubbles: true })); }`,
      );
      const text = `[...document.querySelectorAll('.stations li')].find((each) => each.textContent.startsWith('receive buffer of b')).lastElementChild.textContent`;
      expect(await page.evaluate(text)).toBe(`${Number((levels[5] / 1024).toPrecision(3))} KB`);
      const still = await browser.page('about:blank', { width: 1280, height: 900 });
      await still.call('Emulation.setEmulatedMedia', {
        features: [{ name: 'prefers-reduced-motion', value: 'reduce' }],
      });
      await still.call('Page.navigate', { url: files.url });
      await still.until(RUN_HERE);
      expect(await still.evaluate(`document.querySelector('.time .btn').textContent`)).toBe('Play');
      expect(await still.evaluate(`getComputedStyle(document.querySelector('.flow')).animationName`)).toBe(
        'none',
      );
    });

    it('the skip link, the theme and a choice work from the keyboard', async () => {
      const page = await browser.page(files.url, { width: 1280, height: 900 });
      await page.until(RUN_HERE);
      await page.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the result');
      await page.evaluate(`document.querySelector('.top button').click()`);
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
      await page.evaluate(press('READ'));
      await page.until(`${RUN_HERE} && kelpie.lab.state.measurement.workload.tenants[0].opcode === 'READ'`);
      expect(await page.evaluate(`document.querySelector('.verdict').getAttribute('aria-live')`)).toBe(
        'polite',
      );
    });

    describe('behind kelpie serve', () => {
      const TOKEN = 'abcdefghijklmnopqrstuvwx';
      let desk: Desk;
      let server: LabServer;
      beforeAll(async () => {
        desk = new Desk({
          ...{
            catalogue: catalogueOf(1),
            crew: new Crew(1, new WorkersHere().hire),
            store: new MemoryStore(),
          },
          nowMs: () => Date.now(),
        });
        server = await LabServer.open({
          desk,
          files: readPageFiles(folder),
          token: TOKEN,
          port: 0,
          more: { campaigns: async () => [] },
        });
      });
      afterAll(async () => {
        await desk?.close();
        await server?.close();
      });
      const size = { width: 1280, height: 900 };

      it('runs on the server, to the same bits, and keeps the token out of the address', async () => {
        const page = await browser.page(`${server.url}#token=${TOKEN}`, size);
        await page.until(RUN_HERE);
        expect(await page.evaluate('location.href')).toBe(`${server.url}#/run`);
        expect(await page.evaluate(`document.querySelector('.where').textContent`)).toContain('kelpie serve');
        const [here, there] = [await measurementOf(page), await onCommandLine(FIRST_SETUP)];
        expect(JSON.stringify(deterministicPart(here))).toBe(JSON.stringify(deterministicPart(there)));
        expect(
          page.requests
            .map(({ url }) => url)
            .filter((url) => url.includes('worker.bin') || url.includes(TOKEN)),
        ).toEqual([]);
        expect(page.complaints).toEqual([]);
      });

      it('a hunt goes on while its browser is away, and is there in the middle when it comes back', async () => {
        const page = await browser.page(`${server.url}#/hunt`, size);
        await page.until(`'kelpie' in window`);
        await page.evaluate(set('hunt-budget', '10h'));
        await page.evaluate(press('Hunt on'));
        const tried = `Number(/^(\\d+) points/.exec(document.querySelector('.space canvas')?.ariaLabel ?? '')?.[1] ?? 0)`;
        await page.until(`${tried} > 5`);
        await page.close();
        const back = await browser.page(`${server.url}#/hunt`, size);
        await back.until(`${tried} > 8`);
        await back.until(says('h1', 'experiments so far'));
        await back.evaluate(press('Stop and keep'));
        await back.until(says('h1', 'before it was stopped'));
        await back.evaluate(`location.hash = '#/results'`);
        await back.until(says('.jobs td', 'anomal'));
      });

      it('says what is missing to who comes without the token, and shows nothing else', async () => {
        const page = await browser.page('about:blank', size);
        await page.call('Page.navigate', { url: `${server.url}#token=wrong-token` });
        await page.until(says('h1', 'needs the address that kelpie serve printed'));
        expect(await page.evaluate(`'kelpie' in window`)).toBe(false);
      });

      it('a page of another origin gets nothing, with the token or without', async () => {
        const page = await browser.page(files.url, size);
        const outcome = await page.evaluate<string>(`(async () => {
        const tries = [
          { headers: { authorization: 'Bearer ${TOKEN}' } },
          { mode: 'no-cors' },
          { method: 'POST', mode: 'no-cors', body: '{}' },
        ];
        const said = [];
        for (const each of tries) {
          try {
            const response = await fetch('${server.url}api/jobs', each);
            said.push(response.type + ' ' + response.status + ' ' + (await response.text()));
          } catch {
            said.push('refused');
          }
        }
        return said.join();
      })()`);
        expect(outcome).toBe('refused,refused,refused');
      });
    });
  },
);
