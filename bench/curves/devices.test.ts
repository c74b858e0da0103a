import { expect, it } from 'vitest';
import { ProfileLibrary } from '../../src/profiles/index.js';
import { openTestbed } from '../../src/testbeds/index.js';
import { curveDevices } from './devices.js';

// Goal: no shipped device is without its curves. Method: the library's own list.

const shipped = new ProfileLibrary();
const devices = curveDevices(shipped);

it('are all that are shipped, each once', () => {
  expect(devices.map(({ device }) => device)).toEqual(shipped.list('device'));
});

it.each(devices)('$device is on $subsystem', async ({ device, subsystem, profile }) => {
  const profiles = profile === undefined ? [] : [{ text: profile, file: subsystem }];
  if (profile === undefined) expect(shipped.find('subsystem', subsystem).device).toBe(device);
  const testbed = await openTestbed({ subsystem, profiles });
  expect(testbed.hosts).toHaveLength(2);
  await testbed.close();
});
