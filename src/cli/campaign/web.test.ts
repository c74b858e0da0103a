import { expect, it } from 'vitest';
import type { CampaignProgress, WorkerPresence } from '../../jobs/campaign/index.js';
import { campaignMetrics } from './metrics.js';
import { formatProgress } from './report.js';
import { campaignRoutes } from './web.js';

// Goal: page, table and metrics say the same of a campaign, and what workers call themselves is text alone.

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
const routes = campaignRoutes(
  () => now,
  () => [worker],
  () => campaignMetrics(now, [worker]),
);
const get = (path: string) => routes.get[path](new URLSearchParams(), 'nonce').body;

it('the page has tasks by state, workers with what they run, the rate, the time left and what was given up', () => {
  const page = get('/');
  for (const words of ['6 of 10', '2 threads, 8 GB, rack-7', '3/7', 'Given up', 'night: 6 of 10 tasks'])
    expect(page).toContain(words);
  expect(page).not.toContain(EVIL);
  expect(get('/main')).toContain('alert(1)');
  expect(JSON.parse(get('/progress'))).toMatchObject({ tasks: 10, present: [{ memoryGb: 8 }] });
});

it('the metrics have the same numbers', () => {
  const metrics = get('/metrics');
  for (const line of [
    'kelpie_campaign_tasks{campaign="3",name="night",state="left"} 4',
    'kelpie_campaign_results_per_second{campaign="3",name="night"} 2',
    'kelpie_campaign_workers{campaign="3",name="night"} 1',
  ])
    expect(metrics.split('\n')).toContain(line);
});

it('the table says who runs it, and that nobody does', () => {
  expect(formatProgress(now, 2000)).toMatch(/^state +running$/m);
  expect(formatProgress(now, 100_000)).toContain('go on with kelpie campaign resume 3');
});
