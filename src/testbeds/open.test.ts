import { describe, expect, it } from 'vitest';
import { KelpieError } from '../error.js';
import { PacketRecorder } from '../link/index.js';
import { profileText } from '../profiles/index.js';
import { type BufferPolicyMaker, ThresholdBuffer } from '../providers/simulated/index.js';
import { findScheme } from '../schemes/index.js';
import { concatenate, readPcapng } from '../wire/index.js';
import { parseWorkload, resolveWorkload, runWorkload, type WorkloadInput } from '../workload/index.js';
import { openTestbed, openTestbedFor, type TestbedRequest } from './index.js';

// Goal: a testbed of any provider opens from a description, hosts have the names they were given, and a workload finds
// them by name, by place and by letter.

const short = { sliceNs: 5000, minNs: 60_000, maxNs: 120_000 };
const workload = (input: WorkloadInput) => resolveWorkload({ measure: short, ...input } as WorkloadInput);

async function run(request: TestbedRequest, input: WorkloadInput) {
  const testbed = await openTestbed(request);
  try {
    return await runWorkload(workload(input), testbed);
  } finally {
    await testbed.close();
  }
}

async function refused(request: TestbedRequest): Promise<KelpieError> {
  try {
    await (await openTestbed(request)).close();
  } catch (error) {
    if (error instanceof KelpieError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

describe('a testbed', () => {
  it('is simulated unless set, with two hosts', async () => {
    const testbed = await openTestbed();
    expect(testbed.provider).toBe('simulated');
    expect(testbed.profile).toBe('collie-f');
    expect(testbed.hosts.map(({ name, devices }) => [name, devices.map((each) => each.name)])).toEqual([
      ['h0', ['rnic0']],
      ['h1', ['rnic0']],
    ]);
    expect(testbed.events()).toBe(0);
    await testbed.close();
  });

  it('has the buffers and the captures that it is asked for', async () => {
    const shares = { headroomBytes: 0, bufferBytes: 1e6, xoffBytes: 200_000, xonBytes: 190_000 };
    const deep: BufferPolicyMaker = (_, { count, queueShift }) =>
      new ThresholdBuffer({ queues: count << queueShift, ...shares });
    const waiting = async (request: TestbedRequest) => {
      const testbed = await openTestbed({ subsystem: 'collie-d', hosts: 3, ...request });
      const senders = { hosts: 2, otherHost: 4 };
      await runWorkload(workload({ direction: 'nToOne', to: 'h2', senders }), testbed);
      const cable = testbed.links().find(({ name }) => name === 'h2/rnic0-switch0')!;
      await testbed.close();
      return cable.directions.find(({ towards }) => towards === 'h2/rnic0')!.queuedBytes;
    };
    expect(await waiting({})).toBeLessThan(100_000);
    expect(await waiting({ bufferPolicy: deep })).toBeGreaterThan(200_000);
    const blocks: Uint8Array[] = [];
    const capture = new PacketRecorder('some', (bytes) => void blocks.push(bytes.slice()));
    await waiting({ capture, captureAt: ['h2'] });
    expect(readPcapng(concatenate(blocks)).interfaces.map(({ name }) => name)).toEqual(['h2/rnic0']);
    expect(await refused({ provider: 'ideal', bufferPolicy: deep })).toMatchObject({ field: 'bufferPolicy' });
  });

  it.each(['simulated', 'ideal'])('has more than 26 hosts on %s', async (provider) => {
    const { directions, hosts } = await run({ provider, hosts: 30 }, { from: 'h29', to: 'h27' });
    expect(directions).toMatchObject([{ from: 'h29', to: 'h27' }]);
    expect(hosts.map(({ name }) => name)).toEqual(Array.from({ length: 30 }, (_, place) => `h${place}`));
  });

  it('calls its hosts as the workload does', async () => {
    const names = async (input: WorkloadInput) => {
      const { hosts, directions, series } = await run({ provider: 'ideal', hosts: 3 }, input);
      expect(Object.keys(series.hosts)).toEqual(hosts.map(({ name }) => name));
      return [hosts.map(({ name }) => name).join(' '), directions.map(({ from, to }) => `${from} ${to}`)];
    };
    expect(await names({})).toEqual(['a b c', ['a b']]);
    expect(await names({ from: 'h0', to: 'h1' })).toEqual(['h0 h1 h2', ['h0 h1']]);
    expect(await names({ from: 'c', to: 'h1' })).toEqual(['a h1 c', ['c h1']]);
  });

  it('knows the names that its description gives, beside places and letters', async () => {
    const hosts = ['storage-7.rack2', null, 'client'];
    for (const [from, to] of [
      ['client', 'storage-7.rack2'],
      ['c', 'a'],
      ['h2', 'h0'],
    ]) {
      const measurement = await run({ provider: 'ideal', hosts }, { from, to });
      expect(measurement.directions).toMatchObject([{ from: 'client', to: 'storage-7.rack2' }]);
    }
  });

  it('opens the hosts that a workload names', async () => {
    const open = async (input: WorkloadInput) => {
      const testbed = await openTestbedFor(workload(input), { provider: 'ideal' });
      await testbed.close();
      return testbed.hosts.map(({ name }) => name);
    };
    expect(await open({ from: 'client', to: 'server' })).toEqual(['client', 'server']);
    expect(await open({ from: 'd', to: 'server' })).toEqual(['server', 'h1', 'h2', 'h3']);
    expect(await open({ direction: 'loopback' })).toEqual(['h0', 'h1']);
    const incast = { direction: 'nToOne', to: 'server', senders: { otherHost: 2, hosts: 3 } } as const;
    expect(await open(incast)).toEqual(['h0', 'h1', 'h2', 'server']);
    const listed = { direction: 'nToOne', to: 'h1', senders: { hosts: ['left', 'right'] } } as const;
    expect(await open({ ...listed, senders: { hosts: ['left', 'right'] } })).toEqual(['left', 'h1', 'right']);
  });

  it('has hosts with several devices, each measured by itself', async () => {
    const hosts = [{ name: 'left', devices: 2 }, { devices: 3 }];
    const {
      directions,
      hosts: found,
      series,
    } = await run(
      { provider: 'ideal', hosts },
      {
        tenants: [
          { name: 'one', from: 'left/rnic1', to: 'h1/rnic2', opcode: 'SEND' },
          { name: 'two', from: 'left', to: 'left/rnic1', iterations: 10 },
        ],
      },
    );
    expect(directions).toMatchObject([
      { from: 'left/rnic1', to: 'h1/rnic2' },
      { from: 'left/rnic0', to: 'left/rnic1' },
    ]);
    expect(found.map(({ name }) => name)).toEqual(['left', 'h1']);
    expect(found[1].devices.map(({ name, device }) => `${name} ${device}`)).toEqual([
      'h1/rnic0 ideal2',
      'h1/rnic1 ideal3',
      'h1/rnic2 ideal4',
    ]);
    expect(Object.keys(series.devices ?? {})).toHaveLength(5);
  });

  it('says which hosts and devices there are', async () => {
    const hosts = [{ devices: 2 }, 'far'];
    await expect(run({ provider: 'ideal', hosts }, { to: 'near' })).rejects.toMatchObject({
      code: 'CANNOT_RUN',
      given: 'near',
      allowed: 'h0, far',
    });
    await expect(run({ provider: 'ideal', hosts }, { from: 'a/rnic2' })).rejects.toMatchObject({
      given: 'a/rnic2',
      allowed: 'a/rnic0, a/rnic1',
    });
    await expect(run({ provider: 'ideal', hosts }, { from: 'h0', to: 'h0/rnic0' })).rejects.toMatchObject({
      code: 'WORKLOAD_INVALID',
      field: 'to',
    });
  });

  it('takes profiles of the user as text', async () => {
    const text = profileText('subsystem', 'collie-a').replace('name: collie-a', 'name: mine');
    const testbed = await openTestbed({ profiles: [{ text, file: 'mine.yaml' }] });
    expect(testbed.profile).toBe('mine');
    await testbed.close();
  });

  it('gives tenants contexts of their own under a scheme', async () => {
    const tenant = { weight: 1, guaranteeGbps: 50, bypasses: false };
    const tenants = ['one', 'two'].map((name, index) => ({ name, index, ...tenant }));
    const isolation = { scheme: findScheme('sr-iov'), tenants };
    const testbed = await openTestbed({ subsystem: 'husky', isolation });
    const [device] = testbed.hosts[0].devices;
    expect(testbed.contextFor(device, 'one')).not.toBe(testbed.contextFor(device, 'two'));
    await testbed.close();
  });

  it.each([
    [{ provider: 'simulatde' }, 'PROVIDER_UNKNOWN', 'provider', 'simulated'],
    [{ provider: 'software' }, 'PROVIDER_UNKNOWN', 'provider', 'kelpie/node'],
    [{ subsystem: 'collie-z' }, 'PROFILE_NOT_FOUND', 'subsystem', 'collie-a'],
    [{ provider: 'ideal', subsystem: 'collie-a' }, 'TESTBED_INVALID', 'subsystem', 'left out'],
    [{ hosts: 0 }, 'TESTBED_INVALID', 'hosts', '1 to 4096'],
    [{ hosts: 2.5 }, 'TESTBED_INVALID', 'hosts', '1 to 4096'],
    [{ hosts: ['twin', 'twin'] }, 'TESTBED_INVALID', 'hosts[1].name', 'no other host'],
    [{ hosts: ['b'] }, 'TESTBED_INVALID', 'hosts[0].name', 'h0'],
    [{ hosts: ['h1', 'h0'] }, 'TESTBED_INVALID', 'hosts[0].name', 'h0'],
    [{ hosts: ['a/b'] }, 'TESTBED_INVALID', 'hosts[0].name', 'letters'],
    [{ hosts: [{ devices: 2 }] }, 'TESTBED_INVALID', 'hosts[0].devices', '1'],
    [{ settings: { ACS: 'redirect' } }, 'TESTBED_INVALID', 'settings.ACS', 'acs'],
    [{ settings: { acs: 'redirected' } }, 'TESTBED_INVALID', 'settings.acs', 'direct, redirect'],
    [{ seed: -1 }, 'OUT_OF_RANGE', 'seed', '0 to'],
  ] as const)('refuses %j', async (request, code, field, allowed) => {
    const error = await refused(request as TestbedRequest);
    expect(error).toMatchObject({ code, field });
    expect(error.allowed).toContain(allowed);
  });

  it('keeps the seed and the settings of the workload', async () => {
    const given = parseWorkload(
      'settings: { ats: disabled }\nmeasure: { minNs: 60000, maxNs: 120000 }',
      'w.yaml',
    );
    const measure = async (seed: number) => {
      const testbed = await openTestbedFor(given, { seed });
      const { events } = await runWorkload(given, testbed, { seed });
      await testbed.close();
      return events;
    };
    expect(await measure(1)).toBe(await measure(1));
  });
});
