import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chromium, findChromium } from '../cli/testing/chromium.js';
import { typed } from '../cli/testing/typed.js';
import type { CampaignEntry, CampaignSummary, TaskRecord } from '../jobs/campaign/index.js';
import type { Comparison } from '../jobs/compare/index.js';
import { gatherEvidence, type HuntAnswer } from '../jobs/hunt/index.js';
import { strictOrdering } from '../jobs/hunt/testing/strict-ordering.js';
import type { MatrixResult } from '../jobs/isolate/index.js';
import type { RowResult } from '../jobs/reproduce/index.js';
import { campaignPage } from './pages/campaign.js';
import { comparePage } from './pages/compare.js';
import { huntPage } from './pages/hunt.js';
import { isolatePage } from './pages/isolate.js';
import { type ExplainedMeasurement, measurementPage } from './pages/measurement.js';
import { reproducePage } from './pages/reproduce.js';

// Goal: reports of all jobs are whole in one file, read well at every width and in both themes, work without a mouse,
// and no name of a user becomes markup. Method: make one of each, open it in headless Chromium and look.

const EVIL = '<img src=x onerror="document.title=1">"\'</style></script>';
const root = mkdtempSync(join(tmpdir(), 'kelpie-reports-'));
afterAll(() => rmSync(root, { recursive: true }));

const pages = new Map<string, string>();
const NAMES = ['run', 'bw', 'lat', 'hunt', 'isolate', 'reproduce', 'compare', 'campaign', 'fabric'];

beforeAll(async () => {
  const workload = join(root, 'w.yaml');
  writeFileSync(
    workload,
    `name: ${JSON.stringify(EVIL)}\nmeasure: { minNs: 100000, maxNs: 200000 }\ntenants:\n  - { name: storage, qps: 4 }\n  - { name: rpc, opcode: SEND, sizes: [128], qps: 4 }\n`,
  );
  const run = JSON.parse((await typed(['run', workload, '--explain', '--json'])).out) as ExplainedMeasurement;
  pages.set('run', measurementPage([run], `kelpie run ${EVIL}`, 'kelpie run'));
  pages.set('bw', measurementPage([run, run], 'kelpie bw write -a', 'kelpie bw'));
  pages.set('lat', measurementPage([run], 'kelpie lat write', 'kelpie lat', 'latency'));
  const shipped = JSON.parse(readFileSync('examples/advise/rpc-library.hunt.json', 'utf8')) as HuntAnswer;
  const others = shipped.anomalies.filter(({ symptom }) => symptom !== 'loss');
  const hunt = { ...shipped, anomalies: [...others, { ...strictOrdering, severity: 1 }] };
  const commands = {
    again: 'kelpie hunt',
    reproducer: (index: number) => `kelpie run anomaly-${index + 1}.yaml`,
  };
  const evidence = await gatherEvidence(hunt, { subsystem: 'collie-e' }, { most: 1 });
  pages.set('hunt', huntPage({ ...hunt, subsystem: EVIL }, [], commands, evidence));
  pages.set('isolate', isolatePage([matrix(EVIL)], 'kelpie isolate'));
  pages.set(
    'reproduce',
    reproducePage(rows, { seed: 1, partial: false, command: 'kelpie reproduce', pending: waiting }),
  );
  pages.set(
    'compare',
    comparePage('Comparison', comparison, comparison.metrics, {
      job: 'kelpie compare',
      line: 'kelpie compare',
    }),
  );
  pages.set('campaign', campaign());
  const fabric = join(root, 'f.yaml');
  writeFileSync(
    fabric,
    'topology: { kind: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 4 }\nworkload: [{ kind: incast, fanIn: 9, bytes: 200000 }]\ncontrol: none\n',
  );
  await typed(['fabric', fabric, '--report', join(root, 'fabric.html')]);
  pages.set('fabric', readFileSync(join(root, 'fabric.html'), 'utf8'));
}, 60_000);

