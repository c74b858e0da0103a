import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shippedArchitectures } from './architecture/shipped-architectures.js';
import { type Constant, evidenceClasses } from './constant.js';
import { shippedFiles } from './data.generated.js';
import { findProfile, listProfiles } from './library.js';
import { readProfile, trustProfile } from './load.js';
import { constantTables, profileKinds } from './profile.js';
import { resolveDevice, resolveHost } from './resolve.js';
import { resolveSubsystem } from './resolve-subsystem.js';

const all = profileKinds.flatMap((kind) => listProfiles(kind).map((name) => ({ kind, name })));

/** The names of the constants in which two devices differ. */
function differences(one: string, other: string): string[] {
  const a = resolveDevice(findProfile('device', one));
  const b = resolveDevice(findProfile('device', other));
  return Object.keys(shippedArchitectures.constants()).filter((name) => a[name] !== b[name]);
}

describe('shipped profiles', () => {
  it.each(Object.entries(shippedFiles))(
    '%s was embedded with the fields that its file has',
    (key, shipped) => {
      const text = readFileSync(new URL(`./data/${shipped.file}`, import.meta.url), 'utf8');
      const read = readProfile(text, shipped.file);
      expect(trustProfile(shipped.json, shipped.file)).toMatchObject({
        kind: read.kind,
        name: read.name,
        fields: read.fields,
      });
      expect(JSON.parse(shipped.json)).toEqual(read.fields);
      expect(key).toBe(`${read.kind} ${read.name}`);
    },
  );

  it('are those that were promised', () => {
    expect(listProfiles('device')).toEqual([
      'broadcom-p2100g',
      'broadcom-p2100g-fixed',
      'chelsio-t62100',
      'connectx-5-100g',
      'connectx-5-25g',
      'connectx-6-100g',
      'connectx-6-100g-on-demand',
      'connectx-6-100g-resident',
      'connectx-6-100g-resident-on-demand',
      'connectx-6-200g',
      'connectx-6-25g',
      'dcqcn-40g',
      'ideal-100g',
      'irn-100g',
      'melo-100g',
      'srnic-fpga-100g',
      'srnic-fpga-100g-go-back-n',
      'srnic-fpga-100g-receive-cache',
      'srnic-fpga-100g-spill',
    ]);
    const letters = [...'abcdefgh'].map((letter) => `collie-${letter}`);
    expect(listProfiles('subsystem')).toEqual(
      expect.arrayContaining([...letters, 'hostping', 'husky', 'perf', 'srnic']),
    );
  });

  it.each(all)(
    '$kind $name loads, is named like its file, and has evidence and source on every constant',
    ({ kind, name }) => {
      const profile = findProfile(kind, name);
      expect(profile).toMatchObject({ profile: kind, name, file: `${kind}s/${name}.yaml` });
      const constants: Readonly<Record<string, Constant>> = 'constants' in profile ? profile.constants : {};
      const table =
        profile.profile === 'device'
          ? shippedArchitectures.tableOf(profile.architecture)
          : constantTables[kind];
      expect(Object.keys(constants).sort()).toEqual(Object.keys(table ?? {}).sort());
      for (const constant of Object.values(constants)) {
        expect(evidenceClasses).toContain(constant.evidence);
        expect(constant.source.length).toBeGreaterThan(1);
      }
    },
  );

  it.each(listProfiles('subsystem'))('subsystem %s resolves to plain finite numbers', (name) => {
    const { device, host, fabric, settings, placement } = resolveSubsystem(findProfile('subsystem', name));
    const groups = [device.constants, host.constants, fabric.constants];
    for (const value of groups.flatMap((group) => Object.values(group)))
      expect(Number.isFinite(value)).toBe(true);
    for (const link of host.links) {
      expect(link.gbps).toBeGreaterThan(0);
      expect(link.latencyNs).toBeGreaterThan(0);
    }
    expect(Object.values(settings).every((value) => typeof value === 'string')).toBe(true);
    expect(host.nodes.map((node) => node.name)).toEqual(
      expect.arrayContaining([placement.rnic, placement.memory]),
    );
  });
});

