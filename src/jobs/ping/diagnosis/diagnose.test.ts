import { describe, expect, it } from 'vitest';
import { findProfile, resolveHost } from '../../../profiles/index.js';
import { parseFault } from '../faults/fault-text.js';
import { planOf } from '../plan.js';
import { failedReading, type Reading } from '../reading.js';
import { healthyTwin, openServer } from '../server.js';
import { baselineOf, statusesOf } from '../status.js';
import { type Diagnosis, diagnose } from './diagnose.js';
import { admissionsOf } from './settings.js';

const PROBES = { smallBytes: 64, repetitions: 3, memoryWindowBytes: 64 * 2 ** 20 };

async function diagnosisOf(host: string, fault: string | null, reads = false): Promise<Diagnosis> {
  const choice = { host, device: 'connectx-6-200g', seed: 1 };
  const { plan, baseline, settings } = await healthyTwin(choice, PROBES);
  const faults = fault === null ? [] : [parseFault(fault, plan).description];
  const server = await openServer(choice, faults, PROBES);
  const { readings } = await server.sweep();
  const admissions = admissionsOf(server.readSettings(), settings);
  await server.close();
  const statuses = statusesOf(plan, readings, baseline);
  return diagnose({ plan, readings, statuses, baseline, ...(reads ? { admissions } : {}) });
}

describe('a fault that is injected into a simulated server', () => {
  it.each([
    ['hostping', 'pcie-width@rnic2:0.25', ['rnic2-up'], 'pcie-link'],
    ['hostping', 'pcie-speed@gpu3', ['gpu3-up'], 'pcie-link'],
    ['hostping', 'pcie-silent@switch0:0.4', ['switch0-up'], 'pcie-link'],
    ['hostping', 'upi-degraded@socket0-socket1:0.2', ['socket0-socket1'], 'upi-degraded'],
    ['hostping', 'acs@switch1', ['gpu2-up', 'gpu3-up'], 'acs'],
    ['hostping', 'link-latency@rnic0', ['rnic0-up'], 'link-latency'],
    ['hostping', 'link-latency@switch0:500', ['switch0-up'], 'link-latency'],
    ['hostping', 'link-latency@socket0-socket1', ['socket0-socket1'], 'link-latency'],
    ['hostping', 'memory-channel@memory0:0.12', ['memory0-up'], 'memory-channel'],
    ['hostping', 'ordering-strict@rnic1', ['rnic1-up'], 'ordering-strict'],
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

  it.each([
    ['hostping', 'pcie-width@rnic2:0.25', ['rnic2-up'], 'pcie-width'],
    ['hostping', 'pcie-speed@gpu3', ['gpu3-up'], 'pcie-speed'],
    ['hostping', 'pcie-silent@switch0:0.4', ['switch0-up'], 'pcie-silent'],
    // Two links that every probe crosses together: LnkSta says which.
    ['hostping-cascaded', 'pcie-width@gpu0:0.25', ['gpu0-up'], 'pcie-width'],
  ])('%s with %s has a name once the state of its links is read', async (host, fault, links, cause) => {
    const { findings } = await diagnosisOf(host, fault, true);
    expect(findings).toMatchObject([{ links, cause, certainty: 'verified', alternatives: [] }]);
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
      lanes: 4,
      from: '1ms',
      for: '2ms',
      every: '5ms',
    });
  });

  it.each([
    ['pcie-width@gpu0:0.5', { lanes: 8 }],
    ['pcie-speed@gpu0:0.5', { generation: 3 }],
    ['pcie-speed@gpu0:0.25', { generation: 2 }],
    ['pcie-silent@gpu0:0.25', { replay: 0.75 }],
  ])('%s is a state of the link, from which its rate follows', (text, effect) => {
    expect(parseFault(text, plan).description).toEqual({ at: 'h0/gpu0-up', ...effect });
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

describe('settings that are read', () => {
  const healthy = [
    { part: 'switch0-up', acs: 'direct' as const },
    { part: 'rnic0', ats: 'enabled' as const, maxPayloadBytes: 256, maxReadRequestBytes: 512 },
  ];

  it('admit to what differs from a healthy host, and to nothing else', () => {
    expect(admissionsOf(healthy, healthy)).toEqual([]);
    const read = [
      { part: 'switch0-up', acs: 'redirect' as const },
      { part: 'rnic0', ats: 'disabled' as const, maxPayloadBytes: 128, maxReadRequestBytes: 4096 },
    ];
    const admitted = admissionsOf(read, healthy).map(({ part, fault }) => `${fault}@${part}`);
    expect(admitted.sort()).toEqual(['acs@switch0-up', 'ats-off@rnic0', 'mps-small@rnic0']);
  });

  it('are those of the simulated devices, whoever set them; memories and latencies have none', async () => {
    const choice = { host: 'hostping', device: 'connectx-6-200g', seed: 1 };
    const { plan, settings } = await healthyTwin(choice, { ...PROBES, repetitions: 1 });
    const admittedOf = async (fault: string) => {
      const server = await openServer(choice, [parseFault(fault, plan).description]);
      const read = server.readSettings();
      await server.close();
      return admissionsOf(read, settings).map((each) => `${each.fault}@${each.part}`);
    };
    expect(await admittedOf('ats-off@rnic2')).toEqual(['ats-off@rnic2']);
    expect(await admittedOf('mps-small@rnic1')).toEqual(['mps-small@rnic1']);
    expect(await admittedOf('ordering-strict@rnic0')).toEqual(['ordering-strict@rnic0']);
    expect(await admittedOf('acs@switch1')).toContain('acs@gpu2-up');
    expect(await admittedOf('pcie-width@gpu0')).toEqual(['pcie-width@gpu0-up']);
    expect(await admittedOf('pcie-speed@switch1')).toEqual(['pcie-speed@switch1-up']);
    for (const fault of ['memory-channel@memory1', 'link-latency@switch2'])
      expect(await admittedOf(fault)).toEqual([]);
  });
});
