import type { Measurement, WorkloadInput } from '../../../workload/index.js';
import { isDiagnostic, type MovedCounter } from '../counters.js';

/** A counter over time. */
export interface CounterLine {
  /** `mtt_cache_miss of a`. */
  name: string;
  /** `units at once`: several parts stand still at once. */
  unit: 'M/s' | '% of the time' | 'units at once' | 'Gb/s';
  values: number[];
}

/** What is shown of a run over time. */
export interface EvidenceRun {
  /** The workload, as `kelpie run` takes it. */
  workload: WorkloadInput;
  /** Ends of the slices. */
  timeUs: number[];
  /** All tenants together, where it arrives. */
  goodputGbps: number[];
  /** Share of time in which each host told its peer to pause, in %. */
  pausePercent: Record<string, number[]>;
  /** The counters that moved most against clean workloads, each at the host where it moved most. */
  counters: CounterLine[];
  /** Over the measured time. */
  totalGbps: number;
  pauseRatio: number | null;
  symptom: Measurement['verdict']['symptom'];
}

/** What a run with a part of the device switched off or made faster proves. */
export interface VerifiedCause {
  /** The component that it is of; null where the change is of no single one. */
  component: string | null;
  /** `memory translations are always on chip (without translation-cache)`. */
  whatIf: string;
  /** The anomaly is gone; else the run is only faster. */
  clears: boolean;
  /** Messages per second over those of the anomaly. */
  faster: number;
  /** Other changes that clear it alone. */
  others: string[];
}

/** What a report shows of an anomaly beside what the search knows: runs of its reproducer, slice by slice. */
export interface AnomalyEvidence {
  /** Its place in the answer, from 0. */
  anomaly: number;
  seed: number;
  /** What the hosts can have, both ways together where data goes both ways; null where the device has no bound. */
  lineRateGbps: number | null;
  found: EvidenceRun;
  /** The same with the advice that gives the highest rate. */
  cleared: { text: string; run: EvidenceRun } | null;
  /** Null where no part could be switched off, or none made a difference. */
  cause: VerifiedCause | null;
}

const MOST_COUNTERS = 2;
const PS_PER_NS = 1000;
/** A run is kept with at most this many slices: more than a chart of a card shows. */
const MOST_SLICES = 100;

/** What a measurement says over time; `moved` are the counters of interest, most telling first. */
export function evidenceRun(
  workload: WorkloadInput,
  measurement: Measurement,
  moved: readonly MovedCounter[],
): EvidenceRun {
  const { series, total, pauseRatio, verdict } = measurement;
  const stretch = Math.max(1, Math.ceil(series.timeNs.length / MOST_SLICES));
  const ends = series.timeNs.filter((_, index) => (index + 1) % stretch === 0);
  const means = (values: readonly number[]) =>
    ends.map((_, index) => round(mean(values.slice(index * stretch, (index + 1) * stretch))));
  const tenants = Object.values(series.tenants).map(({ goodputGbps }) => goodputGbps);
  return {
    workload,
    timeUs: ends.map((timeNs) => timeNs / 1000),
    goodputGbps: means(
      series.timeNs.map((_, index) => tenants.reduce((sum, values) => sum + values[index], 0)),
    ),
    pausePercent: Object.fromEntries(
      Object.entries(series.hosts).flatMap(([host, { pauseRatio: shares }]) =>
        shares === null ? [] : [[host, means(shares.map((share) => 100 * share))]],
      ),
    ),
    counters: counterLines(measurement, moved, means),
    totalGbps: total.goodputGbps,
    pauseRatio,
    symptom: verdict.symptom,
  };
}

function counterLines(
  { series }: Measurement,
  moved: readonly MovedCounter[],
  means: (values: readonly number[]) => number[],
): CounterLine[] {
  const slicesNs = series.timeNs.map((timeNs, index) => timeNs - (series.timeNs[index - 1] ?? 0));
  // Pauses have a chart of their own, and a high-water mark is a level, not a rate.
  const shown = moved.filter(({ name }) => isDiagnostic(name) && !/pause|high_water/.test(name));
  const lines = shown.flatMap(({ name }): CounterLine[] => {
    const [most] = Object.entries(series.hosts)
      .flatMap(([host, { counters }]) =>
        counters[name] === undefined ? [] : [{ host, values: counters[name] }],
      )
      .sort((one, other) => sum(other.values) - sum(one.values));
    if (most === undefined) return [];
    const perNs = most.values.map((value, index) => value / slicesNs[index]);
    const { unit, factor } = unitOf(name, perNs);
    return [{ name: `${name} of ${most.host}`, unit, values: means(perNs.map((value) => value * factor)) }];
  });
  return lines.slice(0, MOST_COUNTERS);
}

/** Times are shares of the slice; several parts together can stand still for longer than it lasts. */
function unitOf(name: string, perNs: readonly number[]): { unit: CounterLine['unit']; factor: number } {
  if (name.endsWith('_bytes')) return { unit: 'Gb/s', factor: 8 };
  if (!name.endsWith('_ps')) return { unit: 'M/s', factor: 1000 };
  return perNs.every((value) => value <= PS_PER_NS * 1.001)
    ? { unit: '% of the time', factor: 100 / PS_PER_NS }
    : { unit: 'units at once', factor: 1 / PS_PER_NS };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
