import { KelpieError } from '../../../error.js';
import type { ComparedHost, Plan, RunRecord } from '../../../jobs/ping/index.js';
import type { Report } from './report-schema.js';

/** Hosts that a collector knows at a time unless told otherwise. */
const MAX_HOSTS = 4096;
/** Runs of a host that are kept: an hour of idle ones. */
const MAX_RUNS = 12;

/** A host of the fleet. */
export class FleetHost {
  readonly name: string;
  readonly plan: Plan;
  /** When it was last heard of. */
  seenMs = 0;
  private newest: RunRecord | null = null;
  private newestFull: RunRecord | null = null;
  /** Runs before the newest as text, which takes a quarter of the memory. */
  private readonly older: string[] = [];

  constructor(name: string, plan: Plan) {
    this.name = name;
    this.plan = plan;
  }

  add(record: RunRecord, nowMs: number): void {
    if (this.newest !== null) this.older.push(JSON.stringify(this.newest));
    if (this.older.length >= MAX_RUNS) this.older.shift();
    this.newest = record;
    if (!record.paths.includes(null)) this.newestFull = record;
    this.seenMs = nowMs;
  }

  get runs(): number {
    return this.older.length + 1;
  }

  get last(): RunRecord {
    return this.newest!;
  }

  /** The last run that probed every path; null where there was none. */
  get lastFull(): RunRecord | null {
    return this.newestFull;
  }

  /** The oldest first. */
  get records(): readonly RunRecord[] {
    return [...this.older.map((text) => JSON.parse(text) as RunRecord), this.last];
  }
}

/**
 * What agents reported, in bounded memory: this many hosts, this many runs of each. A host that was silent longest makes no
 * room for a new one: a fleet does not forget its hosts because a stranger reports.
 */
export class Fleet {
  private readonly byName = new Map<string, FleetHost>();
  /** By their text. */
  private readonly plans = new Map<string, WeakRef<Plan>>();
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
    return this.hosts.flatMap(({ name, plan, lastFull }) =>
      lastFull === null ? [] : [{ name, plan, record: lastFull }],
    );
  }

  host(name: string): FleetHost | undefined {
    return this.byName.get(name);
  }

  /** Takes a report; a host whose plan changed begins anew. */
  take({ plan, record }: Report, nowMs: number): FleetHost {
    const name = record.host;
    const shared = this.shared(plan);
    let host = this.byName.get(name);
    if (host === undefined && this.byName.size >= this.maxHosts)
      throw new KelpieError('TOO_MANY_HOSTS', 'this collector has no room for another host', {
        ...{ field: 'host', given: name },
        allowed: `${this.maxHosts} hosts; --max-hosts sets how many`,
      });
    if (host?.plan !== shared) {
      host = new FleetHost(name, shared);
      this.byName.set(name, host);
    }
    host.add(record, nowMs);
    return host;
  }

  /** The plan that an equal one was first seen as: hosts alike have one plan in memory. */
  private shared(plan: Plan): Plan {
    const text = JSON.stringify(plan);
    const known = this.plans.get(text)?.deref();
    if (known !== undefined) return known;
    for (const [key, reference] of this.plans) if (reference.deref() === undefined) this.plans.delete(key);
    this.plans.set(text, new WeakRef(plan));
    return plan;
  }
}
