import { diagnoseMesh, MESH_PROBES, type MeshCell, median } from '../ping/index.js';
import type { TaskRecord } from './archive.js';
import { WAY_MARK, wayOf } from './way.js';

/** A way between two hosts as it was measured: medians over the seeds. */
export interface RackWay {
  readonly from: string;
  readonly to: string;
  /** A small WRITE there and back, and the rate of large ones; null where there is none. */
  readonly us: number | null;
  readonly gbps: number | null;
  /** Why there is none. */
  readonly failure?: string;
}

/** A host, or a way, that stands out among the others. */
export interface RackFinding {
  readonly kind: 'unreachable' | 'slow-host' | 'slow-pair';
  /** The host, or the one that probes and the one that is written to. */
  readonly hosts: readonly string[];
  readonly evidence: readonly string[];
  readonly advice: string;
}

/** How hosts reach each other. */
export interface RackSummary {
  readonly hosts: readonly string[];
  readonly ways: readonly RackWay[];
  readonly findings: readonly RackFinding[];
}

const KINDS = { unreachable: 'unreachable', 'slow-process': 'slow-host', 'slow-pair': 'slow-pair' } as const;
const ADVICE = {
  unreachable:
    'Look whether the host is up, whether its firewall lets UDP port 4791 in, and whether the --address of its worker is one that others reach.',
  'slow-host': "Look at the host's link (speed, errors, drops), at its load and at its cgroup.",
  'slow-pair':
    'Look at what lies between the two alone: routes, a member of a bundle of links, filters, packets that are sent again.',
} as const;
/** Times of a way from all seeds. */
interface Times {
  readonly smallNs: number[];
  readonly largeNs: number[];
  failure?: string;
}
const NOT_PROBED: MeshCell = { smallNs: [], largeNs: [] };

/**
 * Looks at the ways of a campaign side by side: each is held against the others, as `kelpie ping --provider software` does
 * with processes, so that what slows all of them alike is not seen.
 */
export class Rack {
  private readonly ways = new Map<string, Times>();
  private readonly hosts = new Set<string>();
  private found: readonly RackFinding[] | null = null;

  /** Takes a result into account; those that are about no way only name their host. */
  add({ point, outcome }: TaskRecord): void {
    const way = wayOf(point);
    if (way === null) {
      this.hosts.add(String(point['host']));
      return;
    }
    for (const host of [way.from, way.to]) this.hosts.add(host);
    const times = this.ways.get(String(point['host'])) ?? { smallNs: [], largeNs: [] };
    this.ways.set(String(point['host']), times);
    if (outcome.kind !== 'measured') {
      times.failure = outcome.reason;
      return;
    }
    const { wayUs, wayGbps } = outcome.metrics;
    times.smallNs.push(wayUs! * 1000);
    times.largeNs.push((8 * MESH_PROBES.largeBytes) / wayGbps!);
  }

  summary(): RackSummary {
    return {
      hosts: [...this.hosts],
      ways: [...this.ways].map(([host, { smallNs, largeNs, failure }]): RackWay => {
        const { from, to } = wayOf({ host })!;
        if (smallNs.length === 0)
          return { from, to, us: null, gbps: null, ...(failure === undefined ? {} : { failure }) };
        return {
          ...{ from, to, us: median(smallNs) / 1000 },
          gbps: (8 * MESH_PROBES.largeBytes) / median(largeNs),
        };
      }),
      findings: this.findings(),
    };
  }

  /** A result with what was found of its host, or of its way, beside the others. */
  judged(record: TaskRecord): TaskRecord {
    const { outcome, point } = record;
    if (outcome.kind !== 'measured') return record;
    const name = String(point['host']);
    const more = this.findings().filter(({ kind, hosts }) =>
      kind === 'slow-pair' ? hosts.join(WAY_MARK) === name : hosts.includes(name),
    ).length;
    if (more === 0) return record;
    const metrics = { ...outcome.metrics, findings: (outcome.metrics['findings'] ?? 0) + more };
    return { ...record, outcome: { ...outcome, metrics, found: true } };
  }

  private findings(): readonly RackFinding[] {
    this.found ??= this.diagnose();
    return this.found;
  }

  private diagnose(): RackFinding[] {
    const names = [...this.hosts];
    const cells = names.map((from) => names.map((to) => this.cell(`${from}${WAY_MARK}${to}`)));
    return diagnoseMesh({ names, cells }).map(({ kind, processes, evidence }): RackFinding => {
      const named = KINDS[kind];
      return { kind: named, hosts: processes, evidence, advice: ADVICE[named] };
    });
  }

  /** One that failed with some seeds and not with others has times: what was given up is listed by itself. */
  private cell(way: string): MeshCell {
    const times = this.ways.get(way);
    if (times === undefined) return NOT_PROBED;
    const { smallNs, largeNs, failure } = times;
    return { smallNs, largeNs, ...(smallNs.length > 0 || failure === undefined ? {} : { failure }) };
  }
}
