import type { Bench } from '../bench.js';
import { figures } from '../check.js';
import { collieWorkload, subsystemOf, withChange } from '../rows/collie/workload.js';
import { collieTargets } from '../targets/collie.js';
import type { CollieParameter, CollieTarget } from '../targets/target.js';

/** Parameters whose response is drawn. */
const SWEPT = ['batch', 'wq', 'qps', 'mrs', 'sge', 'mtu'] as const;
const MTUS = [256, 512, 1024, 2048, 4096] as const;
const ELEMENTS = [1, 2, 3, 4, 6, 8] as const;
/** Steps between the break and the trigger; a sweep goes one beyond. */
const STEPS = 4;
/** Points more where the response is steepest. */
const FINER = 4;

/** One parameter of one trigger, from where it is clean to beyond where it is not. */
export interface ParameterSweep {
  /** `C1 batch`. */
  id: string;
  row: string;
  parameter: CollieParameter;
  values: readonly number[];
}

/** Thresholds that Collie's Table 2 gives and no break of a row names: the posts and queues at which a row fades. */
const FURTHER: readonly ParameterSweep[] = [
  { id: 'C2 batch', row: 'C2', parameter: 'batch', values: [1, 4, 8, 12, 16, 24, 32] },
  { id: 'C6 batch', row: 'C6', parameter: 'batch', values: [1, 4, 8, 12, 16, 24, 32] },
  { id: 'C7 wq', row: 'C7', parameter: 'wq', values: [8, 16, 32, 64, 128] },
  { id: 'C8 batch', row: 'C8', parameter: 'batch', values: [1, 2, 4, 8, 16, 32] },
  { id: 'C16 batch', row: 'C16', parameter: 'batch', values: [1, 2, 4, 8, 16, 32] },
  { id: 'C17 batch', row: 'C17', parameter: 'batch', values: [1, 4, 8, 12, 16, 24, 32] },
  { id: 'C18 batch', row: 'C18', parameter: 'batch', values: [1, 4, 8, 12, 16, 24, 32] },
];

/** A sweep that was run. */
export interface SweepFinding {
  id: string;
  row: string;
  parameter: string;
  points: SweepPoint[];
}

/** One value of a sweep: share of the time paused, share of the line delivered. */
export interface SweepPoint {
  value: number;
  pause: number;
  lineShare: number;
  symptom: 'pause' | 'throughput' | null;
}

/** Every numeric break of every row as a sweep around its threshold, and further thresholds of the paper. */
export const sweeps: readonly ParameterSweep[] = collieTargets.flatMap((target) => [
  ...SWEPT.filter((parameter) => typeof target.breaks[parameter] === 'number').map((parameter) => ({
    id: `${target.id} ${parameter}`,
    row: target.id,
    parameter,
    values: valuesOf(target, parameter),
  })),
  ...FURTHER.filter(({ row }) => row === target.id),
]);

/** Runs a sweep: its values, and then more between the two neighbours that differ most. */
export async function runSweep(bench: Bench, id: string): Promise<SweepFinding> {
  const sweep = sweeps.find((each) => each.id === id);
  const target = collieTargets.find((each) => each.id === sweep?.row);
  if (sweep === undefined || target === undefined) throw new RangeError(`there is no sweep ${id}`);
  const points: SweepPoint[] = [];
  for (const value of sweep.values) points.push(await measurePoint(bench, target, sweep.parameter, value));
  for (const value of between(steepest(points), target, sweep.parameter))
    points.push(await measurePoint(bench, target, sweep.parameter, value));
  points.sort((one, other) => one.value - other.value);
  return { id, row: sweep.row, parameter: sweep.parameter, points };
}

async function measurePoint(
  bench: Bench,
  target: CollieTarget,
  parameter: CollieParameter,
  value: number,
): Promise<SweepPoint> {
  const changed = withChange(target, parameter, value);
  const { verdict, directions, pauseRatio } = await bench.measure(
    subsystemOf(target),
    collieWorkload(changed),
  );
  const wire = Math.max(...directions.map(({ wireGbps }) => wireGbps));
  return {
    value,
    pause: figures(pauseRatio ?? 0),
    lineShare: figures(wire / (verdict.bounds?.lineRateGbps ?? Number.NaN)),
    symptom: verdict.symptom,
  };
}

/** The neighbours between which pause and rate change most. */
export function steepest(points: readonly SweepPoint[]): [number, number] {
  let best: [number, number] = [points[0].value, points[0].value];
  let most = 0;
  for (const [index, { value, pause, lineShare }] of points.entries()) {
    if (index === 0) continue;
    const before = points[index - 1];
    const change = Math.abs(pause - before.pause) + Math.abs(lineShare - before.lineShare);
    if (change > most) {
      most = change;
      best = [before.value, value];
    }
  }
  return best;
}

/** Whole numbers evenly between two; none where the parameter takes powers of two alone. */
function between([from, to]: [number, number], target: CollieTarget, parameter: CollieParameter): number[] {
  if (parameter === 'mtu') return [];
  const values = Array.from({ length: FINER }, (_, index) =>
    fitting(target, parameter, from + ((to - from) * (index + 1)) / (FINER + 1)),
  );
  return [...new Set(values)].filter((value) => value > from && value < to);
}

/** Programs post whole batches: a queue is as deep as those that fit, and more depth changes nothing. */
function fitting(target: CollieTarget, parameter: CollieParameter, value: number): number {
  const step = parameter === 'wq' ? Math.min(target.batch, Number(target.breaks.wq ?? target.wq)) : 1;
  return Math.round(value / step) * step;
}

/** Geometric steps from the break to the trigger and one beyond; MTUs are what they are, and elements are few. */
function valuesOf(target: CollieTarget, parameter: (typeof SWEPT)[number]): number[] {
  // A UD message must fit one packet.
  const longest = Math.max(...target.sizes.flat());
  if (parameter === 'mtu') return MTUS.filter((mtu) => target.transport !== 'UD' || mtu >= longest);
  if (parameter === 'sge') return [...ELEMENTS];
  const from = target.breaks[parameter] as number;
  const to = target[parameter];
  const factor = (to / from) ** (1 / STEPS);
  const values = Array.from({ length: STEPS + 2 }, (_, step) =>
    fitting(target, parameter, from * factor ** step),
  );
  const most = parameter === 'batch' ? target.wq : Number.POSITIVE_INFINITY;
  return [...new Set(values.filter((value) => value >= 1 && value <= most))].sort(
    (one, other) => one - other,
  );
}
