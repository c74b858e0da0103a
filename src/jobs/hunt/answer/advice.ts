import { type Course, type Known, measure } from '../experiments/trial.js';
import { bytes, type Feature } from '../reduce/feature.js';
import type { Find } from '../reduce/known-finds.js';
import type { DimensionName, Point } from '../space/point.js';
import type { workloadInputOf } from '../space/point-workload.js';
import { fitted, illegality, type Space } from '../space/space.js';

/** A single change that clears an anomaly, verified by a run. */
export interface Advice {
  /** In words. */
  text: string;
  /** What is changed, by dimension of the space or as a host setting. */
  change: Readonly<Record<string, unknown>>;
  /** The dimension, or `settings`. */
  dimension: DimensionName | 'settings';
  /** The changed workload, as `kelpie run` takes it; answers of earlier versions have none. */
  workload?: ReturnType<typeof workloadInputOf>;
  /** What it gave: the rate on the wire, and the share of time paused. */
  wireGbps?: number;
  pauseRatio?: number | null;
}

/** A change that clears a find, with the experiment that says so. */
export interface Remedy extends Advice {
  point: Point;
  settings?: Readonly<Record<string, string>>;
}

/** How much a change asks of its user, least first: a constant in the code, the design, the network, the machine. */
const COST: Readonly<Record<DimensionName | 'settings', number>> = {
  batch: 1,
  queueDepth: 1,
  sge: 2,
  layout: 2,
  mrBytes: 3,
  mrs: 3,
  sizes: 3,
  qps: 4,
  opcode: 5,
  mtu: 6,
  direction: 6,
  memoryA: 7,
  memoryB: 7,
  transport: 8,
  settings: 9,
};
/** Changes tried and kept. */
const MOST_TRIED = 8;
const MOST_KEPT = 4;

/** The changes that clear a find, cheapest first, each verified by a full run. */
export function* advise(
  find: Pick<Find, 'features' | 'point'>,
  space: Space,
  known: Known,
  repairs: Readonly<Record<string, string>>,
): Course<Remedy[]> {
  const good: Remedy[] = [];
  const changed = new Set<string>();
  let tried = 0;
  for (const candidate of candidatesOf(find, space, repairs)) {
    const { point, settings, dimension, text } = candidate;
    // One change of a dimension is enough: the mildest that works.
    const name = settings === undefined ? dimension : text;
    if (changed.has(name)) continue;
    if (tried++ >= MOST_TRIED || good.length >= MOST_KEPT) break;
    const observation = yield* measure(known, { point, length: 'full', purpose: 'advice', settings });
    if (observation.symptom !== null) continue;
    const { wireGbps, pauseRatio } = observation;
    good.push({ ...candidate, wireGbps, pauseRatio });
    changed.add(name);
  }
  return good;
}

function candidatesOf(
  { features, point }: Pick<Find, 'features' | 'point'>,
  space: Space,
  repairs: Readonly<Record<string, string>>,
): Remedy[] {
  const candidates = features.flatMap((feature) => changesOf(feature, point, space));
  const legal = candidates.filter(({ point: changed }) => illegality(changed, space) === null);
  legal.sort((one, other) => COST[one.dimension] - COST[other.dimension]);
  const settings = Object.entries(repairs).map(([name, value]): Remedy => {
    const change = { [name]: value };
    return { text: `host setting ${name}: ${value}`, change, dimension: 'settings', point, settings: change };
  });
  return [...legal, ...settings];
}

function changesOf(feature: Feature, point: Point, space: Space): Remedy[] {
  const make = (dimension: DimensionName, value: unknown, text: string): Remedy => ({
    text,
    change: { [dimension]: value },
    dimension,
    point: fitted({ ...point, [dimension]: value }, space),
  });
  if ('in' in feature) {
    const { dimension } = feature;
    return space.choices[dimension].values
      .filter((value) => !feature.in.includes(value))
      .map((value) => make(dimension, value, `${dimension} ${value} instead of ${point[dimension]}`));
  }
  if ('shortMax' in feature) {
    const [least, most] = [Math.min(...point.sizes), Math.max(...point.sizes)];
    const what = feature.of ?? 'messages';
    return [
      make('sizes', [most], `${what} of ${bytes(most)} alone: send the short ones apart from the long ones`),
      make('sizes', [least], `${what} of ${bytes(least)} alone`),
    ];
  }
  const { dimension, min, max } = feature;
  const ladder = dimension === 'sizes' ? space.sizes.ladder : space.numbers[dimension].ladder;
  const below = min === undefined ? [] : ladder.filter((rung) => rung < min);
  const over = max === undefined ? [] : ladder.filter((rung) => rung > max);
  // The nearest value beyond the bound; where that is not enough, the one after it.
  const values = [...below.slice(-2).reverse(), ...over.slice(0, 2)];
  return values.map((value) => {
    const relation = min !== undefined && value < min ? 'at most' : 'at least';
    const shown = dimension === 'sizes' || dimension === 'mrBytes' ? bytes(value) : String(value);
    const name = dimension === 'sizes' ? 'messages' : dimension;
    return make(dimension, dimension === 'sizes' ? [value] : value, `${name} of ${relation} ${shown}`);
  });
}
