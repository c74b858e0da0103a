/**
 * Testbeds: hosts with opened devices, on any provider, from a description. Runs in a browser; providers that need more
 * are registered by the code that supplies them.
 *
 * @example
 * import { openTestbed } from 'kelpie/testbeds';
 * import { resolveWorkload, runWorkload } from 'kelpie/workload';
 *
 * const testbed = await openTestbed({ subsystem: 'collie-f', hosts: 3, seed: 1 });
 * const senders = { hosts: 2, otherHost: 4 };
 * const incast = resolveWorkload({ direction: 'nToOne', to: 'h2', senders, sizes: [65536] });
 * const { total } = await runWorkload(incast, testbed);
 * console.log(testbed.hosts.length, total.goodputGbps > 180); // 3 true
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
export { openSimulatedServer, type ServerChoice, type SimulatedServer } from './simulated-server.js';
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
