import { type Plan, pathsByLink } from './plan.js';
import type { ProbeSweep } from './probe.js';

/** What sweeps cost a host that is swept again and again. */
export interface SweepLoad {
  /** Time between sweeps. */
  readonly everyNs: number;
  /** Share of the time in which a probe is in flight. */
  readonly timeShare: number;
  /** Share of what the busiest link can carry in one direction that probes take, and which link that is. */
  readonly busShare: number;
  readonly busiestLink: string;
  /** Mean rate of what probes read, and write, on the whole host. */
  readonly meanMbps: number;
  /** The largest median absolute deviation of a path's readings, relative to its median. */
  readonly latencyDeviation: number;
  readonly bandwidthDeviation: number;
}

/** Five minutes (Hostping §5). */
const EVERY_NS = 300e9;

/** The load of sweeps that are repeated at this interval. */
export function sweepLoad(plan: Plan, { readings, cost }: ProbeSweep, everyNs = EVERY_NS): SweepLoad {
  const probed = readings.flatMap((reading) => (reading === null || reading.gbps === null ? [] : [reading]));
  const bytesPerPath = probed.length === 0 ? 0 : cost.bytes / probed.length;
  let busShare = 0;
  let busiestLink = '';
  pathsByLink(plan).forEach((paths, link) => {
    const crossing = paths.filter((path) => readings[path]?.gbps != null).length;
    const { gbps, name, place } = plan.links[link];
    // A loopback reads and writes: once in each direction of a link, twice through the channels of a memory.
    const bits = 8 * crossing * bytesPerPath * (place === 'memory' ? 2 : 1);
    const share = bits / (gbps * everyNs);
    if (share <= busShare) return;
    busShare = share;
    busiestLink = name;
  });
  const most = (of: readonly number[]) => of.reduce((a, b) => Math.max(a, b), 0);
  return {
    everyNs,
    timeShare: cost.busyNs / everyNs,
    busShare,
    busiestLink,
    meanMbps: (8000 * cost.bytes) / everyNs,
    latencyDeviation: most(probed.map((each) => each.latencyDeviationNs / each.latencyNs!)),
    bandwidthDeviation: most(probed.map((each) => each.gbpsDeviation / each.gbps!)),
  };
}
