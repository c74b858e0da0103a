import { findProfile, resolveHost } from '../../../../profiles/index.js';
import { type Plan, planOf } from '../../plan.js';
import type { LinkState } from '../link-health.js';
import type { RunRecord } from '../run-record.js';

/** The plan of a server by its profile. */
export function planNamed(host: string): Plan {
  return planOf(resolveHost(findProfile('host', host)));
}

/** A record as a healthy run leaves it, with changes. */
export function recordWith(plan: Plan, change: Partial<RunRecord> = {}): RunRecord {
  return {
    host: plan.host,
    atMs: 0,
    trigger: 'idle',
    why: 'the host is idle',
    paths: plan.paths.map(() => ({
      ...{ gbps: 210, gbpsDeviation: 1, latencyNs: 2500, latencyDeviationNs: 10 },
      ...{ state: 'normal' as const, late: false },
    })),
    links: plan.links.map((): LinkState => 'normal'),
    accusers: plan.links.map(() => 0),
    utilisation: plan.links.map(() => 0),
    flapping: [],
    findings: [],
    unjudged: [],
    cost: { probes: 960, bytes: 63e6, busyNs: 5.8e6, elapsedNs: 5.9e6 },
    settingsHash: '0123456789abcdef',
    version: '0.1.0',
    seed: 1,
    ...change,
  };
}