function campaign(): string {
  const point = { subsystem: EVIL, qps: 8 };
  const summary = {
    ...{ format: 'kelpie-campaign-summary/1', id: 3, name: EVIL, job: 'run', version: '0.1.0' },
    ...{ tasks: 900, measured: 498, refused: 1, failed: 1, left: 400, found: 2, last: 2 },
    failures: [{ point, reason: EVIL, tries: 3 }],
    assertions: [
      { text: 'goodputGbps > 90', checked: 498, broken: 1, without: 0, examples: [{ point, value: 12 }] },
    ],
    changes: [
      { metric: 'goodputGbps', runs: 498, rose: 1, fell: 2, most: [{ point, from: 97.1, to: 96.9 }] },
    ],
  } as unknown as CampaignSummary;
  const outcome = { kind: 'measured', metrics: { goodputGbps: 97.123, 'latencyNs.p50': 1830 }, says: EVIL };
  const listed = Array.from(
    { length: 500 },
    (_, index) => ({ index, point, outcome, worker: 'w1', wallMs: 1234 }) as unknown as TaskRecord,
  );
  const entry = { id: 3, order: { version: '0.1.0' }, beganMs: 0 } as unknown as CampaignEntry;
  return campaignPage(entry, summary, listed, 'a'.repeat(64));
}

function matrix(attacker: string): MatrixResult {
  const pair = {
    attackClass: 'PU',
    column: null,
    aloneGbps: 99.5,
    thresholdGbps: 37.5,
    attackerGbps: 1,
  } as const;
  const outcomes = [
    { victim: 'large_bw_write', outcome: 'violated', gbps: 2, share: 0.02, resource: 'receive engine' },
    { victim: 'small_tput_write', outcome: 'holds', gbps: 97, share: 0.97, resource: null },
    { victim: 'mtu_tput_send', outcome: 'refused', reason: EVIL, gbps: null, share: null, resource: null },
  ];
  const names = [attacker, ...Array.from({ length: 20 }, (_, index) => `Cache-attack-${index}`)];
  const pairs = names.flatMap((name) => outcomes.map((each) => ({ ...pair, ...each, attacker: name })));
  const summary = new Proxy({}, { get: () => ({ holds: false, pairs: 3, violated: 1, refused: 1 }) });
  const head = {
    scheme: 'none',
    subsystem: 'husky',
    alpha: 0.25,
    guaranteeGbps: 50,
    bypass: false,
    partial: false,
  };
  return { ...head, pairs, summary } as unknown as MatrixResult;
}

const waiting = [{ id: 'L1', paper: 'Lamda', setting: '', reason: EVIL }];
const rows: RowResult[] = [
  {
    id: 'P6',
    ok: true,
    paper: 97.94,
    simulated: 97.9,
    unit: 'Gb/s',
    tolerance: '5 %',
    trend: null,
    magnitude: true,
  },
  {
    id: 'C1',
    ok: false,
    paper: { a: 1 },
    simulated: { a: 2 },
    unit: '%',
    tolerance: '1',
    trend: true,
    magnitude: false,
    reason: EVIL,
  },
];

const comparison: Comparison = {
  format: 'kelpie-compare/1',
  kind: 'workload',
  seed: 1,
  variants: ['srnic', EVIL],
  parameter: 'qps',
  values: [1, 16, 256, 4096, 65536],
  metrics: ['goodputGbps', 'latencyNs.p50'],
  points: ['srnic', EVIL].flatMap((variant) =>
    [1, 16, 256, 4096, 65536].map((value) => ({
      variant,
      value,
      readings: { goodputGbps: 97 / value, 'latencyNs.p50': value },
    })),
  ),
  partial: false,
};

describe('a report', () => {
  it('of many schemes stays short: a column per class of attackers', () => {
    const one = matrix('evil');
    const pairs = Array.from({ length: 18 }, () => one.pairs).flat();
    const page = isolatePage(
      Array.from({ length: 10 }, () => ({ ...one, pairs })),
      'kelpie isolate',
    );
    expect(page).toContain('<span>PU attackers</span>');
    expect(page).not.toContain('<span>Cache-attack-1</span>');
    expect(page.length).toBeLessThan(300_000);
    const [single] = [isolatePage([{ ...one, pairs }], 'kelpie isolate')];
    expect(single).toContain('<span>Cache-attack-1</span>');
    expect(single.length).toBeLessThan(300_000);
  });

  it.each(NAMES)('%s asks for nothing but itself, and names are text', (name) => {
    const page = pages.get(name)!;
    expect(page).not.toMatch(/(?:src|href)="(?!data:|#)/);
    expect(page).not.toContain('<img');
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.length).toBeLessThan(300_000);
  });

  it('of a run shows what was proved, of several sizes all of them at once, of latency the median first', () => {
    expect(pages.get('run')).toContain('<h2>What limits it</h2>');
    const bw = pages.get('bw')!;
    expect(bw).toContain('<h2>By message size</h2>');
    expect(bw).toMatch(/: up to [\d.]+ Gb\/s, at /);
    expect(bw.match(/<details class="size">/g)).toHaveLength(2);
    expect(pages.get('lat')).toMatch(/<dl class="facts"><div><dt>median, µs<\/dt>/);
  });

  it('groups findings by cause, the worst first, and what was not reduced comes last', () => {
    const page = pages.get('hunt')!;
    const severities = [...page.matchAll(/class="sev"><b>([\d.]+) %/g)].map(([, percent]) => Number(percent));
    expect(severities[0]).toBe(Math.max(...severities));
    const causes = [...page.matchAll(/data-group><h2>([^<]+) </g)].map(([, cause]) => cause);
    expect(causes.length).toBeGreaterThan(1);
    expect(new Set(causes).size).toBe(causes.length);
    expect(page).toContain('Any one of these clears it');
    expect(page).toContain('kelpie run anomaly-1.yaml');
    expect(page).toContain('Cause, verified by a run');
    expect(page).toContain('<b>goodput, Gb/s</b>');
  });
});

