// Pictures of reports for README.md and docs, in headless Chromium: `npm run screenshots`. Hunt and run are
// made here.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Chromium, findChromium } from '../src/cli/testing/chromium.js';
import { type ExperimentRecord, gatherEvidence, hunt } from '../src/jobs/hunt/index.js';
import { huntPage } from '../src/report/pages/hunt.js';
import { measurementPage } from '../src/report/pages/measurement.js';
import { openTestbedFor } from '../src/testbeds/index.js';
import { resolveWorkload, runWorkload } from '../src/workload/index.js';

const FOLDER = 'docs/images';
const WIDTH = 1280;
/** The top of a page says enough. */
const HEIGHT = 960;
/** Experiments of the hunt. */
const BUDGET = '700';

const path = findChromium();
if (path === undefined) {
  console.error('kelpie: Chromium is not installed');
  process.exit(3);
}

const testbed = { subsystem: 'collie-f-as-tested' };
const records: ExperimentRecord[] = [];
const answer = await hunt(
  { testbed, budget: BUDGET, seed: 1 },
  { onExperiment: (record) => void records.push(record), wallClock: () => performance.now() / 1000 },
);
const evidence = await gatherEvidence(answer, testbed);
const where = `--subsystem ${testbed.subsystem}`;
const hunted = huntPage(
  answer,
  records,
  {
    again: `kelpie hunt ${where} --budget ${BUDGET}`,
    reproducer: (index) => `kelpie run kelpie-hunts/1/anomaly-${index + 1}.yaml ${where}`,
    cleared: (index) => `kelpie run kelpie-hunts/1/anomaly-${index + 1}-cleared.yaml ${where}`,
  },
  evidence,
);
// A strictly ordered receiver pauses its peer (Collie #9).
const workload = resolveWorkload({
  ...{ name: 'mixed elements', direction: 'bi', qps: 4, sge: 3, sizes: [[64, 64, 65536]] },
  settings: { ordering: 'strict' },
});
const opened = await openTestbedFor(workload, { subsystem: 'collie-e', seed: 1 });
const measurement = await runWorkload(workload, opened, { seed: 1, followLatency: true });
await opened.close();
const run = measurementPage([measurement], 'kelpie run elements.yaml --subsystem collie-e', 'kelpie run');

mkdirSync(FOLDER, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'kelpie-screenshots-'));
const browser = Chromium.open(path);
for (const [name, page, dark] of [
  ['report-hunt', hunted, false],
  ['report-run', run, true],
] as const) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, page);
  const shown = await browser.page(pathToFileURL(file).href, { width: WIDTH, height: HEIGHT, dark });
  const { data } = await shown.call('Page.captureScreenshot', { format: 'png' });
  writeFileSync(join(FOLDER, `${name}.png`), Buffer.from(data as string, 'base64'));
  console.log(`${FOLDER}/${name}.png`);
}
await browser.close();
rmSync(folder, { recursive: true });
