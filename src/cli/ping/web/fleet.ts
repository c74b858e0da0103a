import { KelpieError } from '../../../error.js';
import type { ComparedHost, Plan, RunRecord } from '../../../jobs/ping/index.js';
import type { Report } from './report-schema.js';

/** A host of the fleet. */
export interface FleetHost {
  readonly name: string;
  plan: Plan;
  /** The last runs, the oldest first. */
  records: RunRecord[];
  /** When it was last heard of. */
  seenMs: number;
}

/** Hosts that a collector knows at a time unless told otherwise. */
const MAX_HOSTS = 4096;
/** Runs of a host that are kept: two hours of idle ones. */
const MAX_RUNS = 24;

/**
 * What agents reported, in bounded memory: so many hosts, so many runs of each. A host that was silent longest makes no
 * room for a new one: a fleet does not forget its hosts because a stranger reports.
 */
export class Fleet {
  private readonly byName = new Map<string, FleetHost>();
  private readonly maxHosts: number;

  constructor(maxHosts = MAX_HOSTS) {
    this.maxHosts = maxHosts;
  }

  /** By name. */
  get hosts(): readonly FleetHost[] {
    return [...this.byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Hosts with the last run that probed all their paths. */
  get compared(): readonly ComparedHost[] {
    return this.hosts.flatMap(({ name, plan, records }) => {
      const record = records.findLast(({ paths }) => !paths.includes(null));
      return record === undefined ? [] : [{ name, plan, record }];
    });
  }

  host(name: string): FleetHost | undefined {
    return this.byName.get(name);
  }

  /** Takes a report; a host whose plan changed begins anew. */
  take({ plan, record }: Report, nowMs: number): FleetHost {
    const name = record.host;
    let host = this.byName.get(name);
    if (host === undefined) {
      if (this.byName.size >= this.maxHosts)
        throw new KelpieError('TOO_MANY_HOSTS', 'this collector has as many hosts as it takes', {
          ...{ field: 'host', given: name },
          allowed: `${this.maxHosts} hosts; --max-hosts sets how many`,
        });
      host = { name, plan, records: [], seenMs: nowMs };
      this.byName.set(name, host);
    }
    if (JSON.stringify(host.plan) !== JSON.stringify(plan)) {
      host.plan = plan;
      host.records = [];
    }
    host.records.push(record);
    if (host.records.length > MAX_RUNS) host.records.shift();
    host.seenMs = nowMs;
    return host;
  }
}
