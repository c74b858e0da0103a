import { describe, expect, it } from 'vitest';
import { listProfiles, ProfileLibrary } from '../library.js';
import type { WorldDescription } from './description.js';
import { durationNs } from './duration.js';
import { resolveWorld, resolveWorldFault } from './resolve-world.js';

/** The faults that a description is refused with, as `field (code)`. */
function faultsOf(world: unknown): string[] {
  try {
    resolveWorld(world as WorldDescription);
  } catch (error) {
    const { faults } = error as { faults?: readonly { field: string; code: string }[] };
    return (faults ?? []).map(({ field, code }) => `${field} (${code})`).sort();
  }
  return [];
}

describe('a world', () => {
  it('has hosts of different profiles, each with its own RNICs', () => {
    const graph = resolveWorld({
      hosts: [
        { host: 'hostping', device: 'connectx-6-200g' },
        { name: 'storage', host: 'xeon-two-rnics', devices: [{ rnic: 'rnic1', device: 'connectx-5-100g' }] },
        { subsystem: 'collie-g', count: 2 },
      ],
    });
    expect(graph.hosts.map(({ name, host }) => `${name}: ${host.name}`)).toEqual([
      'h0: hostping',
      'storage: xeon-two-rnics',
      'h2: collie-g',
      'h3: collie-g',
    ]);
    expect(graph.hosts.map(({ devices }) => devices.map(({ name }) => name).join(' '))).toEqual([
      'h0/rnic0 h0/rnic1 h0/rnic2 h0/rnic3',
      'storage/rnic1',
      'h2/rnic0',
      'h3/rnic0',
    ]);
    const [far] = graph.hosts[1].devices;
    expect(far.subsystem).toMatchObject({
      device: { name: 'connectx-5-100g' },
      placement: { rnic: 'rnic1', memory: 'memory1' },
    });
    expect(graph.hosts[2].devices[0].subsystem.settings.interSocket).toBe('weak');
    expect(graph.links.map(({ name }) => name)).toContain('storage/rnic1-switch0');
  });

  it('gives a device settings and PCIe sizes of its own', () => {
    const graph = resolveWorld({
      hosts: [
        {
          host: 'hostping',
          device: 'connectx-6-200g',
          devices: [
            { rnic: 'rnic0' },
            { rnic: 'rnic1', settings: { ordering: 'strict' }, maxReadRequestBytes: 128, memory: 'gpu2' },
          ],
        },
      ],
    });
    const [plain, special] = graph.hosts[0].devices.map(({ subsystem }) => subsystem);
    expect([plain.settings.ordering, special.settings.ordering]).toEqual(['relaxed', 'strict']);
    expect(special.device.constants.pcieMaxReadRequestBytes).toBe(128);
    expect(plain.device.constants.pcieMaxReadRequestBytes).not.toBe(128);
    expect(special.placement.memory).toBe('gpu2');
  });

  it('is read from a file, with its faults and their lines', () => {
    expect(listProfiles('world')).toContain('two-servers');
    expect(
      resolveWorld('two-servers').hosts.flatMap(({ devices }) => devices.map(({ name }) => name)),
    ).toEqual(['h0/rnic0', 'h0/rnic2', 'h1/rnic0', 'h1/rnic1']);
    const library = new ProfileLibrary();
    const text = [
      'profile: world',
      'name: mine',
      'title: Mine',
      'hosts:',
      '  - { subsystem: husky, count: 2 }',
      'faults:',
      '  - { at: h0/rnic0-upp, rate: 0.25, from: 1ms }',
      '  - { at: h7, ddio: disabled }',
    ].join('\n');
    library.add(text, 'mine.yaml');
    expect(() => library.find('world', 'mine')).toThrow(
      expect.objectContaining({
        code: 'PROFILE_UNKNOWN_REFERENCE',
        message: expect.stringContaining(
          "mine.yaml:7:11: faults[0].at: no such place, given 'h0/rnic0-upp' (did you mean h0/rnic0-up?)",
        ),
        faults: [expect.objectContaining({ line: 7 }), expect.objectContaining({ line: 8 })],
      }),
    );
    library.add(text.replace('rnic0-upp', 'rnic0-up').replace('h7', 'h1'), 'mine.yaml');
    expect(resolveWorld('mine', { library }).faults).toEqual([
      {
        at: 'h0/rnic0-up',
        places: [{ kind: 'link', host: 0, link: 3 }],
        effect: { rate: 0.25 },
        fromNs: 1e6,
        forNs: Number.POSITIVE_INFINITY,
        everyNs: 0,
      },
      expect.objectContaining({ places: [{ kind: 'host', host: 1 }] }),
    ]);
  });

  it('finds everything that is wrong at once', () => {
    expect(
      faultsOf({
        hosts: [
          { host: 'hostpin', device: 'connectx-6-200g' },
          { host: 'husky' },
          { device: 'connectx-5-25g' },
        ],
        switches: [{ name: 'leaf', fabric: 'back-to-back' }],
      }),
    ).toEqual([
      'hosts[0].host (PROFILE_UNKNOWN_REFERENCE)',
      'hosts[1].device (PROFILE_MISSING_FIELD)',
      'hosts[2].host (PROFILE_MISSING_FIELD)',
      'switches[0] (PROFILE_INCONSISTENT)',
    ]);
    const pair = { hosts: [{ subsystem: 'husky', count: 2 }] };
    expect(faultsOf({ hosts: [] })).toEqual(['hosts (PROFILE_MISSING_FIELD)']);
    expect(faultsOf({ hosts: [{ name: 'x', subsystem: 'husky', count: 2 }] })).toEqual([
      'hosts[0].count (PROFILE_INCONSISTENT)',
    ]);
    expect(faultsOf({ ...pair, hosts: [...pair.hosts, { name: 'h0', subsystem: 'husky' }] })).toEqual([
      'hosts[1].name (PROFILE_INCONSISTENT)',
    ]);
    expect(faultsOf({ ...pair, links: [{ between: ['h0', 'h9'] }] })).toEqual([
      'links[0].between[1] (PROFILE_UNKNOWN_REFERENCE)',
    ]);
    expect(faultsOf({ ...pair, links: [{ between: ['h0', 'h1'] }, { between: ['h0', 'h1'] }] })).toEqual([
      'links[1].between (PROFILE_INCONSISTENT)',
      'links[1].between (PROFILE_INCONSISTENT)',
      'links[1].name (PROFILE_INCONSISTENT)',
    ]);
    expect(faultsOf({ ...pair, fabric: 'back-to-back', hosts: [{ subsystem: 'husky', count: 3 }] })).toEqual([
      'links (PROFILE_MISSING_FIELD)',
    ]);
    expect(faultsOf({ ...pair, hosts: [{ subsystem: 'husky', devices: [{ rnic: 'rnic7' }] }] })).toEqual([
      'hosts[0].devices[0].rnic (PROFILE_UNKNOWN_REFERENCE)',
    ]);
    expect(
      faultsOf({
        hosts: [{ subsystem: 'husky', devices: [{ rnic: 'rnic0', settings: { acs: 'direct' } }] }],
      }),
    ).toEqual(['hosts[0].devices[0].settings.acs (PROFILE_INCONSISTENT)']);
    expect(faultsOf({ hosts: [{ subsystem: 'husky' }], host: 3 })).toEqual(['host (PROFILE_UNKNOWN_FIELD)']);
    expect(faultsOf(undefined as unknown as WorldDescription)).toEqual(['hosts (PROFILE_MISSING_FIELD)']);
  });
});

