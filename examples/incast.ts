// Four hosts send to a fifth. Its port is the bottleneck: the switch pauses the senders, unless DCQCN slows them in time.
import { openTestbedFor } from 'kelpie/testbeds';
import { resolveWorkload, runWorkload, type TenantInput } from 'kelpie/workload';

const tenant: TenantInput = {
  direction: 'nToOne',
  to: 'h4',
  senders: { hosts: 4, otherHost: 2 },
  sizes: [65_536],
};
const controls = { 'PFC alone': {}, DCQCN: { ecn: 'enabled', congestionControl: 'dcqcn' } } as const;
const pausedUs: number[] = [];
for (const [name, settings] of Object.entries(controls)) {
  const measure = { minNs: 1_000_000, maxNs: 1_000_000 };
  const workload = resolveWorkload({ name, tenants: [tenant], settings, measure });
  const testbed = await openTestbedFor(workload, { subsystem: 'husky', seed: 1 });
  const { total, hosts } = await runWorkload(workload, testbed);
  const paused = Math.max(...hosts.map(({ counters }) => counters?.['rx_prio0_pause_duration'] ?? 0));
  console.log(
    `${name}: ${total.goodputGbps.toFixed(1)} Gb/s, a sender was paused for ${paused.toFixed(0)} us`,
  );
  pausedUs.push(paused);
  await testbed.close();
}
const [alone = 0, controlled = 0] = pausedUs;
console.log(alone > 100, controlled < 10); // true true
