import { describe, expect, it } from 'vitest';
import { type FaultEffect, findProfile, resolveHost, type Settings } from '../../profiles/index.js';
import { HostModel } from './host-model.js';
import { WHOLE_HOST } from './host-settings.js';
import type { LinkReading } from './link-reading.js';

function host(name: string, settings: Partial<Settings> = {}, ablate: string[] = []): HostModel {
  return new HostModel(resolveHost(findProfile('host', name), settings), new Set(ablate));
}

describe('a PCIe link of a host', () => {
  const stateOf = (model: HostModel) => model.readSettings(0).find(({ part }) => part === 'rnic0-up')!;
  const gbpsOf = (model: HostModel) => model.links.find(({ link }) => link.name === 'rnic0-up')!.gbpsNow;
  const injected = (effect: FaultEffect) => {
    const model = host('hostping');
    const link = model.host.links.findIndex(({ name }) => name === 'rnic0-up');
    return { model, lift: model.inject({ kind: 'link', host: 0, link }, effect) };
  };

  it('is as fast as it trained: by its lanes and its generation', () => {
    const healthy = host('hostping');
    expect(stateOf(healthy)).toMatchObject({ lanes: 16, generation: 4, replays: 0 });
    const narrow = injected({ lanes: 4 });
    expect(stateOf(narrow.model)).toMatchObject({ lanes: 4, generation: 4 });
    expect(gbpsOf(narrow.model)).toBeCloseTo(gbpsOf(healthy) / 4, 9);
    const slow = injected({ generation: 2 });
    expect(stateOf(slow.model)).toMatchObject({ lanes: 16, generation: 2 });
    expect(gbpsOf(slow.model)).toBeCloseTo(16 * 5 * 0.8, 9);
    slow.lift();
    expect(gbpsOf(slow.model)).toBe(gbpsOf(healthy));
    expect(gbpsOf(injected({ lanes: 32 }).model)).toBe(gbpsOf(healthy));
  });

  it('that sends packets again keeps its width and speed, is slower for it and counts them', () => {
    const { model, lift } = injected({ replay: 0.75 });
    expect(stateOf(model)).toMatchObject({ lanes: 16, generation: 4, replays: 0 });
    expect(gbpsOf(model)).toBeCloseTo(gbpsOf(host('hostping')) / 4, 9);
    const path = model.path('rnic0', 'gpu0');
    path.outPackets += 8;
    path.inPackets += 2;
    // Each of ten packets was sent four times.
    expect(stateOf(model).replays).toBe(30);
    lift();
    path.outPackets += 10;
    expect(stateOf(model).replays).toBe(30);
  });
});

describe('what others do on a host', () => {
  const at = (model: HostModel, name: string) => ({
    kind: 'link' as const,
    host: 0,
    link: model.host.links.findIndex((link) => link.name === name),
  });
  const useOf = (model: HostModel, name: string, nowPs: number) => {
    const readings: LinkReading[] = [];
    model.readLinks(readings, nowPs);
    const { directions, gbps } = readings.find((each) => each.name === name)!;
    return { gbps, busyNs: directions.map(({ busyNs }) => busyNs) };
  };

  it('takes a share of a link or of memory channels, and is counted as use of them', () => {
    const model = host('hostping');
    const before = useOf(model, 'rnic0-up', 0);
    model.inject(at(model, 'rnic0-up'), { load: 0.75 });
    model.inject(at(model, 'memory0-up'), { load: 0.5 });
    const path = model.path('rnic0', 'gpu0');
    // A link that is left a quarter is served, and takes four times as long for the same bytes.
    expect(path.outward[0].psPerByte).toBeCloseTo((4 * 8000) / before.gbps, 9);
    const after = useOf(model, 'rnic0-up', 1e6);
    expect(after.gbps).toBe(before.gbps);
    expect(after.busyNs).toEqual([750, 750]);
    expect(useOf(model, 'memory0-up', 1e6).busyNs).toEqual([500]);
  });

  it('shows in its settings: a channel without a module, cores, what programs are bound to', () => {
    const model = host('hostping');
    const read = (part: string) => model.readSettings(0).find((each) => each.part === part)!;
    expect(read('memory0')).toMatchObject({ channels: 8, ddio: 'enabled' });
    expect(read(WHOLE_HOST)).toMatchObject({ coreWakeNs: 0, coreClock: 1, peerMemory: 'available' });
    const node = (name: string) => model.host.nodes.findIndex((each) => each.name === name);
    const gbps = model.memoryOf('memory0')!.gbpsNow;
    model.inject({ kind: 'channel', host: 0, node: node('memory0'), channel: 3 }, { presence: 'missing' });
    expect(read('memory0').channels).toBe(7);
    expect(model.memoryOf('memory0')!.gbpsNow).toBeCloseTo((gbps * 7) / 8, 9);
    model.inject({ kind: 'node', host: 0, node: node('gpu3') }, { presence: 'missing' });
    expect(model.whyUnusable('gpu3')).not.toBeNull();
    expect(model.whyUnusable('gpu2')).toBeNull();
    model.inject({ kind: 'host', host: 0 }, { peerMemory: 'unavailable', coreClock: 0.5, coreWakeNs: 2000 });
    expect(model.whyUnusable('gpu2')).not.toBeNull();
    expect(model.whyUnusable('memory0')).toBeNull();
    expect(model.cores).toEqual({ clock: 0.5, wakeNs: 2000 });
    expect(model.threadSocket('rnic0')).toBe(0);
    model.inject({ kind: 'node', host: 0, node: node('rnic0') }, { affinity: 'remote' });
    expect(model.threadSocket('rnic0')).toBe(1);
    expect(read('rnic0').affinity).toBe('remote');
  });
});

