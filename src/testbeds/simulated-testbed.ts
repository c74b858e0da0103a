import { settings, type WorldGraph, worldOfSubsystem } from '../profiles/index.js';
import { type SimulatedOptions, SimulatedProvider } from '../providers/simulated/index.js';
import { AS_SHIPPED } from '../schemes/index.js';
import { buildTestbed, type OpenedDevice } from './build.js';
import { checkSettings, hostsOf, refusal, type TestbedRequest } from './description.js';
import type { ProviderEntry } from './registry.js';
import { boundsOf, opensWorld, partsOf, subsystemOf, worldName } from './subsystem.js';
import { type IsolatedTestbed, isolated } from './tenant-contexts.js';
import { worldOf } from './world.js';

/** The simulated provider for testbeds. */
export const simulatedProvider: ProviderEntry = {
  name: 'simulated',
  takesProfiles: true,
  hasPackets: true,
  controls: settings.congestionControl.values,
  open: openSimulatedTestbed,
};

/**
 * Opens a simulated subsystem or world as a testbed.
 *
 * @example
 * const testbed = await openSimulatedTestbed({ subsystem: 'collie-f', hosts: 3, seed: 7 });
 */
export async function openSimulatedTestbed(
  request: Omit<TestbedRequest, 'provider'>,
): Promise<IsolatedTestbed> {
  const { seed = 1, ablate = [], isolation } = request;
  const { graph, names } = planOf(request);
  const { lineRateGbps } = boundsOf(graph.hosts[0].devices[0].subsystem);
  const device = isolation?.scheme.device(isolation.tenants, lineRateGbps) ?? AS_SHIPPED;
  const provider = new SimulatedProvider({
    world: graph,
    seed,
    ablate,
    ...given(request),
    functionGbps: device.functionGbps,
    tenantShares: device.accounting?.shares ?? null,
    ...(device.trafficClasses === null
      ? {}
      : {
          trafficClassWeights: device.trafficClasses.weights,
          strictTrafficClasses: device.trafficClasses.strict,
        }),
  });
  const { world } = provider;
  const opened = await Promise.all(
    world.hosts.map(async ({ devices }, place) => ({
      name: names[place],
      devices: await Promise.all(
        devices.map(
          async (each, index): Promise<OpenedDevice> => ({
            name: graph.hosts[place].devices[index].rnic,
            context: await provider.open(each.name),
            bounds: boundsOf(each.subsystem, world.cableGbps(each)),
            parts: partsOf(each.subsystem),
            probe: {
              counters: { names: each.counterNames, read: (into) => each.readCounters(into) },
              placedBytes: (qpNum) => each.placedBytes(qpNum),
              idleSendQueueNs: () => each.idleSendQueueNs(),
            },
          }),
        ),
      ),
    })),
  );
  const testbed = buildTestbed({
    provider: 'simulated',
    profile: graph.name,
    hosts: opened,
    events: () => world.simulation.events,
    links: () => world.links,
    queues: () => world.queues,
  });
  return isolated(testbed, isolation, seed, ({ context }, number) => provider.functionOf(context, number));
}

/** The options passed to the provider unchanged, where the request has them. */
function given(request: TestbedRequest): SimulatedOptions {
  const { capture, captureAt, impairments, bufferPolicy, fabric } = request;
  return {
    ...(capture === undefined ? {} : { capture }),
    ...(captureAt === undefined ? {} : { captureAt }),
    ...(impairments === undefined ? {} : { impairments }),
    ...(bufferPolicy === undefined ? {} : { bufferPolicy }),
    ...(fabric === undefined ? {} : { fabric }),
  };
}

/** The world to open, and the names of its hosts. */
function planOf(request: Omit<TestbedRequest, 'provider'>): { graph: WorldGraph; names: readonly string[] } {
  const { subsystem, profiles = [], settings = {} } = request;
  if (opensWorld(request)) {
    const world = request.world ?? worldName(profiles);
    for (const field of ['subsystem', 'hosts'] as const)
      if (request[field] !== undefined)
        throw refusal(field, request[field], 'left out: a world has its own hosts');
    const graph = worldOf({ world, profiles, settings });
    return { graph, names: graph.hosts.map(({ name }) => name) };
  }
  const hosts = hostsOf(request);
  const many = hosts.findIndex(({ devices }) => devices !== 1);
  if (many >= 0)
    throw refusal(
      `hosts[${many}].devices`,
      hosts[many].devices,
      '1: describe a world for hosts with several',
    );
  const resolved =
    typeof subsystem === 'object'
      ? subsystem
      : subsystemOf({ subsystem, profiles, settings: checkSettings(settings) });
  return { graph: worldOfSubsystem(resolved, hosts.length), names: hosts.map(({ name }) => name) };
}
