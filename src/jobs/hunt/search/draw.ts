import type { Random } from '../../../engine/index.js';
import type { DimensionName, Point } from '../space/point.js';
import {
  CHOICES,
  type ChoiceDimension,
  DIMENSIONS,
  emptySpace,
  illegality,
  leastDepth,
  mostQueues,
  NUMBERS,
  type NumberDimension,
  type NumberName,
  OPERATIONS,
  type PatternDimension,
  repaired,
  type Space,
  usualSpace,
} from '../space/space.js';

/** Draws that may fail before a space is called empty. */
const PATIENCE = 500;

/** One draw out of this many may have more regions or queue entries than usual. */
const SELDOM = 16;

/** A random workload of the space. */
export function drawPoint(space: Space, random: Random): Point {
  for (let attempt = 0; attempt < PATIENCE; attempt++) {
    const drawn: Record<string, unknown> = {};
    for (const name of CHOICES) drawn[name] = drawChoice(space.choices[name], random);
    for (const name of NUMBERS) drawn[name] = drawNumber(space.numbers[name], random);
    drawn['sizes'] = drawSizes(space.sizes, random);
    const { transport, opcode } = drawn as unknown as Point;
    // Every kind of traffic as often as any other, however many operations its transport has.
    if (!OPERATIONS[transport].includes(opcode)) continue;
    const within = random.nextInt(SELDOM) === 0 ? space : usualSpace(space);
    const point = repaired(roomy(drawn as unknown as Point, within, random), within);
    if (point !== null) return point;
  }
  throw emptySpace();
}

/** The workload with one dimension changed (Algorithm 1, line 4), or null where the space has nothing else. */
export function mutatePoint(point: Point, space: Space, random: Random): Point | null {
  const open = DIMENSIONS.filter((name) => !isPinned(space, name));
  if (open.length === 0) return null;
  const usual = usualSpace(space);
  const isUsual = illegality(point, usual) === null;
  for (let attempt = 0; attempt < PATIENCE; attempt++) {
    const name = random.pick(open);
    const changed = { ...point, [name]: mutateDimension(point, name, space, random) };
    const within = isUsual && random.nextInt(SELDOM) > 0 ? usual : space;
    const legal = repaired(roomy(changed, within, random, name), within);
    if (legal !== null) return legal;
  }
  return null;
}

/**
 * The point with a queue that holds its posts, or with as few queues as there is room for: as often as what `repaired` does,
 * which shortens posts and queues. Else long posts and deep queues would be drawn seldom. `kept` never gives way.
 */
function roomy(point: Point, space: Space, random: Random, kept?: DimensionName): Point {
  const { numbers } = space;
  const isKept = (name: NumberName, other: NumberName) =>
    kept === name || (kept !== other && random.nextInt(2) === 0);
  const result = { ...point };
  const least = leastDepth(result);
  if (result.queueDepth < least && isKept('batch', 'queueDepth'))
    result.queueDepth = numbers.queueDepth.ladder.find((rung) => rung >= least) ?? result.queueDepth;
  if (result.qps > mostQueues(result, space) && isKept('queueDepth', 'qps'))
    result.qps = mostQueues(result, space);
  return result;
}

/** A workload with each dimension from one of two others, within the usual totals; null where the mixture is none. */
export function crossPoints(one: Point, other: Point, space: Space, random: Random): Point | null {
  const mixed: Record<string, unknown> = {};
  for (const name of DIMENSIONS) mixed[name] = random.nextInt(2) === 0 ? one[name] : other[name];
  return repaired(mixed as unknown as Point, usualSpace(space));
}

/** Whether a dimension has one value alone. */
export function isPinned(space: Space, name: DimensionName): boolean {
  if (name === 'sizes') return space.sizes.ladder.length === 1;
  const dimension =
    name in space.choices
      ? space.choices[name as keyof Space['choices']].values
      : space.numbers[name as keyof Space['numbers']].ladder;
  return dimension.length === 1;
}

function mutateDimension(point: Point, name: DimensionName, space: Space, random: Random): unknown {
  if (name === 'sizes') return mutateSizes(point.sizes, space.sizes, random);
  if (name in space.choices) {
    const dimension = space.choices[name as keyof Space['choices']];
    const drawn = drawChoice(dimension, random);
    return drawn === point[name]
      ? random.pick(dimension.values.filter((value) => value !== point[name]))
      : drawn;
  }
  return mutateNumber(space.numbers[name as keyof Space['numbers']], point[name] as number, random);
}

function drawChoice({ values, usualShare }: ChoiceDimension, random: Random): string | number {
  if (usualShare !== undefined && random.nextFloat() < usualShare) return values[0];
  return random.pick(values);
}

/** A near rung as often as any: a hill can be climbed and left. */
function mutateNumber(dimension: NumberDimension, value: number, random: Random): number {
  const { ladder } = dimension;
  if (random.nextInt(2) === 0) return drawNumber(dimension, random);
  const here = ladder.findLastIndex((rung) => rung <= value);
  const step = (1 + random.nextInt(2)) * (random.nextInt(2) === 0 ? 1 : -1);
  const rung = Math.max(0, Math.min(ladder.length - 1, here + step));
  return random.nextFloat() < weightOf(dimension, rung) ? ladder[rung] : value;
}

function drawNumber(dimension: NumberDimension, random: Random): number {
  const { ladder } = dimension;
  for (;;) {
    const rung = random.nextInt(ladder.length);
    if (random.nextFloat() < weightOf(dimension, rung)) return ladder[rung];
  }
}

/** How often a rung is drawn, relative to the usual ones. */
function weightOf({ ladder, usualMax }: NumberDimension, rung: number): number {
  const usual = Math.max(
    0,
    ladder.findLastIndex((value) => value <= usualMax),
  );
  return rung <= usual ? 1 : 0.1 ** (rung - usual);
}

/** Half of the patterns have one size; the others any, so that short and long messages meet. */
function drawSizes({ ladder, maxLength }: PatternDimension, random: Random): number[] {
  const length = random.nextInt(2) === 0 ? 1 : 1 + random.nextInt(maxLength);
  return Array.from({ length }, () => random.pick(ladder));
}

function mutateSizes(sizes: readonly number[], dimension: PatternDimension, random: Random): number[] {
  const { ladder, maxLength } = dimension;
  const way = random.nextInt(4);
  if (way === 0) return drawSizes(dimension, random);
  if (way === 1 && sizes.length < maxLength) return [...sizes, random.pick(ladder)];
  if (way === 2 && sizes.length > 1) {
    const dropped = random.nextInt(sizes.length);
    return sizes.filter((_, index) => index !== dropped);
  }
  const changed = random.nextInt(sizes.length);
  const here = ladder.findLastIndex((rung) => rung <= sizes[changed]);
  const rung = Math.max(0, Math.min(ladder.length - 1, here + (random.nextInt(2) === 0 ? 1 : -1)));
  return sizes.map((size, index) => (index === changed ? ladder[rung] : size));
}
