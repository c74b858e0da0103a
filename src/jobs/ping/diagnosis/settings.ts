import type { PartSettings } from '../../../models/index.js';
import { faultKinds } from '../faults/catalogue.js';
import type { Admission } from './diagnosis-input.js';

const MORE_IS_WORSE = new Set(['replays', 'coreWakeNs']);

/**
 * What the settings of a host admit to: those that differ from a healthy host of the same kind. Latencies and memories
 * have no setting, so nothing is said about them.
 */
export function admissionsOf(
  read: readonly PartSettings[],
  healthy: readonly PartSettings[],
): readonly Admission[] {
  return read.flatMap((settings) => {
    const usual = healthy.find(({ part }) => part === settings.part);
    return faultKinds.flatMap(({ id, setting, admittedBy }): Admission[] => {
      if (setting === null || usual === undefined) return [];
      const now = settings[setting];
      const before = usual[setting];
      if (!isWorse(setting, now, before)) return [];
      const detail = `${settings.part}: ${admittedBy} (${setting} is ${now}, ${before} on a healthy host)`;
      return [{ part: settings.part, fault: id, detail }];
    });
  });
}

/** Wider links and larger payloads than usual are no fault; packets that were sent again and longer sleep are. */
function isWorse(setting: string, now: unknown, before: unknown): boolean {
  if (typeof now !== 'number' || typeof before !== 'number') return now !== before;
  return MORE_IS_WORSE.has(setting) ? now > before : now < before;
}
