import { type DimensionName, isUniform, messageBytes, type Point } from '../space/point.js';
import {
  CHOICES,
  type ChoiceName,
  longestMessage,
  NUMBERS,
  type NumberName,
  type Space,
} from '../space/space.js';

/**
 * One condition of an anomaly: a dimension has one of these values; a number lies between bounds; every message does; or
 * short and long messages meet in one pattern, or short and long elements in the lists of one.
 */
export type Feature =
  | { dimension: ChoiceName; in: readonly (string | number)[] }
  | { dimension: NumberName | 'sizes'; min?: number; max?: number }
  | { dimension: 'mix'; shortMax: number; longMin: number; of?: 'elements' };

/** Whether a point meets a condition. */
export function meets(point: Point, feature: Feature): boolean {
  if ('in' in feature) return feature.in.includes(point[feature.dimension]);
  if ('shortMax' in feature) {
    const { shortMax, longMin, of } = feature;
    if (of === 'elements' && point.layout !== 'list') return false;
    const lengths = of === 'elements' ? point.sizes : messageBytes(point);
    return lengths.some((bytes) => bytes <= shortMax) && lengths.some((bytes) => bytes >= longMin);
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = feature;
  const values = feature.dimension === 'sizes' ? point.sizes : [point[feature.dimension]];
  return values.every((value) => value >= min && value <= max);
}

/**
 * Whether a point meets all conditions of a set (Algorithm 1, MatchMFS). A set without conditions is met by none: it would
 * end the search.
 */
export function meetsAll(point: Point, features: readonly Feature[]): boolean {
  return features.length > 0 && features.every((feature) => meets(point, feature));
}

/**
 * Whether a point meets all conditions of a set when each bound is moved by one step of its ladder: the edge of a set is
 * where bisecting is least sure of it.
 */
export function nearlyMeetsAll(point: Point, features: readonly Feature[], space: Space): boolean {
  return meetsAll(
    point,
    features.map((feature) => widened(feature, space)),
  );
}

function widened(feature: Feature, space: Space): Feature {
  if ('in' in feature) return feature;
  const step = (value: number, ladder: readonly number[], by: 1 | -1) => {
    const rung = ladder.findLastIndex((each) => each <= value) + by;
    return ladder[Math.max(0, Math.min(ladder.length - 1, rung))];
  };
  const { ladder } = space.sizes;
  if ('shortMax' in feature) {
    const { shortMax, longMin } = feature;
    return { ...feature, shortMax: step(shortMax, ladder, 1), longMin: step(longMin, ladder, -1) };
  }
  const { dimension, min, max } = feature;
  const rungs = dimension === 'sizes' ? ladder : space.numbers[dimension].ladder;
  return {
    dimension,
    ...(min === undefined ? {} : { min: step(min, rungs, -1) }),
    ...(max === undefined ? {} : { max: step(max, rungs, 1) }),
  };
}

/**
 * The part of an anomaly beside its set that another sight of it shows: numbers from that point on, for with little of one
 * thing it may need more of another (few deep queues, many short ones). Names and mixes that it has stay. `known`: the
 * anomaly's point.
 */
export function cornerAt(point: Point, features: readonly Feature[], known: Point): Feature[] {
  const moved = features.map((feature): Feature => {
    if ('in' in feature) {
      const { dimension } = feature;
      return meets(point, feature) ? feature : { dimension, in: [point[dimension]] };
    }
    if ('shortMax' in feature) return meets(point, feature) ? feature : mixAt(point, feature);
    const { dimension, min, max } = feature;
    // Short and long messages together are not messages of any length between: each length alone may be clean.
    if (dimension === 'sizes' && !isUniform(point.sizes) && !meets(point, feature)) return patternOf(point);
    const values = dimension === 'sizes' ? point.sizes : [point[dimension]];
    return {
      dimension,
      ...(min === undefined ? {} : { min: Math.min(...values) }),
      ...(max === undefined ? {} : { max: Math.max(max, ...values) }),
    };
  });
  const isNew = (name: DimensionName) => !features.some(({ dimension }) => dimension === name);
  // A region that is as long as the longest message has to be is no condition.
  const isForced = (name: NumberName) => name === 'mrBytes' && point.mrBytes <= longestMessage(point);
  const more = NUMBERS.filter((name) => point[name] > known[name] && isNew(name) && !isForced(name));
  const names = CHOICES.filter((name) => point[name] !== known[name] && isNew(name));
  return [
    ...moved,
    ...more.map((name): Feature => ({ dimension: name, min: point[name] })),
    ...names.map((name): Feature => ({ dimension: name, in: [point[name]] })),
  ];
}

/**
 * Whether two sets are one anomaly: the same conditions, numbers within one step of the ladder, where bisecting can fall
 * to either side.
 */
export function isSameSet(one: readonly Feature[], other: readonly Feature[], space: Space): boolean {
  if (one.length !== other.length) return false;
  return one.every((feature) => {
    const twin = other.find(({ dimension }) => dimension === feature.dimension);
    return twin !== undefined && isSameFeature(feature, twin, space);
  });
}

function isSameFeature(one: Feature, other: Feature, space: Space): boolean {
  if ('in' in one && 'in' in other)
    return one.in.length === other.in.length && one.in.every((value) => other.in.includes(value));
  if ('shortMax' in one && 'shortMax' in other)
    return (
      one.of === other.of &&
      areNear(one.shortMax, other.shortMax, space.sizes.ladder) &&
      areNear(one.longMin, other.longMin, space.sizes.ladder)
    );
  if ('in' in one || 'in' in other || 'shortMax' in one || 'shortMax' in other) return false;
  const ladder = one.dimension === 'sizes' ? space.sizes.ladder : space.numbers[one.dimension].ladder;
  return areNear(one.min, other.min, ladder) && areNear(one.max, other.max, ladder);
}

function areNear(one: number | undefined, other: number | undefined, ladder: readonly number[]): boolean {
  if (one === undefined || other === undefined) return one === other;
  const rung = (value: number) => ladder.findLastIndex((each) => each <= value);
  return Math.abs(rung(one) - rung(other)) <= 1;
}

/**
 * A condition in words.
 *
 * @example
 * showFeature({ dimension: 'batch', min: 32 }); // 'batch >= 32'
 */
export function showFeature(feature: Feature): string {
  const { dimension } = feature;
  if ('in' in feature)
    return feature.in.length === 1
      ? `${dimension} = ${feature.in[0]}`
      : `${dimension} in ${feature.in.join(', ')}`;
  if ('shortMax' in feature)
    return `mix of ${feature.of ?? 'messages'} <= ${bytes(feature.shortMax)} and >= ${bytes(feature.longMin)}`;
  const show = dimension === 'sizes' || dimension === 'mrBytes' ? bytes : String;
  const name = dimension === 'sizes' ? 'message' : dimension;
  const { min, max } = feature;
  if (min !== undefined && max !== undefined)
    return min === max ? `${name} = ${show(min)}` : `${show(min)} <= ${name} <= ${show(max)}`;
  return min === undefined ? `${name} <= ${show(max!)}` : `${name} >= ${show(min)}`;
}

/** A point as conditions that nothing else meets: what is known of an anomaly before its set is found. */
export function exactFeatures(point: Point, space: Space): Feature[] {
  const choices = CHOICES.filter((name) => space.choices[name].values.length > 1).map(
    (name): Feature => ({ dimension: name, in: [point[name]] }),
  );
  const numbers = NUMBERS.map((name): Feature => ({ dimension: name, min: point[name], max: point[name] }));
  return [...choices, patternOf(point), ...numbers];
}

/** The lengths of a point's messages, or of the elements of its lists, as a condition. */
function patternOf({ sizes, layout }: Point): Extract<Feature, { dimension: 'mix' } | { min?: number }> {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (least === most) return { dimension: 'sizes', min: least, max: most };
  const mix = { dimension: 'mix', shortMax: least, longMin: most } as const;
  return layout === 'list' ? { ...mix, of: 'elements' } : mix;
}

/** The pattern of another sight of a mix: as a mix of its own kind, with the known bounds where it meets them. */
function mixAt(point: Point, { shortMax, longMin }: Extract<Feature, { dimension: 'mix' }>): Feature {
  const own = patternOf(point);
  const isWithin = own.dimension === 'mix' && own.shortMax <= shortMax && own.longMin >= longMin;
  return isWithin ? { ...own, shortMax, longMin } : own;
}

/** Bytes with a binary unit. */
export function bytes(value: number): string {
  if (value >= 2 ** 20 && value % 2 ** 20 === 0) return `${value / 2 ** 20} MB`;
  return value >= 1024 && value % 1024 === 0 ? `${value / 1024} KB` : `${value} B`;
}
