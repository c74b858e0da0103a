// Two different hosts with two RNICs each on one switch, and a link inside one of them that lost half of its lanes.
import { openTestbed } from 'kelpie/testbeds';
import { resolveWorkload, runWorkload } from 'kelpie/workload';

const hosts = [
  { host: 'hostping', device: 'connectx-6-200g', devices: [{ rnic: 'rnic0' }, { rnic: 'rnic2' }] },
  { host: 'xeon-two-rnics', device: 'connectx-6-100g' },
];
const workload = resolveWorkload({
  tenants: [
    { name: 'first', from: 'h0/rnic0', to: 'h1/rnic0', qps: 4, sizes: [65_536] },
    { name: 'second', from: 'h0/rnic2', to: 'h1/rnic1', qps: 4, sizes: [65_536] },
  ],
  measure: { maxNs: 500_000 },
});
for (const faults of [[], [{ at: 'h1/rnic1-up', rate: 0.5 }]]) {
  const testbed = await openTestbed({ world: { hosts, faults }, seed: 1 });
  const { tenants } = await runWorkload(workload, testbed);
  const rates = tenants.map(({ name, goodputGbps }) => `${name} ${goodputGbps.toFixed(1)} Gb/s`);
  console.log(`${faults.length === 0 ? 'healthy' : 'degraded'}: ${rates.join(', ')}`);
  await testbed.close();
}
