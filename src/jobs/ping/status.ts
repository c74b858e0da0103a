import { type Plan, pathName } from './plan.js';
import { median, type Reading } from './reading.js';
import { THRESHOLDS, type Thresholds } from './thresholds.js';

/** What a path should give: from idle hosts of the same kind, or from the model of this one. */
export interface PathBaseline {
  readonly gbps: number;
  readonly latencyNs: number;
}

/** Baselines in the order of the plan's paths, and where they come from. */
export interface Baseline {
  readonly source: string;
  readonly paths: readonly PathBaseline[];
}

/**
 * `abnormal`: too slow. `normal`: as it should be. `failed`: no number could be had. `unjudged`: probes scatter too much,
 * or the path says nothing in this run (`why`).
 */
export interface PathStatus {
  readonly state: 'normal' | 'abnormal' | 'failed' | 'unjudged';
  readonly latencyAbnormal: boolean;
  /** Whether the RNIC reaches the endpoint at its best rate, by the baseline. Only such a path can acquit its links. */
  readonly affinitive: boolean;
  /** Reading over baseline; null where there is no reading. */
  readonly gbpsRatio: number | null;
  readonly latencyRatio: number | null;
  readonly why?: string;
}

/** The median of several hosts' readings, path by path. */
export function baselineOf(runs: readonly (readonly Reading[])[], source: string): Baseline {
  const paths = (runs[0] ?? []).map((_, path) => {
    const good = runs.map((run) => run[path]).filter(({ gbps }) => gbps !== null);
    return {
      gbps: median(good.map(({ gbps }) => gbps!)),
      latencyNs: median(good.map(({ latencyNs }) => latencyNs!)),
    };
  });
  return { source, paths };
}

/**
 * Whether each path is affinitive: at least 0.95 of the best that its RNIC has (Hostping §4.3 footnote 5: measured, never
 * assumed).
 */
export function affinities(
  plan: Plan,
  baseline: Baseline,
  { affinitive }: Thresholds = THRESHOLDS,
): boolean[] {
  const best = new Map<string, number>();
  plan.paths.forEach(({ rnic }, path) => {
    best.set(rnic, Math.max(best.get(rnic) ?? 0, baseline.paths[path].gbps));
  });
  return plan.paths.map(({ rnic }, path) => baseline.paths[path].gbps >= affinitive * best.get(rnic)!);
}

/** How the paths of a host stand. A path without a reading in this run (null) was not probed. */
export interface StatusOptions {
  readonly thresholds?: Thresholds;
  /** RNICs that carry service traffic: their paths are held against each other, not against a baseline (§4.3). */
  readonly busyRnics?: ReadonlySet<string>;
  /** Use of each link of the plan, 0 to 1, where it is known: on a busy host a path gets what others leave (ours). */
  readonly utilisation?: ReadonlyMap<number, number>;
}

