import type { ProfileLibrary } from '../../src/profiles/index.js';

/** A device, and a subsystem that has it. */
export interface CurveDevice {
  device: string;
  subsystem: string;
  /** The subsystem as a profile of its own, where none that is shipped has the device. */
  profile?: string;
}

/** What a paper or a public table was measured on, where several subsystems have the device. */
const USUAL: Readonly<Record<string, string>> = {
  'connectx-6-200g': 'collie-f',
  'connectx-6-100g': 'srnic',
  'connectx-5-100g': 'husky',
};
/** Hosts and fabric for a device that no subsystem has. */
const PLAIN = 'irn';

/** Every device of a library with a subsystem to measure it on. */
export function curveDevices(library: ProfileLibrary): CurveDevice[] {
  const subsystems = library.list('subsystem');
  return library.list('device').map((device): CurveDevice => {
    const usual = USUAL[device];
    const own = usual ?? subsystems.find((name) => library.find('subsystem', name).device === device);
    if (own !== undefined) return { device, subsystem: own };
    const subsystem = `${PLAIN}-with-${device}`;
    const fields = { profile: 'subsystem', name: subsystem, extends: PLAIN, title: subsystem, device };
    return { device, subsystem, profile: JSON.stringify(fields) };
  });
}
