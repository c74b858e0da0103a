import { type Plan, pathName } from '../plan.js';
import { median } from '../reading.js';
import { THRESHOLDS, type Thresholds } from '../thresholds.js';
import type { RunRecord } from './run-record.js';

/** A host with a run of every path. */
export interface ComparedHost {
  readonly name: string;
  readonly plan: Plan;
  readonly record: RunRecord;
}

/** Hosts alike: the same links and the same settings. */
export interface EqualHosts {
  readonly hosts: readonly string[];
  /** In the order of the plan's paths: the medians, which could be their baseline; null where no host has a reading. */
  readonly paths: readonly { readonly gbps: number | null; readonly latencyNs: number | null }[];
  /** Hosts with paths that are significantly slower or later than those of the others, with these paths. */
  readonly outliers: ReadonlyMap<string, readonly string[]>;
}

/** Fewer hosts than this say nothing about what is usual. */
const FEWEST_HOSTS = 5;

/**
 * Compares hosts with their equals, where there are five at least: what the median of them gives is what one of them
 * should give (Hostping §4.3: baselines come from idle hosts with the same devices and settings).
 *
 * @example
 * for (const { hosts, outliers } of equalHosts(fleet)) console.log(hosts.length, outliers);
 */
export function equalHosts(
  compared: readonly ComparedHost[],
  { abnormal }: Thresholds = THRESHOLDS,
): EqualHosts[] {
  const groups = new Map<string, ComparedHost[]>();
  for (const host of compared) {
    if (host.record.paths.includes(null)) continue;
    const signature = `${host.record.settingsHash} ${JSON.stringify(host.plan)}`;
    const group = groups.get(signature);
    if (group === undefined) groups.set(signature, [host]);
    else group.push(host);
  }
  return [...groups.values()]
    .filter((group) => group.length >= FEWEST_HOSTS)
    .map((group) => {
      const [{ plan }] = group;
      const paths = plan.paths.map((_, path) => {
        const read = group.map(({ record }) => record.paths[path]!);
        return {
          gbps: middle(read.map(({ gbps }) => gbps)),
          latencyNs: middle(read.map((each) => each.latencyNs)),
        };
      });
      const outliers = new Map<string, string[]>();
      for (const { name, record } of group) {
        const off = plan.paths.filter((_, path) => {
          const { gbps, latencyNs } = record.paths[path]!;
          const usual = paths[path];
          const isSlow = gbps !== null && usual.gbps !== null && gbps < (1 - abnormal) * usual.gbps;
          const isLate =
            latencyNs !== null && usual.latencyNs !== null && latencyNs > (1 + abnormal) * usual.latencyNs;
          return isSlow || isLate;
        });
        if (off.length > 0) outliers.set(name, off.map(pathName));
      }
      return { hosts: group.map(({ name }) => name), paths, outliers };
    });
}

function middle(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}
