import {
  type ConnectxConstants,
  ProfileLibrary,
  resolveSubsystem,
  type Settings,
  type Subsystem,
} from '../profiles/index.js';
import type { DeviceBounds, DeviceParts } from '../workload/index.js';
import { type ProfileSource, refusal, type TestbedDescription, type TestbedRequest } from './description.js';

/** The subsystem simulated by default. */
export const DEFAULT_SUBSYSTEM = 'collie-f';

/** Hunts open thousands of testbeds, so the shipped profiles are read only once. */
const shipped = new ProfileLibrary();
const libraries = new WeakMap<readonly ProfileSource[], ProfileLibrary>();

/** The shipped profiles, with those of a description in front. */
export function libraryOf({ profiles }: Pick<TestbedDescription, 'profiles'>): ProfileLibrary {
  if (profiles === undefined || profiles.length === 0) return shipped;
  let library = libraries.get(profiles);
  if (library === undefined) {
    library = new ProfileLibrary();
    for (const { text, file } of profiles) library.add(text, file);
    libraries.set(profiles, library);
  }
  return library;
}

/** The last subsystem or world among a description's profiles; undefined if the description has no profiles. */
function lastProfile(
  profiles: readonly ProfileSource[],
): { kind: 'subsystem' | 'world'; name: string } | undefined {
  if (profiles.length === 0) return undefined;
  const found = libraryOf({ profiles })
    .added()
    .flatMap(({ kind, name }) => (kind === 'subsystem' || kind === 'world' ? [{ kind, name }] : []));
  if (found.length > 0) return found[found.length - 1];
  const given = profiles.map(({ file }) => file).join(', ');
  throw refusal('profiles', given, 'a subsystem or a world among them, or the name of one beside them');
}

/** Whether a description asks for a world, directly or through its profiles. */
export function opensWorld({ world, subsystem, profiles = [] }: Omit<TestbedRequest, 'hosts'>): boolean {
  if (world !== undefined || subsystem !== undefined) return world !== undefined;
  return lastProfile(profiles)?.kind === 'world';
}

/** The name of the last world among a description's profiles. */
export function worldName(profiles: readonly ProfileSource[]): string {
  return lastProfile(profiles)!.name;
}

/** The name of the subsystem requested by a description. */
export function subsystemName(
  { subsystem, profiles = [] }: Pick<TestbedDescription, 'subsystem' | 'profiles'>,
  otherwise: string = DEFAULT_SUBSYSTEM,
): string {
  return subsystem ?? lastProfile(profiles)?.name ?? otherwise;
}

/**
 * A subsystem with its settings overridden by those of a run; `registers: fixed` selects the repaired device.
 *
 * @example
 * const { device, settings } = subsystemWith('collie-f', { acs: 'redirect' });
 */
export function subsystemWith(
  name: string,
  overrides: Readonly<Record<string, string>>,
  library: ProfileLibrary = shipped,
): Subsystem {
  const { registers, ...settings } = overrides;
  const profile = library.find('subsystem', name);
  const repaired =
    registers === 'fixed' && profile.fixed !== undefined ? library.find('subsystem', profile.fixed) : profile;
  return resolveSubsystem(repaired, { library, settings: settings as Partial<Settings> });
}

/** The subsystem requested by a description, whose settings override the profile's. */
export function subsystemOf(
  description: Pick<TestbedDescription, 'subsystem' | 'profiles' | 'settings'>,
  otherwise?: string,
): Subsystem {
  const name = subsystemName(description, otherwise);
  return subsystemWith(name, description.settings ?? {}, libraryOf(description));
}

/** Figures for the parts of a device; a part it lacks takes no time. */
export function partsOf({ device }: Pick<Subsystem, 'device'>): DeviceParts {
  const constants: Partial<ConnectxConstants> & Subsystem['device']['constants'] = device.constants;
  return {
    pcieGbps: constants.pcieGbps,
    messageGapNs: constants.deviceMessageGapNs,
    readGapNs: constants.deviceReadGapNs,
    responseGapNs: constants.readResponseGapNs ?? constants.deviceMessageGapNs,
    responseGapBytes: constants.readResponseGapBytes ?? 1,
    responseNearBytes: constants.readNearBytes,
    contextMissNs: constants.contextMissNs ?? 0,
    translationMissNs: constants.translationMissNs ?? 0,
    contextMissSlots: constants.contextMissSlots ?? 1,
    contextMissSlotsReceive: constants.contextMissSlotsReceive ?? 1,
    receiveWqeMissNs: constants.receiveWqeMissNs,
    receiveWqeMissSlots: constants.receiveWqeMissSlots,
  };
}

/** A device's limits, for the verdict. */
export function boundsOf(
  { device, fabric }: Pick<Subsystem, 'device' | 'fabric'>,
  cableGbps: number | null = fabric.constants.linkGbps,
): DeviceBounds {
  const { constants } = device;
  return {
    lineRateGbps: cableGbps ? Math.min(constants.portGbps, cableGbps) : constants.portGbps,
    packetsPerSecond: constants.boundPacketsPerSecond,
    packetsPerSecondPerQp: constants.boundQpPacketsPerSecond,
    readsPerSecondPerQp: constants.boundQpReadsPerSecond,
    requestsPerSecond: {
      READ: perSecond(constants.deviceReadGapNs),
      FETCH_ADD: perSecond(constants.fetchAddNs),
      COMPARE_SWAP: perSecond(constants.compareSwapNs),
    },
  };
}

/** How many there are a second with this much time between them; without end where it is none. */
function perSecond(gapNs: number): number {
  return gapNs > 0 ? 1e9 / gapNs : Number.POSITIVE_INFINITY;
}
