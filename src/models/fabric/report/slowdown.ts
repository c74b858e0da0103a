import type { RunningFabric } from '../core/running-fabric.js';
import { idealNs } from '../ns3/output-files.js';

/** Percentiles of some numbers; null where there are too few for one. */
export interface Percentiles {
  readonly count: number;
  readonly mean: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number;
}

/** Slowdown of the flows of a range of sizes. */
export interface SizeRow {
  readonly fromBytes: number;
  readonly toBytes: number;
  readonly slowdown: Percentiles;
}

/** Completion times of a run: slowdown is the time over what the flow would take alone, at least 1. */
export interface CompletionReport {
  readonly flows: number;
  readonly finished: number;
  readonly completionNs: Percentiles | null;
  readonly slowdown: Percentiles | null;
  /** Flows in order of size, in groups of about equal number; those of one size are in one group. */
  readonly bySize: readonly SizeRow[];
}

/** A percentile says something about the largest values only if some lie above it. */
const LEAST_SAMPLES = { p50: 2, p95: 20, p99: 100 };
const GROUPS = 20;
/** A group has at least this many flows. */
const LEAST_GROUP = 10;

/** Summarises the flows that are done. */
export function completionReport(fabric: RunningFabric): CompletionReport {
  const { flows, finished } = fabric;
  if (finished.length === 0)
    return { flows: flows.count, finished: 0, completionNs: null, slowdown: null, bySize: [] };
  const times = finished.map((flow) => flows.endNs[flow] - flows.startNs[flow]);
  const slowdowns = finished.map((flow, index) => Math.max(1, times[index] / idealNs(fabric, flow)));
  const bySize = finished
    .map((flow, index) => ({ bytes: flows.sizeBytes[flow], slowdown: slowdowns[index] }))
    .sort((a, b) => a.bytes - b.bytes);
  const groups = Math.max(1, Math.min(GROUPS, Math.floor(bySize.length / LEAST_GROUP)));
  const rows: SizeRow[] = [];
  for (let group = 1, from = 0; group <= groups; group++) {
    let to = Math.floor((group * bySize.length) / groups);
    // Flows of one size stay together.
    while (to < bySize.length && bySize[to].bytes === bySize[to - 1].bytes) to++;
    if (to <= from) continue;
    const part = bySize.slice(from, to);
    rows.push({
      fromBytes: part[0].bytes,
      toBytes: part[part.length - 1].bytes,
      slowdown: percentilesOf(part.map(({ slowdown }) => slowdown)),
    });
    from = to;
  }
  return {
    flows: flows.count,
    finished: finished.length,
    completionNs: percentilesOf(times),
    slowdown: percentilesOf(slowdowns),
    bySize: rows,
  };
}

/** Percentiles by nearest rank. */
export function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const count = sorted.length;
  const at = (share: number, least: number): number | null =>
    count < least ? null : sorted[Math.min(count - 1, Math.ceil(share * count) - 1)];
  return {
    count,
    mean: sorted.reduce((sum, each) => sum + each, 0) / count,
    p50: at(0.5, LEAST_SAMPLES.p50),
    p95: at(0.95, LEAST_SAMPLES.p95),
    p99: at(0.99, LEAST_SAMPLES.p99),
    max: sorted[count - 1],
  };
}
