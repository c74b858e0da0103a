import { parseArgs } from 'node:util';
import { fuzzDevice } from '../src/providers/software/testing/fuzz/fuzz-device.js';
import { memoryUse } from '../src/providers/software/testing/soak.js';

const { values } = parseArgs({
  options: {
    packets: { type: 'string', default: '500000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

/** What a run may leave on the heap: caches of the engine, not packets. */
const LEAK_BYTES = 8 * 2 ** 20;

const seed = Number(values.seed);
await fuzzDevice({ seed: seed + 1, packets: 20_000 });
const before = memoryUse();
const started = performance.now();
const report = await fuzzDevice({
  seed,
  packets: Number(values.packets),
  onProgress: (packets) => process.stderr.isTTY && process.stderr.write(`\r${packets} packets`),
});
const seconds = (performance.now() - started) / 1000;
const after = memoryUse();
const grownBytes = after.heapBytes + after.bufferBytes - before.heapBytes - before.bufferBytes;
if (grownBytes > LEAK_BYTES) report.failures.push(`${grownBytes} bytes of memory are kept`);

if (values.json) {
  console.log(JSON.stringify({ benchmark: 'fuzz-device', seconds, grownBytes, ...report }));
} else {
  console.log(`\nseed ${report.seed}: ${report.packets} hostile datagrams in ${seconds.toFixed(1)} s`);
  for (const [name, count] of Object.entries(report.byAttack))
    console.log(`  ${String(count).padStart(9)}  ${name}`);
  console.log(
    `${report.honestMessages} honest messages intact, ${grownBytes} bytes of memory more than before`,
  );
  for (const failure of report.failures) console.log('FAILED', failure);
  console.log(report.failures.length === 0 ? 'no failure' : `${report.failures.length} failures`);
}
process.exitCode = report.failures.length === 0 ? 0 : 1;
