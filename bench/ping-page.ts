// The pages of `kelpie ping` in headless Chromium: pictures for docs/ping, and what a fleet of a thousand hosts costs
// (time to first paint, memory): `npm run ping:page`. Every figure is measured in the run that prints it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Fleet } from '../src/cli/ping/web/fleet.js';
import { fleetRoutes } from '../src/cli/ping/web/fleet-routes.js';
import { hostRoutes } from '../src/cli/ping/web/host-routes.js';
import { WebServer } from '../src/cli/ping/web/web-server.js';
import { type BrowserPage, Chromium, findChromium } from '../src/cli/testing/chromium.js';
import {
  AgentMetrics,
  healthyTwin,
  JITTER_NS,
  PingAgent,
  parseFault,
  type RunRecord,
  SimulatedAgentHost,
  VirtualClock,
} from '../src/jobs/ping/index.js';

const { values } = parseArgs({
  options: { folder: { type: 'string', default: 'docs/ping' }, hosts: { type: 'string', default: '1000' } },
});
const hosts = Number(values.hosts);
const WIDTH = 1280;
const NARROW = 400;
const RUNS_OF_HOST = 12;
const PROBES = { smallBytes: 64, memoryWindowBytes: 64 * 2 ** 20, repetitions: 3 };
const CHOICE = { host: 'hostping', device: 'connectx-6-200g', seed: 1 };
/** A link that fails after twenty minutes, and a channel that comes and goes. */
const FAULTS = ['pcie-width@gpu5:0.25:from=1200s', 'memory-channel@memory1:from=300s:for=300s:every=900s'];
const RUNS_MS = 40 * 60_000;

const path = findChromium();
if (path === undefined) {
  console.error('kelpie: Chromium is not installed');
  process.exit(3);
}
const twin = await healthyTwin(CHOICE, PROBES);
const { plan } = twin;

/** The records of a simulated server with faults. */
async function recordsOf(faultTexts: readonly string[], seed: number, untilMs: number): Promise<RunRecord[]> {
  const faults = faultTexts.map((text) => parseFault(text, plan).description);
  const choice = { ...CHOICE, seed };
  const host = await SimulatedAgentHost.open({
    choice,
    faults,
    probes: PROBES,
    jitterNs: JITTER_NS,
    startMs: 0,
  });
  const records: RunRecord[] = [];
  const onRun = (record: RunRecord) => void records.push(record);
  await new PingAgent({ name: 'gpu-17', host, twin, clock: new VirtualClock(), seed, onRun }).run(untilMs);
  await host.close();
  return records;
}

async function picture(page: BrowserPage, name: string, width: number, height: number): Promise<void> {
  const clip = { x: 0, y: 0, width, height, scale: 0.75 };
  const { data } = await page.call('Page.captureScreenshot', {
    format: 'png',
    clip,
    captureBeyondViewport: true,
  });
  mkdirSync(values.folder, { recursive: true });
  writeFileSync(`${values.folder}/${name}.png`, Buffer.from(data as string, 'base64'));
}

const browser = Chromium.open(path);
try {
  const records = await recordsOf(FAULTS, 1, RUNS_MS);
  const metrics = new AgentMetrics(plan);
  const host = await WebServer.open(
    '--serve',
    '127.0.0.1:0',
    hostRoutes({ name: 'gpu-17', plan, metrics, records: () => records }),
  );
  const size = { width: WIDTH, height: 900 };
  await picture(await browser.page(`http://127.0.0.1:${host.port}/`, size), 'host', WIDTH, 1560);
  const narrow = { width: NARROW, height: 900, dark: true };
  await picture(await browser.page(`http://127.0.0.1:${host.port}/`, narrow), 'host-narrow', NARROW, 1900);
  await host.close();

  const healthy = await recordsOf([], 2, 1000);
  const flapping = (await recordsOf(FAULTS.slice(1), 3, RUNS_MS)).filter(
    ({ flapping: links, findings }) => links.length > 0 && findings.length === 1,
  );
  const fleet = new Fleet();
  global.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let number = 0; number < hosts; number++) {
    const name = `gpu-${String(number).padStart(4, '0')}`;
    const source =
      number % 100 === 7 ? records.slice(-1) : number % 100 === 42 ? flapping.slice(-1) : healthy;
    // A report is text: nothing is shared between hosts. As many runs of each as the fleet keeps.
    for (let run = 0; run < RUNS_OF_HOST; run++)
      for (const record of JSON.parse(JSON.stringify(source)) as RunRecord[])
        fleet.take({ plan: JSON.parse(JSON.stringify(plan)), record: { ...record, host: name } }, 0);
  }
  global.gc?.();
  const collectorMb = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  const server = await WebServer.open(
    '--collect',
    '127.0.0.1:0',
    fleetRoutes(
      fleet,
      () => 0,
      () => {},
    ),
  );
  const page = await browser.page(`http://127.0.0.1:${server.port}/`, size);
  await page.until(`performance.getEntriesByName('first-contentful-paint').length > 0`);
  const paintMs = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  );
  const pageMb = (await page.evaluate<number>('performance.memory.usedJSHeapSize')) / 2 ** 20;
  const nodes = await page.evaluate<number>(`document.querySelectorAll('*').length`);
  const kilobytes = await page.evaluate<number>(
    `performance.getEntriesByType('navigation')[0].decodedBodySize / 1024`,
  );
  await picture(page, 'fleet', WIDTH, 640);
  await server.close();
  console.log(
    `${hosts} hosts, ${RUNS_OF_HOST} runs each: first paint after ${paintMs.toFixed(0)} ms, ${kilobytes.toFixed(0)} KiB of page, ${nodes} elements, ${pageMb.toFixed(1)} MiB of script heap; the collector holds ${collectorMb.toFixed(1)} MiB`,
  );
} finally {
  await browser.close();
}
