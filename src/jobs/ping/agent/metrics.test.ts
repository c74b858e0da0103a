import { expect, it } from 'vitest';
import { AgentMetrics } from './metrics.js';
import { planNamed, recordWith } from './testing/records.js';

const plan = planNamed('single-rnic');

/** A sample per line, as a parser of Prometheus' text format reads it. */
function parsed(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    if (/^# (HELP|TYPE) kelpie_ping_[a-z_]+ .+$/.test(line)) continue;
    const match = /^(kelpie_ping_[a-z_]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})?) (-?[\d.e+-]+)$/.exec(
      line,
    );
    expect(match, line).not.toBeNull();
    expect(samples.has(match![1])).toBe(false);
    samples.set(match![1], Number(match![2]));
  }
  return samples;
}

it('has the readings, states and causes of the last run, and counts all runs', () => {
  const metrics = new AgentMetrics(plan);
  const [{ rnic, endpoint }] = plan.paths;
  metrics.run(recordWith(plan));
  const finding = {
    ...{ links: ['rnic0-up'], cause: 'pcie-width', causeClass: 'failure' as const, alternatives: [] },
    ...{ certainty: 'verified' as const, evidence: [], advice: '', tellApart: [] },
  };
  metrics.run(
    recordWith(plan, {
      trigger: 'alarm',
      paths: plan.paths.map((_, path) =>
        path === 0 ? { ...recordWith(plan).paths[0]!, gbps: 53, state: 'abnormal' } : null,
      ),
      links: plan.links.map(({ name }) => (name === 'rnic0-up' ? 'abnormal' : 'unknown')),
      flapping: ['memory0-up'],
      findings: [finding, finding],
    }),
  );
  expect(parsed(metrics.text()).get('kelpie_ping_link_utilisation{link="rnic0-up"}')).toBe(0);
  metrics.skip('rnic-busy');
  metrics.sample({ rnics: [{ rnic: 'rnic0', loadShare: 0, pauseShare: 0.25, drops: 0 }], gpusIdle: null });
  const samples = parsed(metrics.text());
  const path = `{rnic="${rnic}",endpoint="${endpoint}"}`;
  expect(samples.get(`kelpie_ping_path_gbps${path}`)).toBe(53);
  expect(samples.get(`kelpie_ping_path_latency_us${path}`)).toBe(2.5);
  expect(samples.get(`kelpie_ping_path_status${path}`)).toBe(1);
  expect([...samples.keys()].filter((key) => key.startsWith('kelpie_ping_path_gbps'))).toHaveLength(1);
  expect(samples.get('kelpie_ping_link_status{link="rnic0-up"}')).toBe(1);
  expect(samples.get('kelpie_ping_link_status{link="memory0-up"}')).toBe(2);
  expect(samples.get('kelpie_ping_bottleneck{link="rnic0-up",cause="pcie-width"}')).toBe(1);
  expect(samples.get('kelpie_ping_runs_total{trigger="alarm"}')).toBe(1);
  expect(samples.get('kelpie_ping_skipped_total{reason="rnic-busy"}')).toBe(1);
  expect(samples.get('kelpie_ping_probe_bytes_total')).toBe(126e6);
  expect(samples.get('kelpie_ping_rnic_pause_ratio{rnic="rnic0"}')).toBe(0.25);
});

it('has as many samples after a thousand runs as after one, and escapes every name', () => {
  const hostile = {
    ...plan,
    links: plan.links.map((link) => ({ ...link, name: `a"b\\c\nd{}${link.name}` })),
  };
  const metrics = new AgentMetrics(hostile);
  metrics.run(recordWith(plan));
  const once = parsed(metrics.text()).size;
  for (let run = 0; run < 1000; run++) metrics.run(recordWith(plan, { atMs: run }));
  expect(parsed(metrics.text()).size).toBe(once);
  expect(metrics.text()).toContain('link="a\\"b\\\\c\\nd{}');
});
