import type { Localisation } from '../localise/localisation.js';
import { localiseBinary } from '../localise/localise-binary.js';
import { localiseCapacity } from '../localise/localise-capacity.js';
import { pathName } from '../plan.js';
import type { PathStatus } from '../status.js';
import { THRESHOLDS } from '../thresholds.js';
import { asCapacities, fullRnics, pausesAlone } from './busy-host.js';
import { deadEndpoints } from './dead-endpoints.js';
import type { DiagnosisInput } from './diagnosis-input.js';
import type { Finding } from './finding.js';
import { lateLink } from './late-link.js';
import { lateAnswers, lateFinding } from './lateness.js';
import { redirectedPaths, redirections } from './redirections.js';
import { settingsAlone } from './settings-alone.js';
import { slowLinks } from './slow-links.js';

/** A diagnosis of one sweep. */
export interface Diagnosis {
  readonly findings: readonly Finding[];
  readonly binary: Localisation;
  readonly capacity: Localisation;
  /** What could not be judged, and why. */
  readonly unjudged: readonly string[];
}

/** Says what is wrong with a host, where and why, out of one sweep (Hostping §4.3, with what its rules leave open). */
export function diagnose(input: DiagnosisInput): Diagnosis {
  const { plan, readings, statuses, baseline, thresholds = THRESHOLDS } = input;
  const seemsLate = lateLink(plan, readings, statuses, baseline);
  const turned = redirectedPaths(input, seemsLate);
  const late = seemsLate?.paths.every((path) => turned.has(path)) ? null : seemsLate;
  // Peer traffic that goes the long way is slow by its way, not by a link: its paths accuse nobody.
  const remaining = statuses.map(
    (status, path): PathStatus =>
      turned.has(path)
        ? explained(status, 'peer traffic takes the way through the root complex')
        : late?.paths.includes(path)
          ? explained(status, 'late by a link that is late')
          : status,
  );
  const binary = localiseBinary(plan, remaining);
  const expected = asCapacities(input, remaining);
  const capacity = localiseCapacity(plan, expected.statuses, readings, expected.baseline, thresholds);
  const seen: Finding[] = [
    ...deadEndpoints(input),
    ...redirections(input, turned),
    ...(late === null ? [] : [lateFinding(input, late)]),
    ...slowLinks(input, remaining, binary, capacity),
    ...lateAnswers(input, remaining),
  ];
  seen.push(...fullRnics(input, seen), ...pausesAlone(input, seen));
  const findings = [...seen, ...settingsAlone(input, seen)];
  const unjudged = plan.paths.flatMap((path, index) => {
    const { state, why } = statuses[index];
    return state === 'unjudged' && why !== 'not probed in this run' ? [`${pathName(path)}: ${why}`] : [];
  });
  return { findings, binary, capacity, unjudged };
}

/** A path that has its cause accuses nobody else. */
function explained(status: PathStatus, why: string): PathStatus {
  return { ...status, state: 'unjudged', latencyAbnormal: false, why };
}
