import type { PartSettings } from '../../../models/index.js';
import { VERSION } from '../../../version.js';
import type { Diagnosis } from '../diagnosis/diagnose.js';
import type { Finding } from '../diagnosis/finding.js';
import type { Plan } from '../plan.js';
import type { ProbeCost, ProbeSweep } from '../probe.js';
import type { PathStatus } from '../status.js';
import { type LinkState, linkStatesOf } from './link-health.js';
import type { Trigger } from './monitor.js';

/** A path in a run. */
export interface PathRecord {
  /** Null where there is no reading; with the median absolute deviations over the repetitions. */
  readonly gbps: number | null;
  readonly gbpsDeviation: number;
  readonly latencyNs: number | null;
  readonly latencyDeviationNs: number;
  readonly state: PathStatus['state'];
  readonly late: boolean;
  readonly why?: string;
}

/** All that one run collected and deduced: plain data, for a store, a collector or a page. */
export interface RunRecord {
  readonly host: string;
  readonly atMs: number;
  readonly trigger: Trigger;
  readonly why: string;
  /** In the order of the plan's paths; null where the path was not probed. */
  readonly paths: readonly (PathRecord | null)[];
  /** In the order of the plan's links. */
  readonly links: readonly LinkState[];
  /** How many RNICs accuse each link, by the paper's algorithm. */
  readonly accusers: readonly number[];
  /** Use of each link without probes, 0 to 1; null where it is not known. */
  readonly utilisation: readonly (number | null)[];
  /** Links that come and go, by name. */
  readonly flapping: readonly string[];
  readonly findings: readonly Finding[];
  readonly unjudged: readonly string[];
  readonly cost: ProbeCost;
  /** Of the settings that were read: two runs with the same hash ran on the same configuration. */
  readonly settingsHash: string;
  readonly version: string;
  readonly seed: number;
}

/** What a record is made of. */
export interface RunInput {
  readonly host: string;
  readonly plan: Plan;
  readonly atMs: number;
  readonly trigger: Trigger;
  readonly why: string;
  readonly sweep: ProbeSweep;
  readonly statuses: readonly PathStatus[];
  readonly diagnosis: Diagnosis;
  /** By link of the plan. */
  readonly utilisation: ReadonlyMap<number, number>;
  readonly settings: readonly PartSettings[];
  readonly seed: number;
}

/** The record of a run by itself: what its history adds is put in by the agent. */
export function recordOf(input: RunInput): RunRecord {
  const { host, plan, atMs, trigger, why, sweep, statuses, diagnosis, utilisation, settings, seed } = input;
  const accusers = plan.links.map(() => 0);
  for (const suspect of diagnosis.binary.suspects)
    for (const link of suspect.links) accusers[link] = suspect.accusers.length;
  return {
    ...{ host, atMs, trigger, why },
    paths: plan.paths.map((_, path) => {
      const reading = sweep.readings[path];
      if (reading === null) return null;
      const { state, latencyAbnormal, why: reason } = statuses[path];
      return {
        gbps: rounded(reading.gbps, 100),
        gbpsDeviation: rounded(reading.gbpsDeviation, 100),
        latencyNs: rounded(reading.latencyNs, 10),
        latencyDeviationNs: rounded(reading.latencyDeviationNs, 10),
        state,
        late: latencyAbnormal,
        ...(reason === undefined ? {} : { why: reason }),
      };
    }),
    links: linkStatesOf(plan, statuses, diagnosis),
    accusers,
    utilisation: plan.links.map((_, link) => rounded(utilisation.get(link) ?? null, 1000)),
    flapping: [],
    findings: diagnosis.findings,
    unjudged: diagnosis.unjudged,
    cost: sweep.cost,
    settingsHash: settingsHash(settings),
    version: VERSION,
    seed,
  };
}

/**
 * A hash of settings: FNV-1a of 64 bits over their parts and fields in order. It tells configurations apart; it is no
 * protection against somebody who makes two of them alike.
 */
export function settingsHash(settings: readonly PartSettings[]): string {
  const lines = settings.map((part) =>
    JSON.stringify(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))),
  );
  let hash = 0xcbf29ce484222325n;
  for (const letter of lines.sort().join('\n'))
    hash = BigInt.asUintN(64, (hash ^ BigInt(letter.codePointAt(0)!)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

/** Fewer digits than a double has, and more than a probe is worth: a year of runs is kept. */
function rounded<Value extends number | null>(value: Value, perUnit: number): Value {
  return (value === null ? null : Math.round((value as number) * perUnit) / perUnit) as Value;
}
