import type { LinkReading, PartSettings } from '../models/index.js';
import { type FaultDescription, type Host, resolveHost, resolveWorld } from '../profiles/index.js';
import { SimulatedProvider } from '../providers/simulated/index.js';
import type { Context } from '../verbs/index.js';
import type { ProfileSource } from './description.js';
import { libraryOf } from './subsystem.js';

/** A server alone: which host, and which device in place of each RNIC. */
export interface ServerChoice {
  readonly host: string;
  readonly device: string;
  readonly seed: number;
  /** User profiles, which may include the host or the device. */
  readonly profiles?: readonly ProfileSource[];
}

/** A simulated server with all its RNICs open. */
export interface SimulatedServer {
  readonly host: Host;
  /** The opened device of an RNIC, by the RNIC's name in the host. */
  context(rnic: string): Context;
  /** What a program on the server could currently read from its ports and RNICs. */
  readSettings(): readonly PartSettings[];
  /** Line rate of an RNIC's port. */
  readonly portGbps: number;
  /** Injects a fault; its place begins with `h0/`. Returns a function that removes it. */
  inject(fault: FaultDescription): () => void;
  /** Traffic carried so far by each link, such as `h0/switch1-up`. */
  readLinks(): readonly LinkReading[];
  close(): Promise<void>;
}

/** Opens a simulated server, healthy or with faults; the faults' places begin with `h0/`. */
export async function openSimulatedServer(
  { host, device, seed, profiles = [] }: ServerChoice,
  faults: readonly FaultDescription[] = [],
): Promise<SimulatedServer> {
  const library = libraryOf({ profiles });
  const resolved = resolveHost(library.find('host', host));
  const world = resolveWorld({ hosts: [{ host, device }], faults }, { library });
  const provider = new SimulatedProvider({ world, seed });
  const contexts = new Map<string, Context>();
  for (const { kind, name } of resolved.nodes)
    if (kind === 'rnic') contexts.set(name, await provider.open(`h0/${name}`));
  return {
    host: resolved,
    context: (rnic) => contexts.get(rnic)!,
    readLinks: () => provider.world.links.filter(({ name }) => name.startsWith('h0/')),
    readSettings: () => provider.world.readSettings('h0'),
    portGbps: provider.world.graph.hosts[0].devices[0].subsystem.device.constants.portGbps,
    inject: (fault) => provider.world.inject(fault),
    close: async () => void (await Promise.all([...contexts.values()].map((context) => context.close()))),
  };
}
