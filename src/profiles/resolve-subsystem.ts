import { type ProfileLibrary, shipped } from './library.js';
import type { SubsystemProfile } from './profile.js';
import { resolveDevice, resolveFabric, resolveHost, type Subsystem } from './resolve.js';
import type { Settings } from './settings.js';

/** How to resolve a subsystem. */
export interface ResolveOptions {
  /** Where the device, the host and the fabric come from; by default the shipped profiles. */
  readonly library?: ProfileLibrary;
  /** Settings of a run, which win over those of the subsystem and the host. */
  readonly settings?: Partial<Settings>;
}

/** Everything that a simulation of a subsystem needs, as plain numbers. */
export function resolveSubsystem(profile: SubsystemProfile, options: ResolveOptions = {}): Subsystem {
  const library = options.library ?? shipped;
  const device = library.find('device', profile.device);
  const fabric = library.find('fabric', profile.fabric);
  const host = resolveHost(library.find('host', profile.host), { ...profile.settings, ...options.settings });
  return {
    name: profile.name,
    title: profile.title,
    device: {
      name: device.name,
      protocol: device.protocol,
      architecture: device.architecture,
      constants: resolveDevice(device),
    },
    host,
    fabric: { name: fabric.name, constants: resolveFabric(fabric) },
    settings: host.settings,
    placement: profile.placement,
    ...(profile.fixed === undefined ? {} : { fixed: profile.fixed }),
  };
}
