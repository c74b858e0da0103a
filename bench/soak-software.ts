// A billion bytes and ten thousand connections on software devices: is memory flat? `npm run soak:software`, `--json`,
// `--bytes N`, `--cycles N`. Exit 1: it grew.
import { loopbackAddress, SoftwareProvider } from '../src/providers/software/index.js';
import {
  memoryUse,
  soakConnections,
  soakManagedConnections,
  soakTransfer,
} from '../src/providers/software/testing/soak.js';

const MIB = 1 << 20;
/** What engines keep for themselves may differ by this much; a leak of a hundred bytes per connection would be more. */
const FLAT_BYTES = 1 * MIB;
/** Steps of each soak: growth would show from step to step. */
const STEPS = 5;

const args = process.argv.slice(2);
const json = args.includes('--json');

function flag(name: string, fallback: number): number {
  const at = args.indexOf(name);
  const value = at < 0 ? fallback : Number(args[at + 1]);
  if (Number.isInteger(value) && value >= STEPS) return value;
  console.error(`kelpie: ${name} is not an integer of at least ${STEPS}`);
  process.exit(2);
}

function progress(text: string): void {
  if (process.stderr.isTTY && !json) process.stderr.write(`\r${text}\x1b[K`);
}

const bytes = flag('--bytes', 1e9);
const cycles = flag('--cycles', 10_000);
const provider = new SoftwareProvider({ connectionLimits: { requestBurstPerPeer: 1e6, requestBurst: 1e6 } });
const [left, right] = [await provider.open(loopbackAddress(1)), await provider.open(loopbackAddress(2))];
const managers = [left, right].map((context) => context.createConnectionManager());
const makers = [left, right].map((context) => {
  const pd = context.allocPd();
  const cq = context.createCq({ cqe: 16 });
  return () => pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap: { maxSendWr: 4, maxRecvWr: 4 } });
});

/** Connects by RDMA-CM; ended connections are remembered for two seconds, which pass before memory is looked at. */
async function managed(count: number, from: number): Promise<void> {
  const [a, b] = managers;
  const report = (done: number) => progress(`${from + done} connections by RDMA-CM of ${cycles}`);
  await soakManagedConnections(a, b, loopbackAddress(2), [makers[0], makers[1]], count, report);
  await left.clock.sleep(2.5e9);
}

await soakTransfer(left, right, 50e6);
await soakConnections(left, right, 2000);
await managed(2000, 0);
const samples = [{ ...memoryUse(), bytes: 0, cycles: 0 }];
let moved = 0;
for (let step = 1; step <= STEPS; step++) {
  const before = moved;
  moved += await soakTransfer(left, right, Math.ceil(bytes / STEPS), (done) => {
    progress(`${((before + done) / 1e6).toFixed(0)} MB of ${(bytes / 1e6).toFixed(0)}`);
  });
  samples.push({ ...memoryUse(), bytes: moved, cycles: 0 });
}
for (let step = 1; step <= STEPS; step++) {
  const from = Math.round((cycles * (step - 1)) / STEPS);
  const to = Math.round((cycles * step) / STEPS);
  await soakConnections(left, right, to - from, (done) =>
    progress(`${from + done} connections of ${cycles}`),
  );
  samples.push({ ...memoryUse(), bytes: moved, cycles: to });
}
for (let step = 1; step <= STEPS; step++) {
  const from = Math.round((cycles * (step - 1)) / STEPS);
  const to = Math.round((cycles * step) / STEPS);
  await managed(to - from, from);
  samples.push({ ...memoryUse(), bytes: moved, cycles: cycles + to });
}
progress('');
for (const manager of managers) manager.close();
await Promise.all([left.close(), right.close()]);

const [first] = samples;
const last = samples[samples.length - 1];
const grownBytes = last.heapBytes - first.heapBytes + (last.bufferBytes - first.bufferBytes);
const flat = grownBytes < FLAT_BYTES;
if (json) console.log(JSON.stringify({ flat, grownBytes, samples }, null, 2));
else {
  for (const sample of samples)
    console.log(
      `${(sample.bytes / 1e6).toFixed(0).padStart(6)} MB ${String(sample.cycles).padStart(6)} connections  ` +
        `heap ${(sample.heapBytes / MIB).toFixed(2).padStart(7)} MiB  buffers ${(sample.bufferBytes / MIB).toFixed(2).padStart(6)} MiB`,
    );
  console.log(flat ? `flat: ${grownBytes} bytes more` : `it grew by ${grownBytes} bytes`);
}
process.exitCode = flat ? 0 : 1;
