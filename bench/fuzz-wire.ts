import { parseArgs } from 'node:util';
import { fuzzWire } from '../src/wire/testing/fuzz.js';

const { values } = parseArgs({
  options: {
    packets: { type: 'string', default: '10000000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

const started = performance.now();
const report = fuzzWire({ seed: Number(values.seed), packets: Number(values.packets) });
const seconds = (performance.now() - started) / 1000;

if (values.json) {
  console.log(JSON.stringify({ benchmark: 'fuzz-wire', seconds, ...report }));
} else {
  console.log(`seed ${report.seed}: ${report.packets} mutated packets in ${seconds.toFixed(1)} s`);
  console.log(`${report.decodes} decodes, ${report.accepted} accepted, ${report.roundTrips} round trips`);
  for (const [why, count] of Object.entries(report.refused).sort((a, b) => b[1] - a[1])) {
    console.log(`  ${String(count).padStart(12)}  ${why}`);
  }
  for (const failure of report.failures) console.log('FAILED', failure);
  console.log(report.failed === 0 ? 'no failure' : `${report.failed} failures`);
}
process.exitCode = report.failed === 0 ? 0 : 1;