const CABLE = 'h0/rnic0-switch0';

describe('the place of a fault', () => {
  const graph = resolveWorld({
    hosts: [{ host: 'hostping', device: 'connectx-6-200g' }, { subsystem: 'collie-g' }],
  });
  const at = (place: string, effect = {}) => resolveWorldFault(graph, { at: place, ...effect }).places;

  it('is a link, by its own name or by its ends, a device, a memory channel, a host or a cable', () => {
    const up = at('h0/switch1-up', { rate: 0.25 });
    expect(up).toEqual([{ kind: 'link', host: 0, link: 7 }]);
    expect(at('h0/socket0-switch1', { rate: 0.25 })).toEqual(up);
    expect(at('h0/switch1-socket0', { rate: 0.25 })).toEqual(up);
    expect(at('h0/rnic1', { ats: 'disabled' })).toEqual([{ kind: 'node', host: 0, node: 9 }]);
    expect(at('h1/memory3/channel3', { rate: 0.5 })).toEqual([
      { kind: 'channel', host: 1, node: 5, channel: 3 },
    ]);
    expect(at('h1', { interSocket: 'healthy' })).toEqual([{ kind: 'host', host: 1 }]);
    expect(at('h1/rnic0-switch0', { loss: 0.01 })).toEqual([{ kind: 'cable', link: 4 }]);
  });

  it('is on every host that has it, where no host is named', () => {
    expect(at('socket0-socket1', { rate: 0.5 })).toHaveLength(2);
    expect(at('switch1-up', { rate: 0.5 })).toHaveLength(1);
  });

  it.each([
    [{ at: 'h0/switch9-up', rate: 0.5 }, 'PROFILE_UNKNOWN_REFERENCE', 'fault.at'],
    [{ at: 'h1/memory3/channel4', rate: 0.5 }, 'PROFILE_UNKNOWN_REFERENCE', 'fault.at'],
    [{ at: 'h0/rnic0', rate: 0.5 }, 'PROFILE_INCONSISTENT', 'fault.rate'],
    [{ at: 'h0/gpu0', rate: 0.5 }, 'PROFILE_INCONSISTENT', 'fault.rate'],
    [{ at: 'h0/memory0-up', acs: 'redirect' }, 'PROFILE_INCONSISTENT', 'fault.acs'],
    [{ at: 'h0', interSocket: 'weak' }, 'PROFILE_INCONSISTENT', 'fault.interSocket'],
    [{ at: 'h0/switch1-up' }, 'PROFILE_MISSING_FIELD', 'fault'],
    [{ at: 'h0/switch1-up', rate: 0 }, 'PROFILE_OUT_OF_RANGE', 'faults[0].rate'],
    [{ at: 'h0/switch1-up', rate: 0.5, from: 'soon' }, 'PROFILE_OUT_OF_RANGE', 'faults[0].from'],
    [{ at: 'h0/switch1-up', rate: 0.5, every: '1ms' }, 'PROFILE_INCONSISTENT', 'fault.every'],
    [{ at: 'h0/switch1-up', rate: 0.5, every: '1ms', for: '2ms' }, 'PROFILE_INCONSISTENT', 'fault.every'],
    [{ at: CABLE, loss: 0.1, towards: 'h1' }, 'PROFILE_UNKNOWN_REFERENCE', 'fault.towards'],
    [{ at: CABLE, towards: 'switch0', rate: 0.5 }, 'PROFILE_INCONSISTENT', 'fault.towards'],
    [{ at: CABLE, loss: 0.1, lossOf: [] }, 'PROFILE_INCONSISTENT', 'fault.lossOf'],
    [{ at: 'h0/switch1-up', rate: 0.5, lossOf: ['ack'] }, 'PROFILE_INCONSISTENT', 'fault.lossOf'],
    [{ at: CABLE, burst: { begin: 2, end: 1, loss: 1 } }, 'PROFILE_OUT_OF_RANGE', 'faults[0].burst.begin'],
  ] as const)('refuses %o', (fault, code, field) => {
    expect(() => resolveWorldFault(graph, fault)).toThrow(expect.objectContaining({ code, field }));
  });
});

describe('a length of time', () => {
  it.each([
    [1500, 1500],
    ['20us', 20_000],
    ['1.5 ms', 1.5e6],
    ['2s', 2e9],
  ])('%s is %i ns', (given, ns) => {
    expect(durationNs(given)).toBe(ns);
  });

  it.each([-1, Number.NaN, '1', 'ms', '1 h', '1e3s', '99999999999999s', ''])('is not %s', (given) => {
    expect(durationNs(given)).toBeUndefined();
  });
});
