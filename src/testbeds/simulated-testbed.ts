import type { PacketRecorder } from '../link/index.js';
import type { Mechanism } from '../models/index.js';
import { ProfileLibrary, resolveSubsystem, type Settings, type Subsystem } from '../profiles/index.js';
import { SimulatedProvider } from '../providers/simulated/index.js';
import { AS_SHIPPED, type Isolation } from '../schemes/index.js';
import type { DeviceBounds, Testbed } from '../workload/index.js';
import { type IsolatedTestbed, isolated } from './tenant-contexts.js';

/** What a simulated testbed is made from. */
export interface SimulatedTestbedOptions {
  subsystem: Subsystem;
  hosts: number;
  seed: number;
  ablate?: readonly Mechanism[];
  /** How tenants are kept apart; each then has a context of its own. */
  isolation?: Isolation;
  /** Records every packet. */
  capture?: PacketRecorder;
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
export async function openSimulatedTestbed(options: SimulatedTestbedOptions): Promise<IsolatedTestbed> {
  const { subsystem, seed, ablate = [], isolation, capture } = options;
  const bounds = boundsOf(subsystem);
  const device = isolation?.scheme.device(isolation.tenants, bounds.lineRateGbps) ?? AS_SHIPPED;
  const provider = new SimulatedProvider({
    subsystem,
    hosts: Math.max(2, options.hosts),
    seed,
    ablate,
    capture,
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
    provider.world.devices.map(async ({ name }, index) => ({
      name: String.fromCharCode(97 + index),
      context: await provider.open(name),
    })),
  );
  const deviceOf = (host: string) => provider.world.devices[host.charCodeAt(0) - 97];
  const testbed: Testbed = {
    provider: 'simulated',
    profile: subsystem.name,
    hosts: opened,
    bounds,
    counterNames: (host) => deviceOf(host).counterNames,
    readCounters: (host, into) => deviceOf(host).readCounters(into),
    events: () => provider.world.simulation.events,
    placedBytes: (host, qpNum) => deviceOf(host).placedBytes(qpNum),
    idleSendQueueNs: (host) => deviceOf(host).idleSendQueueNs(),
    close: async () => void (await Promise.all(opened.map(({ context }) => context.close()))),
  };
  return isolated(testbed, isolation === undefined ? {} : { isolation }, seed, (host, number) =>
    provider.functionOf(host.context, number),
  );
}
