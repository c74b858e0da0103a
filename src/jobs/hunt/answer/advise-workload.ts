import type { Tenant, Workload } from '../../../workload/index.js';
import { type Feature, meets, meetsAll, showFeature } from '../reduce/feature.js';
import type { Point } from '../space/point.js';
import { pointOf } from '../space/point-workload.js';
import type { Anomaly } from './answer.js';

/** What of an anomaly's set a workload has, and what keeps it away. */
export interface Nearness {
  anomaly: Anomaly;
  tenant: string;
  /** `meets`: all conditions hold; `one step`: one does not. */
  state: 'meets' | 'one step';
  met: string[];
  /** The condition that does not hold. */
  missing: string | null;
  /** What to change, or not to change. */
  advice: string[];
}

/**
 * Compares a workload with the anomalies that a subsystem is known to have (Collie §5.2, debugging): those whose sets a
 * tenant meets first, then those that are one step away.
 *
 * @example
 * const near = compareWorkload(parseWorkload(text, file), answer.anomalies, 'memory0');
 */
export function compareWorkload(
  workload: Workload,
  anomalies: readonly Anomaly[],
  usualPlace: string,
): Nearness[] {
  const order = ({ state }: Nearness) => (state === 'meets' ? 0 : 1);
  const found = workload.tenants.flatMap((tenant) =>
    anomalies.flatMap((anomaly) =>
      // An anomaly is as near as the nearest of its sights.
      [anomaly.set, ...(anomaly.corners ?? []).map(({ set }) => set)]
        .flatMap((set) => nearnessOf(tenant, anomaly, set, usualPlace) ?? [])
        .sort((one, other) => order(one) - order(other))
        .slice(0, 1),
    ),
  );
  return found.sort(
    (one, other) => order(one) - order(other) || other.anomaly.severity - one.anomaly.severity,
  );
}

function nearnessOf(
  tenant: Tenant,
  anomaly: Anomaly,
  set: readonly Feature[],
  usualPlace: string,
): Nearness | null {
  const point = pointOf(tenant, usualPlace);
  const missing = set.filter((feature) => !meets(point, feature));
  // One step from a set of one condition says nothing: every workload is.
  if (missing.length > 1 || set.length === 0 || (missing.length === 1 && set.length < 2)) return null;
  const met = set.filter((feature) => !missing.includes(feature)).map(showFeature);
  const state = missing.length === 0 ? 'meets' : 'one step';
  return {
    anomaly,
    tenant: tenant.name,
    state,
    met,
    missing: missing.length === 0 ? null : showFeature(missing[0]),
    advice: state === 'meets' ? breaking(anomaly, set, point) : [`stay away from ${showFeature(missing[0])}`],
  };
}

/**
 * Verified changes, those that lead out of this sight of the anomaly too; else the conditions themselves say what to break.
 */
function breaking({ advice }: Anomaly, set: readonly Feature[], point: Point): string[] {
  const clearing = advice.filter(
    ({ dimension, change }) => dimension === 'settings' || !meetsAll({ ...point, ...change }, set),
  );
  if (clearing.length > 0) return clearing.map(({ text }) => text);
  return set.map((feature) => `break ${showFeature(feature)}`);
}
