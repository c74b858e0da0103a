import { ProfileLibrary, resolveSubsystem, type Settings, type Subsystem } from '../profiles/index.js';
import type { DeviceBounds } from '../workload/index.js';
import { type ProfileSource, refusal, type TestbedDescription } from './description.js';

/** What is simulated unless a description says otherwise. */
export const DEFAULT_SUBSYSTEM = 'collie-f';

/** Hunts open thousands of testbeds: the shipped profiles are read once. */
const shipped = new ProfileLibrary();
const libraries = new WeakMap<readonly ProfileSource[], ProfileLibrary>();

/** The shipped profiles, with those of a description before them. */
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

/** The name of the subsystem that a description asks for. */
export function subsystemName(
  { subsystem, profiles = [] }: Pick<TestbedDescription, 'subsystem' | 'profiles'>,
  otherwise: string = DEFAULT_SUBSYSTEM,
): string {
  if (subsystem !== undefined) return subsystem;
  if (profiles.length === 0) return otherwise;
  const added = libraryOf({ profiles }).added('subsystem');
  if (added.length === 0)
    throw refusal(
      'profiles',
      profiles.map(({ file }) => file).join(', '),
      'a subsystem among them, or `subsystem`',
    );
  return added[added.length - 1];
}

/**
 * A subsystem with the settings of a run over its own; `registers: fixed` takes the repaired device.
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

/** The subsystem that a description asks for, its settings over the profile's. */
export function subsystemOf(
  description: Pick<TestbedDescription, 'subsystem' | 'profiles' | 'settings'>,
  otherwise?: string,
): Subsystem {
  const name = subsystemName(description, otherwise);
  return subsystemWith(name, description.settings ?? {}, libraryOf(description));
}

/** What a device can do at best, for the verdict. */
export function boundsOf({ device, fabric }: Pick<Subsystem, 'device' | 'fabric'>): DeviceBounds {
  const { constants } = device;
  const { linkGbps } = fabric.constants;
  return {
    lineRateGbps: linkGbps > 0 ? Math.min(constants.portGbps, linkGbps) : constants.portGbps,
    packetsPerSecond: constants.boundPacketsPerSecond,
    packetsPerSecondPerQp: constants.boundQpPacketsPerSecond,
    readsPerSecondPerQp: constants.boundQpReadsPerSecond,
  };
}
