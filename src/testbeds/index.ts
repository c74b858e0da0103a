/**
 * Testbeds: hosts with opened devices, on any provider, from a description. Runs in a browser; providers that need more
 * are registered by whoever has them.
 *
 * @example
 * const testbed = await openTestbed({ provider: 'simulated', subsystem: 'collie-f', hosts: 2, seed: 1 });
 * const { total } = await runWorkload(resolveWorkload({ qps: 8, sizes: [65536] }), testbed);
 * await testbed.close();
 *
 * @module
 */
export { buildTestbed, type OpenedDevice, type TestbedParts } from './build.js';
export type {
  HostDescription,
  HostPlan,
  ProfileSource,
  TestbedDescription,
  TestbedRequest,
} from './description.js';
export { hostsOf } from './description.js';
export { openTestbed, openTestbedFor } from './open.js';
export { findProvider, listProviders, type ProviderEntry, registerProvider } from './registry.js';
export { openSimulatedTestbed } from './simulated-testbed.js';
export {
  boundsOf,
  DEFAULT_SUBSYSTEM,
  libraryOf,
  opensWorld,
  subsystemName,
  subsystemOf,
  subsystemWith,
} from './subsystem.js';
export { type IsolatedTestbed, isolated } from './tenant-contexts.js';
export { worldOf } from './world.js';
