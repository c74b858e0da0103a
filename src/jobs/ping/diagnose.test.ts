import { describe, expect, it } from 'vitest';
import { findProfile, resolveHost } from '../../profiles/index.js';
import { SimulatedProvider } from '../../providers/simulated/index.js';
import type { Context } from '../../verbs/index.js';
import { type Diagnosis, diagnose } from './diagnose.js';
import { parseFault } from './fault-text.js';
import { type Plan, planOf } from './plan.js';
import { Prober } from './probe.js';
import { failedReading, type Reading } from './reading.js';
import { baselineOf, statusesOf } from './status.js';

async function sweepOf(plan: Plan, host: string, fault: string | null): Promise<Reading[]> {
  const faults = fault === null ? [] : [parseFault(fault, plan).description];
  const provider = new SimulatedProvider({ world: { hosts: [{ host, device: 'connectx-6-200g' }], faults } });
  const contexts = new Map<string, Context>();
  for (const rnic of plan.rnics) contexts.set(rnic, await provider.open(`h0/${rnic}`));
  const prober = new Prober(plan, (rnic) => contexts.get(rnic)!, { smallBytes: 64, repetitions: 3 });
  return (await prober.sweep()).readings.map((reading) => reading!);
}

async function diagnosisOf(host: string, fault: string | null): Promise<Diagnosis> {
  const plan = planOf(resolveHost(findProfile('host', host)));
  const baseline = baselineOf([await sweepOf(plan, host, null)], 'the healthy twin');
  const readings = await sweepOf(plan, host, fault);
  const statuses = statusesOf(plan, readings, baseline);
  return diagnose({ plan, readings, statuses, baseline });
}

describe('a fault that is injected into a simulated server', () => {
  it.each([
    ['hostping', 'pcie-width@rnic2:0.25', ['rnic2-up'], 'pcie-link'],
    ['hostping', 'pcie-speed@gpu3', ['gpu3-up'], 'pcie-link'],
    ['hostping', 'pcie-silent@switch0:0.4', ['switch0-up'], 'pcie-link'],
    ['hostping', 'upi-degraded@socket0-socket1:0.2', ['socket0-socket1'], 'upi-degraded'],
    ['hostping', 'acs@switch1', ['gpu2-up', 'gpu3-up'], 'acs'],
    ['hgx', 'ats-off@rnic1', ['gpu0-up', 'gpu1-up', 'rnic1-up'], 'ats-off'],
    ['hgx', 'acs@switch0', ['gpu0-up', 'gpu1-up'], 'acs'],
  ])('%s with %s is found there', async (host, fault, links, cause) => {
    const { findings } = await diagnosisOf(host, fault);
    expect(findings).toHaveLength(1);
    expect([...findings[0].links].sort()).toEqual(links);
    expect(findings[0].cause).toBe(cause);
    expect(findings[0].advice).not.toBe('');
    expect(findings[0].evidence.length).toBeGreaterThan(1);
  });

  it.each(['hostping', 'hostping-cascaded', 'hgx', 'two-socket', 'epyc-nps4', 'epyc-remote', 'single-rnic'])(
    'a healthy %s has none',
    async (host) => {
      expect((await diagnosisOf(host, null)).findings).toEqual([]);
    },
  );
});

describe('a GPU that is gone', () => {
  const plan = planOf(resolveHost(findProfile('host', 'hostping')));
  const healthy = plan.paths.map(
    (): Reading => ({ gbps: 200, latencyNs: 2000, gbpsDeviation: 0, latencyDeviationNs: 0, samples: 11 }),
  );
  const baseline = baselineOf([healthy], 'the test');
  const without = (gone: (endpoint: string) => boolean) => {
    const readings = healthy.map((reading, path) =>
      gone(plan.paths[path].endpoint) ? failedReading('it cannot be registered') : reading,
    );
    return diagnose({ plan, readings, statuses: statusesOf(plan, readings, baseline), baseline }).findings;
  };

  it('is one fault, and no GPU at all is one of the driver', () => {
    expect(without((endpoint) => endpoint === 'gpu5')).toMatchObject([
      { cause: 'gpu-off-bus', links: ['gpu5-up'] },
    ]);
    expect(without((endpoint) => endpoint.startsWith('gpu'))).toMatchObject([
      { cause: 'gdr-dead', links: [] },
    ]);
  });
});

describe('a fault in words', () => {
  const plan = planOf(resolveHost(findProfile('host', 'hostping')));

  it('has a place, a severity and a schedule', () => {
    expect(parseFault('pcie-width@rnic1:0.25:from=1ms:for=2ms:every=5ms', plan).description).toEqual({
      at: 'h0/rnic1-up',
      rate: 0.25,
      from: '1ms',
      for: '2ms',
      every: '5ms',
    });
  });

  it.each([
    'acs',
    'asc@switch1',
    'acs@rnic0',
    'pcie-width@rnic9',
    'pcie-width@rnic0:-1',
    'pcie-width@rnic0:when=1',
  ])('is refused as %s, with what is allowed', (text) => {
    expect(() => parseFault(text, plan)).toThrow(expect.objectContaining({ code: 'BAD_FLAG' }));
  });
});