describe('one set of constants per device', () => {
  it('ConnectX-6 100G differs from 200G in port, the margin that its rate needs, and PCIe only', () => {
    expect(differences('connectx-6-200g', 'connectx-6-100g')).toEqual([
      'portGbps',
      'pcieGeneration',
      'pcieGbps',
      'xoffBytes',
    ]);
  });

  it('ConnectX-5 25G differs from 100G in the port only', () => {
    expect(differences('connectx-5-100g', 'connectx-5-25g')).toEqual(['portGbps']);
  });

  it('the fixed P2100G differs in what its registers are taken to change', () => {
    expect(differences('broadcom-p2100g', 'broadcom-p2100g-fixed')).toEqual([
      'sharedPacketProcessors',
      'packetProcessorNs',
      'receiveWqeMissSlots',
    ]);
  });
});

describe('hosts', () => {
  it('E and G have their faults as tested, and the fixed variants have none', () => {
    const settingsOf = (name: string) => resolveSubsystem(findProfile('subsystem', name)).settings;
    expect(settingsOf('collie-e')).toMatchObject({
      ordering: 'strict',
      acs: 'redirect',
      interSocket: 'healthy',
    });
    expect(settingsOf('collie-e-fixed')).toEqual(settingsOf('collie-f'));
    expect(settingsOf('collie-g')).toMatchObject({ ordering: 'relaxed', acs: 'direct', interSocket: 'weak' });
    expect(settingsOf('collie-g-fixed')).toEqual(settingsOf('collie-f'));
  });

  it('the faults that F as tested has of E and G are theirs, to the value', () => {
    const constantsOf = (name: string) => resolveHost(findProfile('host', name)).constants;
    const { peerSharedGbps, peerPostedBytes } = constantsOf('collie-e');
    const { interSocketSharedGbps, interSocketWriteNs } = constantsOf('collie-g');
    expect(constantsOf('collie-f-as-tested')).toMatchObject({
      ...{ peerSharedGbps, peerPostedBytes, interSocketSharedGbps, interSocketWriteNs },
    });
  });

  it('the settings of a run win, and may ask for nothing that the host has no constants for', () => {
    const profile = findProfile('subsystem', 'collie-e-fixed');
    expect(resolveSubsystem(profile, { settings: { acs: 'redirect' } }).settings).toMatchObject({
      acs: 'redirect',
      ordering: 'relaxed',
    });
    expect(() => resolveSubsystem(profile, { settings: { interSocket: 'weak' } })).toThrow(
      expect.objectContaining({ code: 'PROFILE_INCONSISTENT', field: 'settings.interSocket', given: 'weak' }),
    );
  });

  it('every subsystem with a repair leads to one that differs from it', () => {
    const repaired = listProfiles('subsystem').filter(
      (name) => findProfile('subsystem', name).fixed !== undefined,
    );
    expect(repaired).toEqual(['collie-e', 'collie-f-as-tested', 'collie-g', 'collie-h']);
    for (const name of repaired) {
      const broken = resolveSubsystem(findProfile('subsystem', name));
      const fixed = resolveSubsystem(findProfile('subsystem', broken.fixed!));
      expect([fixed.settings, fixed.device.name]).not.toEqual([broken.settings, broken.device.name]);
      expect(fixed.fixed).toBeUndefined();
    }
  });

  it('the GPU server of Hostping has its latencies: 1.0 us, 2.2 us, 2.4 us for a read', () => {
    const { nodes, links, constants } = resolveHost(findProfile('host', 'hostping'));
    const hop = (a: string, b: string) => {
      const link = links.find(({ ends }) =>
        [a, b].every((name) => ends.some((end) => nodes[end].name === name)),
      );
      return link!.latencyNs;
    };
    const near = hop('rnic0', 'switch0') + hop('switch0', 'gpu0');
    const turn = constants.peerTurnNs;
    const root =
      hop('rnic0', 'switch0') +
      hop('switch0', 'socket0') +
      turn +
      hop('socket0', 'switch1') +
      hop('switch1', 'gpu2');
    const across = root + hop('socket0', 'socket1');
    expect([2 * near, 2 * root, 2 * across]).toEqual([1000, 2200, 2400]);
    expect(nodes.filter((node) => node.kind === 'gpu')).toHaveLength(8);
    expect(nodes.filter((node) => node.kind === 'rnic')).toHaveLength(4);
  });
});
