import { type Baseline, leftGbps, type PathStatus } from '../status.js';
import { THRESHOLDS } from '../thresholds.js';
import type { DiagnosisInput } from './diagnosis-input.js';
import { type Finding, finding } from './finding.js';

/**
 * What the capacity localiser may go by on a busy host: what a path carried is a lower bound of its links even beside
 * service traffic, the best affinitive path of a busy RNIC is what its others should give, and no path gives more than
 * the traffic of others leaves on its links.
 */
export function asCapacities(
  { plan, readings, baseline, busyRnics = new Set(), utilisation = new Map(), ...rest }: DiagnosisInput,
  statuses: readonly PathStatus[],
): { statuses: readonly PathStatus[]; baseline: Baseline } {
  if (busyRnics.size === 0) return { statuses, baseline };
  const { thresholds = THRESHOLDS } = rest;
  const isBusy = (path: number) => busyRnics.has(plan.paths[path].rnic) && statuses[path].affinitive;
  const best = new Map<string, number>();
  plan.paths.forEach(({ rnic }, path) => {
    const gbps = readings[path]?.gbps ?? 0;
    if (isBusy(path)) best.set(rnic, Math.max(gbps, best.get(rnic) ?? 0));
  });
  return {
    statuses: statuses.map((status, path) =>
      isBusy(path) && status.state === 'unjudged' && readings[path]?.gbps != null
        ? { ...status, state: 'normal' }
        : status,
    ),
    baseline: {
      ...baseline,
      paths: baseline.paths.map((each, path) => {
        const { rnic, links } = plan.paths[path];
        const gbps = isBusy(path) ? best.get(rnic)! : each.gbps;
        return { ...each, gbps: Math.min(gbps, leftGbps(plan, links, utilisation, thresholds)) };
      }),
    },
  };
}

/** RNICs whose own link is in use beyond what counts, though no path of theirs is slower than the others (§4.3, busy). */
export function fullRnics(
  { plan, utilisation = new Map(), thresholds = THRESHOLDS }: DiagnosisInput,
  seen: readonly Finding[],
): Finding[] {
  return plan.links.flatMap(({ name, place }, link) => {
    const used = utilisation.get(link) ?? 0;
    if (place !== 'rnic' || used <= thresholds.overloaded) return [];
    if (seen.some(({ links }) => links.includes(name))) return [];
    return [
      finding('load-loopback', {
        links: [name],
        alternatives: [],
        certainty: 'verified',
        evidence: [
          'no path over it is slower than the others',
          `${(100 * used).toFixed(0)} % of it is in use`,
        ],
        tellApart: [],
      }),
    ];
  });
}

/** RNICs that pause their peers although no path of the host is slow: it lies in the RNIC or in the network. */
export function pausesAlone(
  { plan, pauses = new Map(), thresholds = THRESHOLDS }: DiagnosisInput,
  seen: readonly Finding[],
): Finding[] {
  if (seen.length > 0) return [];
  return plan.rnics.flatMap((rnic) => {
    const share = pauses.get(rnic) ?? 0;
    if (share <= thresholds.pauseAlarm) return [];
    return [
      finding('rnic-buffer', {
        links: [],
        alternatives: [],
        certainty: 'suspected',
        evidence: [
          `${rnic} paused its peer for ${(100 * share).toFixed(1)} % of the time`,
          'no path of the host is slow: no link of it is to blame',
        ],
        tellApart: [`compare the buffer settings of ${rnic} with those of a healthy host`],
      }),
    ];
  });
}
