// How fast is a simulated NIC with messages of one size? The rates of perftest's `ib_write_bw`, for four sizes.
import { openTestbed } from 'kelpie/testbeds';
import { resolveWorkload, runWorkload } from 'kelpie/workload';

console.log('   bytes   Gb/s goodput   messages/s');
for (const bytes of [64, 1024, 16_384, 262_144]) {
  const testbed = await openTestbed({ subsystem: 'collie-f', seed: 1 });
  const measure = { minNs: 100_000, maxNs: 300_000 };
  const workload = resolveWorkload({ opcode: 'WRITE', qps: 8, sizes: [bytes], measure });
  const { total } = await runWorkload(workload, testbed);
  const rate = total.messagesPerSecond.toExponential(2);
  console.log(
    `${String(bytes).padStart(8)} ${total.goodputGbps.toFixed(1).padStart(14)} ${rate.padStart(12)}`,
  );
  await testbed.close();
}