/** Judges every path of a run. */
export function statusesOf(
  plan: Plan,
  readings: readonly (Reading | null)[],
  baseline: Baseline,
  { thresholds = THRESHOLDS, busyRnics = new Set(), utilisation = new Map() }: StatusOptions = {},
): PathStatus[] {
  const affine = affinities(plan, baseline, thresholds);
  const underBusy = linksBelow(plan, busyRnics);
  const peers = new Map<string, number[]>();
  plan.paths.forEach(({ rnic }, path) => {
    const gbps = readings[path]?.gbps ?? null;
    if (!affine[path] || gbps === null) return;
    peers.set(rnic, [...(peers.get(rnic) ?? []), gbps]);
  });
  return plan.paths.map(({ rnic }, path) => {
    const reading = readings[path];
    const affinitive = affine[path];
    if (reading === null) return unjudged(affinitive, 'not probed in this run');
    if (reading.gbps === null || reading.latencyNs === null) {
      const why = reading.failure ?? 'no reading';
      return {
        state: 'failed',
        latencyAbnormal: false,
        affinitive,
        gbpsRatio: null,
        latencyRatio: null,
        why,
      };
    }
    const expected = baseline.paths[path];
    const gbpsRatio = reading.gbps / expected.gbps;
    const latencyRatio = reading.latencyNs / expected.latencyNs;
    const busy = busyRnics.has(rnic);
    // Service traffic of another RNIC below the same root port would look like a fault (§4.3).
    if (!busy && plan.paths[path].links.some((link) => underBusy.has(link)))
      return {
        ...unjudged(affinitive, 'a link on the way carries service traffic of another RNIC'),
        gbpsRatio,
        latencyRatio,
      };
    // On a busy RNIC absolute figures mean nothing; the paths to its affinitive endpoints should be equal.
    const best = busy ? Math.max(...(peers.get(rnic) ?? [reading.gbps])) : expected.gbps;
    const measure =
      busyRnics.size === 0
        ? best
        : Math.min(best, leftGbps(plan, plan.paths[path].links, utilisation, thresholds));
    if (busy && !affinitive)
      return {
        ...unjudged(false, 'a busy RNIC is judged by its affinitive paths alone'),
        gbpsRatio,
        latencyRatio,
      };
    const abnormal = reading.gbps < (1 - thresholds.abnormal) * measure;
    // Spread beyond half of the threshold: the median could as well lie on the other side.
    if (
      !busy &&
      reading.gbpsDeviation > (thresholds.abnormal / 2) * measure &&
      nearLimit(reading, measure, thresholds)
    )
      return {
        ...unjudged(affinitive, `probes of ${pathName(plan.paths[path])} scatter too much`),
        // Rates that scatter excuse no latency that is beyond its own scatter.
        latencyAbnormal: isSlow(reading, expected, thresholds),
        gbpsRatio,
        latencyRatio,
      };
    return {
      // Nothing that a busy RNIC sees is proof of health.
      state: abnormal ? 'abnormal' : busy ? 'unjudged' : 'normal',
      latencyAbnormal: !busy && latencyRatio > 1 + thresholds.abnormal,
      affinitive,
      gbpsRatio,
      latencyRatio,
      ...(busy && !abnormal ? { why: 'a busy RNIC proves no link healthy' } : {}),
    };
  });
}

function nearLimit({ gbps, gbpsDeviation }: Reading, measure: number, { abnormal }: Thresholds): boolean {
  return Math.abs(gbps! - (1 - abnormal) * measure) < 2 * gbpsDeviation;
}

/** Whether the latency is too high, by more than twice what this many samples of its deviation can be off. */
function isSlow(
  { latencyNs, latencyDeviationNs, samples }: Reading,
  expected: PathBaseline,
  { abnormal }: Thresholds,
): boolean {
  const errorNs = latencyDeviationNs / Math.sqrt(samples);
  return latencyNs! - 2 * errorNs > (1 + abnormal) * expected.latencyNs;
}

function unjudged(affinitive: boolean, why: string): PathStatus {
  return { state: 'unjudged', latencyAbnormal: false, affinitive, gbpsRatio: null, latencyRatio: null, why };
}

/** The PCIe links below the root ports of RNICs, with the root ports themselves. */
function linksBelow(plan: Plan, rnics: ReadonlySet<string>): ReadonlySet<number> {
  const found = new Set<number>();
  const processors = new Set(
    plan.links
      .filter(({ place }) => place === 'memory' || place === 'inter-socket')
      .flatMap(({ ends }) => ends),
  );
  const parts = [...rnics];
  // Parts that are joined by PCIe without a processor between them are below one root port.
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    for (let link = 0; link < plan.links.length; link++) {
      const { ends } = plan.links[link];
      if (!ends.includes(part) || found.has(link)) continue;
      found.add(link);
      for (const end of ends) if (end !== part && !processors.has(end)) parts.push(end);
    }
  }
  return found;
}

/**
 * What traffic of others leaves to a loopback on a way. A link beyond what counts as overloaded excuses nothing: that is
 * to be found.
 */
export function leftGbps(
  plan: Plan,
  links: readonly number[],
  utilisation: ReadonlyMap<number, number>,
  { overloaded }: Thresholds,
): number {
  return Math.min(
    ...links.map((link) => {
      const { gbps, place } = plan.links[link];
      const used = utilisation.get(link) ?? 0;
      // A loopback reads and writes: both cross the channels of a memory.
      const asked = place === 'memory' ? 2 : 1;
      return used > overloaded ? Number.POSITIVE_INFINITY : ((1 - used) * gbps) / asked;
    }),
  );
}
