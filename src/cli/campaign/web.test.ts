import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildWeb } from '../../../scripts/build-web.js';
import type { CampaignProgress, WorkerPresence } from '../../jobs/campaign/index.js';
import { type WebRoutes, WebServer } from '../ping/web/web-server.js';
import { Chromium, findChromium } from '../testing/chromium.js';
import { workerMetrics } from './metrics.js';
import { formatProgress } from './report.js';
import { campaignRoutes } from './web.js';

// Goal: page, table and metrics say the same of a campaign, and what workers call themselves is text alone.

/** Bounds for a machine that is slow and busy; nothing waits for them. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const EVIL = '<script>alert(1)</script>';
const now: CampaignProgress = {
  ...{ id: 3, name: 'night', job: 'sweep', version: '1.2.3', state: 'running', tasks: 10 },
  ...{ measured: 4, refused: 1, failed: 1, found: 2, repeated: 3, beganMs: 0, updatedMs: 1000 },
  ...{ perSecond: 2, leftS: 2 },
  failures: [{ point: { on: EVIL, seed: 1 }, reason: `${EVIL}!`, tries: 3 }],
  workers: [{ name: EVIL, done: 6, busyS: 1.5 }],
};
const worker: WorkerPresence = {
  ...{ name: EVIL, version: '1.2.3', threads: 2, running: [{ campaign: 3, index: 7, sinceMs: 0 }] },
  ...{ done: 6, failed: 1, busyMs: 1500, refused: [], draining: false, atMs: 0 },
  ...{ providers: ['simulated'], cores: 2, memoryGb: 8, labels: ['rack-7'] },
};
const root = mkdtempSync(join(tmpdir(), 'kelpie-campaign-page-'));
let shown = now;
let routes: WebRoutes;
let server: WebServer;
beforeAll(async () => {
  const folder = join(root, 'page');
  await buildWeb(folder, (path) => import(/* @vite-ignore */ `../../${path}.ts`));
  routes = campaignRoutes(
    () => shown,
    () => [worker],
    folder,
  );
  server = await WebServer.open('--serve', '127.0.0.1:0', routes);
});
afterAll(async () => {
  await server?.close();
  rmSync(root, { recursive: true, force: true });
});
const get = (path: string) => routes.get[path](new URLSearchParams(), 'nonce').body;

it('the numbers are those of the campaign, with the workers that were heard of', () => {
  expect(JSON.parse(get('/progress'))).toMatchObject({ tasks: 10, present: [{ memoryGb: 8 }] });
});

const noChromium = findChromium() === undefined ? 'no Chromium was found' : '';
it.skipIf(noChromium !== '')(
  `the page, which is the laboratory's, has tasks by state, workers with what they run, the rate, the time left and what was given up, as they change ${noChromium}`,
  async () => {
    const browser = await Chromium.open(findChromium()!);
    try {
      const page = await browser.page(server.url, { width: 1280, height: 900 });
      const text = () => page.evaluate<string>('document.body.innerText');
      const facts = () =>
        page.evaluate<Record<string, string>>(
          `Object.fromEntries([...document.querySelectorAll('.facts div')].map((each) => [...each.children].map((child) => child.textContent)))`,
        );
      await page.until(`document.querySelector('h1')?.textContent === 'night: 6 of 10 tasks'`);
      expect(await facts()).toEqual({
        ...{ results: '6 of 10', measured: '4', refused: '1', 'given up': '1', left: '4' },
        ...{ 'something found': '2', 'begun again': '3', 'per second': '2.0', 'time left': '2 s' },
      });
      for (const words of [
        '2 threads, 8 GB, rack-7',
        '3/7',
        `${EVIL}!, after 3 tries`,
        'kelpie campaign, 1.2.3',
      ])
        expect(await text()).toContain(words);
      expect(await page.evaluate('document.scripts.length')).toBe(1);
      await page.evaluate(axe.source);
      const broken = await page.evaluate<string[]>(
        `axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id))`,
      );
      expect(broken).toEqual([]);
      shown = { ...now, state: 'done', measured: 8, perSecond: null, leftS: null };
      await page.until(`document.querySelector('h1')?.textContent === 'night: 10 of 10 tasks'`);
      expect(await facts()).toMatchObject({ left: '0', 'time left': '–' });
      expect(page.complaints).toEqual([]);
    } finally {
      shown = now;
      await browser.close();
    }
  },
);

it('the metrics have the same numbers', () => {
  const metrics = get('/metrics');
  for (const line of [
    'kelpie_campaign_tasks{campaign="3",name="night",state="left"} 4',
    'kelpie_campaign_results_per_second{campaign="3",name="night"} 2',
    'kelpie_campaign_workers{campaign="3",name="night"} 1',
  ])
    expect(metrics.split('\n')).toContain(line);
});

it('the metrics of controller and worker are what Prometheus reads: each family once, with its type', () => {
  for (const text of [get('/metrics'), workerMetrics(worker)]) {
    const families = new Map<string, string>();
    const seen = new Set<string>();
    let family = '';
    for (const line of text.trimEnd().split('\n')) {
      const [, name, type] = /^# TYPE (kelpie_[a-z_]+) (gauge|counter)$/.exec(line) ?? [];
      if (name !== undefined) {
        expect(families.has(name), name).toBe(false);
        // Counters are called so, and nothing else is.
        expect(type === 'counter', name).toBe(name.endsWith('_total'));
        families.set(name, type);
        family = name;
      } else if (!/^# HELP kelpie_[a-z_]+ \S.*$/.test(line)) {
        const sample = /^(kelpie_[a-z_]+)\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\} -?[\d.e+-]+$/.exec(line);
        expect(sample?.[1], line).toBe(family);
        const key = line.slice(0, line.lastIndexOf(' '));
        expect(seen.has(key), key).toBe(false);
        seen.add(key);
      }
    }
    expect(seen.size).toBeGreaterThanOrEqual(families.size);
  }
});

it('the table says who runs it, and that nobody does', () => {
  expect(formatProgress(now, 2000)).toMatch(/^state +running$/m);
  expect(formatProgress(now, 100_000)).toContain('continue with kelpie campaign resume 3');
});