describe('the paths of a host', () => {
  it('of Hostping take 1.0 us to a GPU under the same switch, 2.2 us through the root complex, 2.4 us across sockets', () => {
    const model = host('hostping');
    const [rnic] = model.rnics;
    const latencies = model.placements
      .filter((place) => place.startsWith('gpu'))
      .map((place) => model.path(rnic, place).readLatencyPs / 1e6);
    expect(new Set(latencies)).toEqual(new Set([1.0, 2.2, 2.4]));
  });

  it('go up to the root complex under one switch where ACS redirects, or ATS is off', () => {
    const near = (model: HostModel) => model.path(model.rnics[0], 'gpu0').readLatencyPs;
    const direct = near(host('hostping', { acs: 'direct' }));
    for (const settings of [{ acs: 'redirect' }, { ats: 'disabled' }] as const) {
      expect(near(host('hostping', settings))).toBeGreaterThan(2 * direct);
      expect(near(host('hostping', settings, ['acs-redirect']))).toBe(direct);
    }
  });

  it('share the turn of the root complex on the host of Collie E, in both directions', () => {
    const turned = host('collie-e', { acs: 'redirect' }).path('rnic0', 'gpu0');
    expect(turned.shared).not.toBeNull();
    expect(turned.ordered).toBe(false);
    expect(host('collie-e', { acs: 'direct' }).path('rnic0', 'gpu0').shared).toBeNull();
  });

  it('share the link between the sockets of Collie G where that is weak', () => {
    const far = (model: HostModel) => model.path('rnic0', 'memory2').shared;
    expect(far(host('collie-g', { interSocket: 'weak' }))).not.toBeNull();
    expect(far(host('collie-g', { interSocket: 'healthy' }))).toBeNull();
    expect(far(host('collie-g', { interSocket: 'weak' }, ['cross-socket-link']))).toBeNull();
    const model = host('collie-g', { interSocket: 'weak' });
    expect(model.path('rnic0', 'memory0').shared).toBeNull();
    expect(model.path('rnic0', 'memory2').readLatencyPs).toBeGreaterThan(
      model.path('rnic0', 'memory0').readLatencyPs,
    );
  });

  it('are made once and lead to the memory channels behind them', () => {
    const model = host('husky');
    const path = model.path('rnic0', 'memory0');
    expect(model.path('rnic0', 'memory0')).toBe(path);
    expect(path.memory).toBe(model.memoryOf('memory0'));
    expect(model.memoryOf('socket0')).toBeNull();
    path.memory!.register(1e12);
    path.memory!.waitPs(0, 1000);
    expect(model.memoryBytes).toBeCloseTo(1000, 1);
  });

  it('have DDIO where the setting and the processor have it', () => {
    const share = (name: string, settings: Partial<Settings> = {}) =>
      host(name, settings).memoryOf('memory0')!.dramShare;
    expect(share('husky')).toBe(0);
    expect(share('husky', { ddio: 'disabled' })).toBe(1);
    expect(share('collie-g')).toBe(1);
  });

  it('know the rate of the slot and refuse names that are not there', () => {
    const model = host('husky');
    expect(model.slotGbps('rnic0')).toBeCloseTo(126, 0);
    expect(model.placements).toEqual(['memory0', 'memory1']);
    expect(() => model.path('rnic0', 'gpu7')).toThrow(expect.objectContaining({ code: 'UNKNOWN_PLACEMENT' }));
    expect(() => model.slotGbps('rnic7')).toThrow(expect.objectContaining({ code: 'UNKNOWN_PLACEMENT' }));
  });
});
