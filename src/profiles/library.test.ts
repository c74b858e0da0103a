import { describe, expect, it } from 'vitest';
import { nearest } from '../schema/index.js';
import { findProfile, listProfiles, ProfileLibrary, parseProfile, profileText } from './library.js';
import { resolveDevice } from './resolve.js';
import { resolveSubsystem } from './resolve-subsystem.js';

const device = `profile: device
name: my-nic
extends: connectx-6-100g
title: Mine
constants:
  contextCacheEntries: { value: 512, evidence: measured, source: our own sweep }
`;
const subsystem = `profile: subsystem
name: mine
extends: perf
title: Mine
device: my-nic
settings: { ecn: enabled }
`;

describe('ProfileLibrary', () => {
  it("finds a user's profiles beside the shipped ones, in whatever order they were added", () => {
    const library = new ProfileLibrary();
    library.add(subsystem, 'subsystem.yaml');
    library.add(device, 'device.yaml');
    const mine = resolveSubsystem(library.find('subsystem', 'mine'), { library });
    expect(mine.device).toMatchObject({
      name: 'my-nic',
      constants: { contextCacheEntries: 512, portGbps: 100 },
    });
    expect(mine.settings).toMatchObject({ ecn: 'enabled', pfc: 'enabled' });
    expect(mine.placement).toEqual({ rnic: 'rnic0', memory: 'memory0' });
    expect(library.list('device')).toContain('my-nic');
    expect(listProfiles('device')).not.toContain('my-nic');
  });

  it('a file of the same name added later wins, also for what extends it', () => {
    const library = new ProfileLibrary();
    library.add(device, 'device.yaml');
    library.add(
      device
        .replace('my-nic', 'more')
        .replace('connectx-6-100g', 'my-nic')
        .replace('contextCacheEntries', 'contextMissSlots'),
      'more.yaml',
    );
    expect(resolveDevice(library.find('device', 'more'))).toMatchObject({
      contextCacheEntries: 512,
      contextMissSlots: 512,
    });
    library.add(device.replace('512', '1024'), 'device.yaml');
    expect(resolveDevice(library.find('device', 'more'))).toMatchObject({
      contextCacheEntries: 1024,
      contextMissSlots: 512,
    });
  });

  it('PROFILE_NOT_FOUND suggests the nearest name', () => {
    expect(() => findProfile('device', 'connectx6-200g')).toThrow(
      expect.objectContaining({
        code: 'PROFILE_NOT_FOUND',
        given: 'connectx6-200g',
        message: expect.stringContaining('connectx-6-200g?'),
      }),
    );
    expect(() => profileText('host', 'nowhere')).toThrow(
      expect.objectContaining({ code: 'PROFILE_NOT_FOUND' }),
    );
  });

  it('the text of a shipped profile reads back as that profile', () => {
    const text = profileText('host', 'hostping');
    expect(parseProfile(text, 'hosts/hostping.yaml')).toEqual(findProfile('host', 'hostping'));
  });
});

describe('nearest', () => {
  it('finds what was meant and does not guess wildly', () => {
    expect(nearest('xofffBytes', ['xonBytes', 'xoffBytes', 'portGbps'])).toBe('xoffBytes');
    expect(nearest('XOFFBYTES', ['xonBytes', 'xoffBytes'])).toBe('xoffBytes');
    expect(nearest('banana', ['xonBytes', 'xoffBytes'])).toBeUndefined();
    expect(nearest('a'.repeat(101), ['a'.repeat(100)])).toBeUndefined();
  });
});
