import { hostsNeeded, type Workload } from '../workload/index.js';
import { refusal, type TestbedRequest } from './description.js';
import { findProvider, listProviders } from './registry.js';
import { opensWorld } from './subsystem.js';
import type { IsolatedTestbed } from './tenant-contexts.js';

/**
 * Opens a testbed on any provider from a description.
 *
 * @example
 * const testbed = await openTestbed({ subsystem: 'collie-f', hosts: 3, seed: 7 });
 * const measurement = await runWorkload(resolveWorkload({ from: 'h0', to: 'h2', qps: 8 }), testbed);
 * await testbed.close();
 */
export async function openTestbed(request: TestbedRequest = {}): Promise<IsolatedTestbed> {
  const entry = findProvider(request.provider ?? listProviders()[0].name);
  if (!entry.takesProfiles) {
    for (const field of ['subsystem', 'world', 'profiles', 'impairments'] as const)
      if (request[field] !== undefined)
        throw refusal(field, request[field], `left out: the ${entry.name} provider has no profiles`);
    for (const field of ['captureAt', 'bufferPolicy'] as const)
      if (request[field] !== undefined)
        throw refusal(
          field,
          'a choice',
          `left out: the ${entry.name} provider has neither cables nor switches`,
        );
  }
  const { recovery } = request;
  if (recovery !== undefined && !(entry.recoveries ?? []).includes(recovery))
    throw refusal(
      'recovery',
      recovery,
      entry.recoveries?.join(', ') ?? `left out: ${entry.name} devices have that of their profile`,
    );
  if (request.capture !== undefined && !entry.hasPackets)
    throw refusal('capture', 'a recorder', `left out: the ${entry.name} provider has no packets`);
  return entry.open(request);
}

/**
 * Opens a testbed with the hosts that a workload needs, under its settings.
 *
 * @example
 * const workload = parseWorkload(text, 'incast.yaml');
 * const testbed = await openTestbedFor(workload, { subsystem: 'collie-f', seed: 7 });
 */
export function openTestbedFor(
  workload: Pick<Workload, 'tenants' | 'settings'>,
  request: Omit<TestbedRequest, 'hosts' | 'settings'> = {},
): Promise<IsolatedTestbed> {
  const { settings } = workload;
  // A world has its own hosts; a workload that names others is refused when run.
  if (opensWorld(request)) return openTestbed({ ...request, settings });
  return openTestbed({ ...request, hosts: hostsNeeded(workload), settings });
}
