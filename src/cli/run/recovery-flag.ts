import { KelpieError } from '../../error.js';
import type { ArchitectureTable, Constant, DeviceProfile, ProfileLibrary } from '../../profiles/index.js';
import { DEFAULT_SUBSYSTEM, libraryOf, opensWorld } from '../../testbeds/index.js';
import type { ChosenTestbed } from '../providers.js';

const FLAG = '--recovery';
/** Constants that say what a device does about a message without a receive. */
const RNR_HOLDS = [
  'rnrHoldReliableNs',
  'rnrHoldUnreliableNs',
  'rnrHoldDatagramNs',
  'rnrHoldReliableReach',
  'rnrHoldUnreliableReach',
];

/** A loss recovery, with the architecture that brings it along. */
interface Found {
  readonly recovery: ArchitectureTable['parts']['recovery'];
  readonly architecture: ArchitectureTable;
}

/**
 * The subsystem with another loss recovery on its own device: `NAME`, or `NAME@DEVICE` where devices that recover that way
 * differ. Packets then look as that recovery needs them. The name is a part's or that of the architecture whose own it is.
 */
export function withRecovery(chosen: ChosenTestbed, given: string): ChosenTestbed {
  const refuse = (message: string, allowed: string) =>
    new KelpieError('BAD_FLAG', message, { field: FLAG, given, allowed });
  if (opensWorld(chosen))
    throw refuse('the hosts of a world name their devices themselves', '--subsystem in place of the world');
  const { subsystem = DEFAULT_SUBSYSTEM, profiles = [] } = chosen;
  const library = libraryOf(chosen);
  const whole = library.find('subsystem', subsystem);
  const own = library.find('device', whole.device);
  const [name, donor] = given.split('@');
  const found = findRecovery(library, name);
  if (found === undefined) throw refuse('no NIC recovers that way', recoveryNames(library).join(', '));
  const { recovery, architecture } = found;
  const composed = library.architectures.compose(own.architecture);
  if (composed.parts.recovery.name === recovery.name && donor === undefined) return chosen;
  if (own.protocol !== 'RoCEv2')
    throw refuse(`losses of ${own.protocol} are not recovered that way`, 'a device that speaks RoCEv2');
  const before = whole.extends === undefined ? [] : [library.find('subsystem', whole.extends).device];
  const near = [own, ...ancestorsOf(library, own), ...before.map((device) => library.find('device', device))];
  const constants = constantsOf(library, near, found, donor, refuse);
  const zero = (why: string) => ({ value: 0, evidence: 'calibrated', source: why });
  if (recovery.placesEarly === true)
    for (const hold of RNR_HOLDS)
      if (Object.hasOwn(library.architectures.tableOf(own.architecture), hold))
        constants[hold] = zero('a receive may be taken before the first packet of its message comes (irn)');
  const deviceName = `${own.name}-${recovery.name}`;
  const device = {
    ...{ profile: 'device', name: deviceName, extends: own.name },
    title: `${own.title}, with the loss recovery ${recovery.name}`,
    architecture: {
      base: own.architecture.base,
      ...own.architecture.parts,
      recovery: recovery.name,
      // Each packet of selective repeat says where it belongs; those of other recoveries need not.
      wire: architecture.parts.wire.name,
    },
    constants,
  };
  const fields = {
    ...{ profile: 'subsystem', name: `${subsystem}-${recovery.name}`, extends: subsystem },
    ...{ title: `${subsystem}, with the loss recovery ${recovery.name}`, device: deviceName },
  };
  const added = [device, fields].map((profile) => ({ text: JSON.stringify(profile), file: FLAG }));
  return { ...chosen, subsystem: fields.name, profiles: [...profiles, ...added] };
}

/** Every name that a loss recovery can be asked for by: its own, and those of the architectures that bring one along. */
function recoveryNames({ architectures }: ProfileLibrary): readonly string[] {
  return [...new Set([...architectures.partNames('recovery'), ...architectures.all.map(({ name }) => name)])];
}

function findRecovery({ architectures }: ProfileLibrary, name: string): Found | undefined {
  for (const architecture of architectures.all) {
    const { parts, others } = architecture;
    const all = [parts.recovery, ...(others?.recovery ?? [])];
    const recovery = all.find((part) => part.name === name);
    if (recovery !== undefined) return { recovery, architecture };
  }
  const architecture = architectures.all.find((each) => each.name === name);
  return architecture && { recovery: architecture.parts.recovery, architecture };
}

/** The devices that one was made from. */
function ancestorsOf(library: ProfileLibrary, { extends: base }: DeviceProfile): readonly DeviceProfile[] {
  if (base === undefined) return [];
  const device = library.find('device', base);
  return [device, ...ancestorsOf(library, device)];
}

/**
 * The constants of a recovery, with their sources, from a device that has it: the one that is named, the device itself, one
 * of those that it was made from or stands in place of, or all that have it where they agree.
 */
function constantsOf(
  library: ProfileLibrary,
  near: readonly DeviceProfile[],
  { recovery }: Found,
  donor: string | undefined,
  refuse: (message: string, allowed: string) => KelpieError,
): Record<string, object> {
  const names = Object.keys(recovery.constants);
  const recovers = (device: DeviceProfile) =>
    library.architectures.compose(device.architecture).parts.recovery.name === recovery.name;
  const knows = ({ constants }: DeviceProfile) => names.every((each) => Object.hasOwn(constants, each));
  const devices = library.list('device').map((each) => library.find('device', each));
  // A device with the same timers will do where none is shipped with the recovery itself: go-back-0 has go-back-N's.
  const has = devices.some(recovers) ? recovers : knows;
  const donors = devices.filter(has);
  const given = donors.map(({ name }) => `${recovery.name}@${name}`).join(', ');
  if (donor !== undefined && !donors.some(({ name }) => name === donor))
    throw refuse('no device of that name recovers that way', given);
  const taken = ({ constants }: DeviceProfile): Record<string, Constant> =>
    Object.fromEntries(names.map((name) => [name, constants[name]]));
  if (names.length === 0) return {};
  if (donor !== undefined) return taken(library.find('device', donor));
  const nearest = near.find(has);
  if (nearest !== undefined) return taken(nearest);
  const values = (device: DeviceProfile) => names.map((name) => device.constants[name].value).join();
  if (new Set(donors.map(values)).size > 1)
    throw refuse('devices that recover that way differ: which one’s?', given);
  if (donors.length === 0) throw refuse('no device recovers that way', 'a device of --profile that does');
  return taken(donors[0]);
}
