import type { Mechanism } from '../models/index.js';
import { ProfileLibrary, resolveSubsystem, type Settings, type Subsystem } from '../profiles/index.js';
import { SimulatedProvider } from '../providers/simulated/index.js';
import { AS_SHIPPED, type Interposer, type Isolation } from '../schemes/index.js';
import type { Context } from '../verbs/index.js';
import type { DeviceBounds, Testbed } from '../workload/index.js';

/** What a simulated testbed is made from. */
export interface SimulatedTestbedOptions {
  subsystem: Subsystem;
  hosts: number;
  seed: number;
  ablate?: readonly Mechanism[];
  /** How tenants are kept apart; each then has a context of its own. */
  isolation?: Isolation;
}

/** A simulated testbed, with what only the one who opened it knows. */
export interface SimulatedTestbed extends Testbed {
  /** What stands between tenants and devices; null where nothing does. */
  interposer: Interposer | null;
}

/** What a device can do at best, for the verdict. */
export function boundsOf({ device, fabric }: Subsystem): DeviceBounds {
  const { constants } = device;
  const { linkGbps } = fabric.constants;
  return {
    lineRateGbps: linkGbps > 0 ? Math.min(constants.portGbps, linkGbps) : constants.portGbps,
    packetsPerSecond: constants.boundPacketsPerSecond,
    packetsPerSecondPerQp: constants.boundQpPacketsPerSecond,
    readsPerSecondPerQp: constants.boundQpReadsPerSecond,
  };
}

/** A shipped subsystem with the settings of a run over its own; `registers: fixed` takes the repaired device. */
export function subsystemWith(
  name: string,
  overrides: Readonly<Record<string, string>>,
  library: ProfileLibrary = new ProfileLibrary(),
): Subsystem {
  const { registers, ...settings } = overrides;
  const profile = library.find('subsystem', name);
  const repaired =
    registers === 'fixed' && profile.fixed !== undefined ? library.find('subsystem', profile.fixed) : profile;
  return resolveSubsystem(repaired, { library, settings: settings as Partial<Settings> });
}

/** Opens a simulated subsystem as a testbed. */
export async function openSimulatedTestbed(options: SimulatedTestbedOptions): Promise<SimulatedTestbed> {
  const { subsystem, seed, ablate = [], isolation } = options;
  const bounds = boundsOf(subsystem);
  const device = isolation?.scheme.device(isolation.tenants, bounds.lineRateGbps) ?? AS_SHIPPED;
  const provider = new SimulatedProvider({
    subsystem,
    hosts: Math.max(2, options.hosts),
    seed,
    ablate,
    functionGbps: device.functionGbps,
    ...(device.trafficClasses === null
      ? {}
      : {
          trafficClassWeights: device.trafficClasses.weights,
          strictTrafficClasses: device.trafficClasses.strict,
        }),
  });
  const opened = await Promise.all(
    provider.world.devices.map(async ({ name }, index) => ({
      name: String.fromCharCode(97 + index),
      context: await provider.open(name),
    })),
  );
  const interposer =
    isolation?.scheme.interpose?.({ hosts: opened, tenants: isolation.tenants, seed }) ?? null;
  const contexts = await tenantContexts(provider, opened, interposer, isolation);
  const deviceOf = (host: string) => provider.world.devices[host.charCodeAt(0) - 97];
  return {
    provider: 'simulated',
    profile: subsystem.name,
    hosts: opened,
    bounds,
    ...(isolation === undefined
      ? {}
      : { contextOf: (host: string, tenant: string) => contexts.get(`${host}/${tenant}`)! }),
    counterNames: (host) => deviceOf(host).counterNames,
    readCounters: (host, into) => deviceOf(host).readCounters(into),
    events: () => provider.world.simulation.events,
    placedBytes: (host, qpNum) => deviceOf(host).placedBytes(qpNum),
    idleSendQueueNs: (host) => deviceOf(host).idleSendQueueNs(),
    interposer,
    close: async () => {
      interposer?.stop();
      await Promise.all(opened.map(({ context }) => context.close()));
    },
  };
}

/** The context of each tenant on each host, by `host/tenant`: its function's, behind the interposer it cannot escape. */
async function tenantContexts(
  provider: SimulatedProvider,
  hosts: readonly { name: string; context: Context }[],
  interposer: Interposer | null,
  isolation: Isolation | undefined,
): Promise<ReadonlyMap<string, Context>> {
  const contexts = new Map<string, Context>();
  for (const tenant of isolation?.tenants ?? []) {
    const { functionNumber } = isolation!.scheme.place(tenant);
    for (const { name, context } of hosts) {
      const own =
        functionNumber === null ? context : await provider.openFunction(context.deviceName, functionNumber);
      const wrapped =
        interposer === null || tenant.bypasses ? own : interposer.wrap({ name, context: own }, tenant);
      contexts.set(`${name}/${tenant.name}`, wrapped);
    }
  }
  return contexts;
}
