// Four hosts send to a fifth. Its port is the bottleneck: what does the switch do about it, with and without DCQCN?
import { openTestbedFor } from 'kelpie/testbeds';
import { resolveWorkload, runWorkload, type TenantInput } from 'kelpie/workload';

const tenant: TenantInput = {
  direction: 'nToOne',
  to: 'h4',
  senders: { hosts: 4, otherHost: 2 },
  sizes: [65_536],
};
const controls = { 'PFC alone': {}, DCQCN: { ecn: 'enabled', congestionControl: 'dcqcn' } } as const;
for (const [name, settings] of Object.entries(controls)) {
  const workload = resolveWorkload({ name, tenants: [tenant], settings, measure: { maxNs: 1_000_000 } });
  const testbed = await openTestbedFor(workload, { subsystem: 'collie-f', seed: 1 });
  const { total, hosts } = await runWorkload(workload, testbed);
  const paused = hosts.map(({ counters }) => counters?.['rx_prio0_pause_duration'] ?? 0);
  console.log(
    `${name}: ${total.goodputGbps.toFixed(1)} Gb/s, a sender was paused for ${Math.max(...paused).toFixed(0)} us`,
  );
  await testbed.close();
}
