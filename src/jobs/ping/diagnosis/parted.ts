import type { Suspect } from '../localise/localisation.js';
import { leftGbps } from '../status.js';
import { THRESHOLDS } from '../thresholds.js';
import type { DiagnosisInput } from './diagnosis-input.js';

/**
 * A suspect with what further paths leave of its links. What a path carried is a lower bound of each of its links: more
 * than the suspect carries acquits them. A path that is slow itself accuses those that it crosses.
 */
export function parted(
  { plan, readings, baseline, second, utilisation = new Map(), thresholds = THRESHOLDS }: DiagnosisInput,
  suspect: Suspect,
): Suspect {
  const further = second?.apart ?? [];
  if (suspect.links.length < 2 || further.length === 0) return suspect;
  const carriedGbps =
    suspect.capacityGbps ?? Math.max(...suspect.paths.map((path) => readings[path]?.gbps ?? 0));
  let links = suspect.links;
  const keep = (wanted: (link: number) => boolean) => {
    const kept = links.filter(wanted);
    if (kept.length > 0) links = kept;
  };
  for (const { path, gbps } of further) {
    const crossing = plan.paths[path].links;
    const expectedGbps = Math.min(
      baseline.paths[path].gbps,
      leftGbps(plan, crossing, utilisation, thresholds),
    );
    if (gbps > (1 + thresholds.prediction) * carriedGbps) keep((link) => !crossing.includes(link));
    else if (gbps < (1 - thresholds.abnormal) * expectedGbps) keep((link) => crossing.includes(link));
  }
  return { ...suspect, links };
}
