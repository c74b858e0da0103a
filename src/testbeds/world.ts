import {
  type ProfileLibrary,
  resolveWorld,
  type Settings,
  type WorldDescription,
  type WorldGraph,
  type WorldHostDescription,
} from '../profiles/index.js';
import { checkSettings, refusal, type TestbedRequest } from './description.js';
import { libraryOf } from './subsystem.js';

/** The world described by a request; the run's settings override those of its hosts and devices. */
export function worldOf(
  request: Pick<TestbedRequest, 'profiles' | 'settings'> & { world: NonNullable<TestbedRequest['world']> },
): WorldGraph {
  const { world } = request;
  const settings = checkSettings(request.settings ?? {});
  const library = libraryOf(request);
  if (isGraph(world)) {
    if (Object.keys(settings).length > 0)
      throw refusal(
        'settings',
        settings,
        'none: this world was resolved before; set them in its description',
      );
    return world;
  }
  if (typeof world === 'string' && Object.keys(settings).length === 0)
    return resolveWorld(world, { library });
  const described = typeof world === 'string' ? descriptionOf(world, library) : world;
  return resolveWorld(withSettings(described, settings, library), { library });
}

/** Whether a world is already resolved: only then do its hosts have graphs. */
function isGraph(world: string | WorldDescription | WorldGraph): world is WorldGraph {
  return typeof world !== 'string' && world.hosts.some(({ host }) => typeof host === 'object');
}

function descriptionOf(name: string, library: ProfileLibrary): WorldDescription {
  const { profile: _, description, extends: base, file, ...world } = library.find('world', name);
  return world;
}

function withSettings(
  world: WorldDescription,
  { registers, ...overrides }: Readonly<Record<string, string>>,
  library: ProfileLibrary,
): WorldDescription {
  const settings = overrides as Partial<Settings>;
  const over = (own: Partial<Settings> | undefined) => ({ ...own, ...settings });
  const repaired = (name: string) =>
    registers === 'fixed' ? (library.find('subsystem', name).fixed ?? name) : name;
  return {
    ...world,
    settings: over(world.settings),
    hosts: world.hosts.map(
      (host): WorldHostDescription => ({
        ...host,
        settings: over(host.settings),
        ...(host.subsystem === undefined ? {} : { subsystem: repaired(host.subsystem) }),
        ...(host.devices === undefined
          ? {}
          : {
              // A device's own setting overrides its host's, so it is removed where the run sets it.
              devices: host.devices.map((device) => ({
                ...device,
                ...(device.settings === undefined ? {} : { settings: without(device.settings, settings) }),
              })),
            }),
      }),
    ),
  };
}

function without(own: Partial<Settings>, overridden: Partial<Settings>): Partial<Settings> {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !Object.hasOwn(overridden, name)));
}
