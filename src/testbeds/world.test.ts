import { describe, expect, it } from 'vitest';
import { KelpieError } from '../error.js';
import { resolveWorld, type WorldDescription } from '../profiles/index.js';
import { resolveWorkload, runWorkload } from '../workload/index.js';
import { openTestbed, openTestbedFor, type TestbedRequest, worldOf } from './index.js';

// Goal: a world opens as a testbed, and a workload can name its devices one by one.

const WORLD: WorldDescription = {
  hosts: [
    {
      name: 'gpu-server',
      host: 'hostping',
      device: 'connectx-6-200g',
      devices: [{ rnic: 'rnic0' }, { rnic: 'rnic2' }],
    },
    { host: 'xeon-two-rnics', device: 'connectx-6-100g' },
  ],
};

const workload = resolveWorkload({
  tenants: [
    {
      name: 'one',
      from: 'gpu-server/rnic0',
      to: 'h1/rnic0',
      qps: 4,
      memory: { 'gpu-server': 'gpu0', 'h1/rnic0': 'memory1' },
    },
    { name: 'two', from: 'h0/rnic2', to: 'b/rnic1', qps: 4, opcode: 'READ' },
  ],
  measure: { minNs: 100_000, maxNs: 200_000 },
});

describe('a world as a testbed', () => {
  it('runs a workload between devices of hosts that differ, each judged by its own port', async () => {
    const testbed = await openTestbedFor(workload, { world: WORLD, seed: 3 });
    expect(testbed.hosts.map(({ name, devices }) => [name, devices.map((each) => each.name)])).toEqual([
      ['gpu-server', ['rnic0', 'rnic2']],
      ['h1', ['rnic0', 'rnic1']],
    ]);
    const { directions, hosts, series, verdict } = await runWorkload(workload, testbed, { seed: 3 });
    await testbed.close();
    expect(directions).toMatchObject([
      { from: 'gpu-server/rnic0', to: 'h1/rnic0' },
      { from: 'h1/rnic1', to: 'gpu-server/rnic2' },
    ]);
    // The slower port bounds both directions, though the faster one comes first.
    for (const { wireGbps } of directions) expect(wireGbps).toBeGreaterThan(60);
    for (const { wireGbps } of directions) expect(wireGbps).toBeLessThan(100);
    expect(verdict.limited).toBe('line');
    const [gpuServer, xeon] = hosts;
    expect(gpuServer.devices.map(({ name }) => name)).toEqual(['gpu-server/rnic0', 'gpu-server/rnic2']);
    expect(xeon.devices.map(({ name }) => name)).toEqual(['h1/rnic0', 'h1/rnic1']);
    const sent = (device: number) => gpuServer.devices[device].port!.txGbps;
    expect(sent(0)).toBeGreaterThan(10 * sent(1));
    expect(gpuServer.port!.txGbps).toBeCloseTo(sent(0) + sent(1), 9);
    const { tx_packets_phy: packets } = gpuServer.counters;
    expect(packets).toBe(gpuServer.devices.reduce((sum, each) => sum + each.counters['tx_packets_phy'], 0));
    expect(Object.keys(series.devices!)).toHaveLength(4);
  });

  it('opens by name, from a profile of the user, and resolved', async () => {
    const text = 'profile: world\nname: mine\ntitle: Mine\nhosts: [{ subsystem: collie-a, count: 3 }]';
    const requests: TestbedRequest[] = [
      { world: 'two-servers' },
      { profiles: [{ text, file: 'mine.yaml' }] },
      { world: resolveWorld(WORLD) },
    ];
    const names = [];
    for (const request of requests) {
      const testbed = await openTestbed(request);
      names.push([testbed.profile, testbed.hosts.length]);
      await testbed.close();
    }
    expect(names).toEqual([
      ['two-servers', 2],
      ['mine', 3],
      ['world', 2],
    ]);
  });

  it('is set up as the run says, over hosts and devices', () => {
    const world: WorldDescription = {
      settings: { ordering: 'strict' },
      hosts: [
        { subsystem: 'collie-a', settings: { ordering: 'strict' } },
        {
          host: 'xeon-two-rnics',
          device: 'connectx-6-100g',
          devices: [{ rnic: 'rnic1', settings: { ordering: 'strict' } }],
        },
        { subsystem: 'collie-h' },
      ],
    };
    const found = (settings: Readonly<Record<string, string>>) =>
      worldOf({ world, settings }).hosts.map(({ devices: [{ subsystem }] }) => subsystem);
    expect(found({}).map(({ settings }) => settings.ordering)).toEqual(['strict', 'strict', 'strict']);
    const relaxed = found({ ordering: 'relaxed', ddio: 'disabled', registers: 'fixed' });
    expect(relaxed.map(({ settings }) => settings.ordering)).toEqual(['relaxed', 'relaxed', 'relaxed']);
    expect(relaxed.map(({ settings }) => settings.ddio)).toEqual(['disabled', 'disabled', 'disabled']);
    expect(relaxed[2].device.name).not.toBe(found({})[2].device.name);
  });

  it.each([
    [{ world: WORLD, hosts: 3 }, 'TESTBED_INVALID', 'hosts'],
    [{ world: WORLD, subsystem: 'collie-a' }, 'TESTBED_INVALID', 'subsystem'],
    [{ world: 'no-such-world' }, 'PROFILE_NOT_FOUND', 'world'],
    [{ world: resolveWorld(WORLD), settings: { acs: 'redirect' } }, 'TESTBED_INVALID', 'settings'],
    [{ provider: 'ideal', world: WORLD }, 'TESTBED_INVALID', 'world'],
    [{ world: { hosts: [{ host: 'hostping' }] } }, 'PROFILE_MISSING_FIELD', 'hosts[0].device'],
  ] as [TestbedRequest, string, string][])('refuses %#', async (request, code, field) => {
    const error = await openTestbed(request).then(
      () => null,
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(KelpieError);
    expect(error).toMatchObject({ code, field });
  });
});
