import { KelpieError } from '../../error.js';
import { DescriptionError } from '../../schema/index.js';
import type { Report } from '../consistency.js';
import { type ProfileLibrary, shipped } from '../library.js';
import { completeProfile, readValue } from '../load.js';
import type { WorldProfile } from '../profile.js';
import type { Subsystem } from '../resolve.js';
import { buildWorld } from './build-world.js';
import type { FaultDescription, WorldDescription } from './description.js';
import type { WorldFault, WorldGraph } from './graph.js';
import { type Places, resolveFault } from './places.js';

/** Where the profiles that a world names come from. */
export interface ResolveWorldOptions {
  /** Default: the shipped profiles. */
  readonly library?: ProfileLibrary;
}

const refuse: Report = (code, field, detail) => {
  throw new DescriptionError([{ code, file: '', line: 0, column: 0, field, ...detail }]);
};

/**
 * The graph of a world, from the name of a profile or from a description. A description is checked as a file is: a
 * ProfileError lists everything that is wrong with it.
 *
 * @example
 * const graph = resolveWorld({ hosts: [{ host: 'hostping', device: 'connectx-6-200g' }, { subsystem: 'collie-e' }] });
 * console.log(graph.hosts[0].devices.map(({ name }) => name)); // h0/rnic0 to h0/rnic3
 */
export function resolveWorld(
  given: string | WorldDescription,
  options: ResolveWorldOptions = {},
): WorldGraph {
  const library = options.library ?? shipped;
  const profile =
    typeof given === 'string'
      ? library.find('world', given)
      : (completeProfile(
          readValue({ name: 'world', title: 'A world', ...given, profile: 'world' }, 'world'),
          library,
        ) as WorldProfile);
  return buildWorld(profile, library, refuse);
}

/** Looks the place of a fault up in a graph; throws a KelpieError that says what is wrong with it. */
export function resolveWorldFault(graph: Places, fault: FaultDescription): WorldFault {
  const { fields } = readValue(
    { profile: 'world', name: 'world', title: 'A world', faults: [fault] },
    'fault',
  );
  const [checked] = fields['faults'] as FaultDescription[];
  return resolveFault(graph, checked, 'fault', refuse)!;
}

/** Hosts of one subsystem with one device each, on its switch or back to back: the papers' testbeds. */
export function worldOfSubsystem(subsystem: Subsystem, hosts: number): WorldGraph {
  const { fabric, settings, placement } = subsystem;
  const { constants } = fabric;
  const switched = constants.switched === 1;
  if (!switched && hosts > 2)
    throw new KelpieError('OUT_OF_RANGE', `fabric ${fabric.name} joins two hosts back to back`, {
      field: 'hosts',
      given: hosts,
      allowed: '2',
    });
  const graph = Array.from({ length: hosts }, (_, index) => ({
    name: `h${index}`,
    host: subsystem.host,
    devices: [{ name: `h${index}/${placement.rnic}`, rnic: placement.rnic, subsystem }],
  }));
  const names = graph.map(({ devices: [device] }) => device.name);
  const link = (left: string, right: string) => ({
    name: `${left}-${right}`,
    ends: [left, right] as const,
    gbps: constants.linkGbps,
    propagationNs: constants.propagationNs,
  });
  return {
    name: subsystem.name,
    title: subsystem.title,
    hosts: graph,
    switches: switched
      ? [
          {
            name: 'switch0',
            constants,
            lossless: settings.pfc === 'enabled',
            marking: settings.ecn === 'enabled',
          },
        ]
      : [],
    links: switched ? names.map((name) => link(name, 'switch0')) : [link(names[0], names[1])],
    routes: [],
    faults: [],
  };
}
