import { describe, expect, it } from 'vitest';
import { findProfile, resolveHost, type Settings } from '../../profiles/index.js';
import { HostModel } from './host-model.js';

function host(name: string, settings: Partial<Settings> = {}, ablate: string[] = []): HostModel {
  return new HostModel(resolveHost(findProfile('host', name), settings), new Set(ablate));
}

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