const chromium = findChromium();

describe.skipIf(chromium === undefined)('in headless Chromium (skipped where it is not installed)', () => {
  let browser: Chromium;
  beforeAll(() => {
    browser = Chromium.open(chromium!);
    for (const [name, page] of pages) writeFileSync(join(root, `${name}.html`), page);
  });
  afterAll(() => browser?.close());

  it.each(NAMES)(
    '%s overlaps nowhere, is accessible and quiet, narrow and wide, light and dark',
    async (name) => {
      const url = pathToFileURL(join(root, `${name}.html`)).href;
      for (const [width, dark] of [
        [1280, false],
        [400, true],
      ] as const) {
        const page = await browser.page(url, { width, height: 900, dark });
        expect(await page.overlaps(), `${width}`).toEqual([]);
        expect(await page.accessibility(axe.source), `${width}`).toEqual([]);
        expect(await page.evaluate('document.title')).not.toBe('1');
      }
    },
    60_000,
  );

  it('shows findings of one symptom, and opens the row that a link names', async () => {
    const page = await browser.page(pathToFileURL(join(root, 'hunt.html')).href, {
      width: 1280,
      height: 900,
    });
    const shown = `[...document.querySelectorAll('[data-symptom]')].filter((each) => each.offsetParent !== null).length`;
    const all = await page.evaluate<number>(shown);
    await page.evaluate(`document.querySelector('[data-filter=pause]').click()`);
    const pauses = await page.evaluate<number>(shown);
    expect(pauses).toBeLessThan(all);
    await page.evaluate(`document.querySelector('[data-filter=loss]').click()`);
    expect(await page.evaluate(`document.getElementById('nothing').hidden`)).toBe(false);
    await page.evaluate(`document.querySelector('[data-filter=all]').click()`);
    expect(await page.evaluate<number>(shown)).toBe(all);
    await page.evaluate(
      `document.querySelector('.strip a[href="#' + document.querySelector('details.row').id + '"]').click()`,
    );
    await page.until(`document.querySelector('details.row').open`);
  });

  it('reads the cells of a heat map by arrow keys', async () => {
    const page = await browser.page(pathToFileURL(join(root, 'isolate.html')).href, {
      width: 1280,
      height: 900,
    });
    await page.evaluate(`document.querySelector('.heat-map').focus()`);
    await page.press('ArrowRight');
    await page.press('ArrowRight');
    const says = await page.evaluate<string>(`document.querySelector('.says').textContent`);
    expect(says).toBe(
      'large_bw_write beside Cache-attack-0: 2.0 of 99.5 Gb/s, 37.5 are guaranteed; exhausted: receive engine.',
    );
    await page.press('ArrowDown');
    await page.press('ArrowDown');
    expect(await page.evaluate<string>(`document.querySelector('.says').textContent`)).toContain('onerror');
    expect(await page.evaluate('document.title')).not.toBe('1');
  });

  it('sorts a table and changes its theme from the keyboard', async () => {
    const page = await browser.page(pathToFileURL(join(root, 'compare.html')).href, {
      width: 1280,
      height: 900,
    });
    const firstCell = `document.querySelector('tbody td').textContent`;
    expect(await page.evaluate(firstCell)).toBe('1');
    await page.evaluate(`{ const head = document.querySelector('th button'); head.click(); head.click(); }`);
    expect(await page.evaluate(firstCell)).toBe('65536');
    await page.evaluate(`document.getElementById('theme').click()`);
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  });
});
