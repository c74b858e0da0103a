import { SimulatedProvider } from '../providers/simulated/index.js';
import { AS_SHIPPED } from '../schemes/index.js';
import { buildTestbed } from './build.js';
import { checkSettings, hostsOf, refusal, type TestbedRequest } from './description.js';
import type { ProviderEntry } from './registry.js';
import { boundsOf, subsystemOf } from './subsystem.js';
import { type IsolatedTestbed, isolated } from './tenant-contexts.js';

/** The simulated provider, for testbeds. */
export const simulatedProvider: ProviderEntry = {
  name: 'simulated',
  takesProfiles: true,
  hasPackets: true,
  open: openSimulatedTestbed,
};

/**
 * Opens a simulated subsystem as a testbed.
 *
 * @example
 * const testbed = await openSimulatedTestbed({ subsystem: 'collie-f', hosts: 3, seed: 7 });
 */
export async function openSimulatedTestbed(
  request: Omit<TestbedRequest, 'provider'>,
): Promise<IsolatedTestbed> {
  const { seed = 1, ablate = [], isolation, capture } = request;
  const hosts = hostsOf(request);
  const many = hosts.findIndex(({ devices }) => devices !== 1);
  if (many >= 0)
    throw refusal(`hosts[${many}].devices`, hosts[many].devices, '1: a subsystem has one device per host');
  const subsystem =
    typeof request.subsystem === 'object'
      ? request.subsystem
      : subsystemOf({
          ...request,
          subsystem: request.subsystem,
          settings: checkSettings(request.settings ?? {}),
        });
  const bounds = boundsOf(subsystem);
  const device = isolation?.scheme.device(isolation.tenants, bounds.lineRateGbps) ?? AS_SHIPPED;
  const provider = new SimulatedProvider({
    subsystem,
    hosts: hosts.length,
    seed,
    ablate,
    ...(capture === undefined ? {} : { capture }),
    functionGbps: device.functionGbps,
    tenantShares: device.accounting?.shares ?? null,
    ...(device.trafficClasses === null
      ? {}
      : {
          trafficClassWeights: device.trafficClasses.weights,
          strictTrafficClasses: device.trafficClasses.strict,
        }),
  });
  const opened = await Promise.all(
    provider.world.devices.map(async (each, place) => ({
      name: hosts[place].name,
      devices: [
        {
          name: subsystem.placement.rnic,
          context: await provider.open(each.name),
          bounds,
          probe: {
            counters: { names: each.counterNames, read: (into: Float64Array) => each.readCounters(into) },
            placedBytes: (qpNum: number) => each.placedBytes(qpNum),
            idleSendQueueNs: () => each.idleSendQueueNs(),
          },
        },
      ],
    })),
  );
  const testbed = buildTestbed({
    provider: 'simulated',
    profile: subsystem.name,
    hosts: opened,
    events: () => provider.world.simulation.events,
  });
  return isolated(testbed, isolation, seed, ({ context }, number) => provider.functionOf(context, number));
}
