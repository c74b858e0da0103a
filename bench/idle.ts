// What hosts cost that do nothing: `npm run bench:idle [-- --json] [--check] [--hosts N]`. A world of this many hosts is
// opened in a process that has done nothing else; its memory is that of the whole process, modules and runtime included.

import { SimulatedProvider } from '../src/providers/simulated/index.js';
import { type Row, report } from './report.js';

/** With 2,048 hosts. */
const MOST_MILLISECONDS = 1000;
const MOST_MEGABYTES = 200;

const args = process.argv.slice(2);
const at = args.indexOf('--hosts');
const hosts = at < 0 ? 2048 : Number(args[at + 1]);

const begin = performance.now();
const beginCpu = process.cpuUsage();
const provider = new SimulatedProvider({ world: { hosts: [{ count: hosts, subsystem: 'collie-f' }] } });
const contexts = await Promise.all(provider.world.devices.map(({ name }) => provider.open(name)));
const milliseconds = performance.now() - begin;
const { user, system } = process.cpuUsage(beginCpu);
const megabytes = process.memoryUsage().rss / 1e6;

const what = `${contexts.length} idle hosts`;
const rows: Row[] = [
  { name: `${what}, to open`, value: milliseconds, unit: 'ms' },
  { name: `${what}, processor time of all threads`, value: (user + system) / 1000, unit: 'ms' },
  { name: `${what}, memory of the process`, value: megabytes, unit: 'MB' },
];
report(rows, args);
if (hosts <= 2048 && (milliseconds > MOST_MILLISECONDS || megabytes > MOST_MEGABYTES)) {
  console.error(`bar missed: wanted ${MOST_MILLISECONDS} ms and ${MOST_MEGABYTES} MB`);
  if (args.includes('--check')) process.exitCode = 1;
}
