import { scaleLinear, scaleLog, scalePoint } from 'd3-scale';

/** How an axis spaces its values: by size, by logarithm, or evenly in their order (words). */
export type Spacing = 'linear' | 'log' | 'even';

/** A tick of an axis: the value and its label. */
export type Tick = readonly [value: number | string, label: string];

/** An axis: where a value stands, in % of its length, and its ticks. */
export interface Axis {
  at(value: number | string): number;
  readonly ticks: readonly Tick[];
}

/** Ticks that an axis aims at. */
const TICKS = 4;
/** Numbers from here on are written with an SI prefix. */
const PREFIXED = 1e4;
/** Labels of a horizontal axis keep this distance, in % of it, so that they have room on a narrow screen. */
const LABEL_DISTANCE = 14;
/** The last one may have the unit with it. */
const UNIT_DISTANCE = 15;
/** A longer one at the axis' end ends there; others have half of their width beyond it. */
const LONGEST_BEYOND = 7;
/** Width of a letter, in % of a narrow axis. */
const LETTER = 2.3;
/** A range this wide is read better by its logarithm. */
const WIDE = 10;

/**
 * The vertical axis: from 0 to a round number at or above `most`.
 *
 * @example
 * verticalAxis(193).ticks.map(([value]) => value); // [0, 50, 100, 150, 200]
 */
export function verticalAxis(most: number): Axis {
  const scale = scaleLinear([0, most > 0 ? most : 1], [0, 100]).nice(TICKS);
  return { at: (value) => scale(Number(value)), ticks: labelled(scale.ticks(TICKS)) };
}

/** Steps of a round number within a decade. */
const ROUND = [1, 2, 5, 10];

/**
 * A vertical axis by the logarithm, for values over many decades: from a round number at or below `least` to one at or
 * above `most`. Values of 0 and less have no place on it.
 *
 * @example
 * logarithmicAxis(1.24, 344).ticks.map(([value]) => value); // [1, 10, 100]
 */
export function logarithmicAxis(least: number, most: number): Axis {
  const decade = (value: number) => 10 ** Math.floor(Math.log10(value));
  const [low, high] = [decade(least), decade(most)];
  const from = low * Math.max(...ROUND.filter((step) => step * low <= least));
  const to = high * Math.min(...ROUND.filter((step) => step * high >= most));
  const scale = scaleLog([from, Math.max(to, from * ROUND[1])], [0, 100]);
  const decades: number[] = [];
  for (let tick = low; tick <= to; tick *= 10) if (tick >= from) decades.push(tick);
  return {
    at: (value) => scale(Number(value)),
    ticks: labelled(decades.length > 1 ? decades : scale.ticks(TICKS)),
  };
}

/** The horizontal axis over these values; a linear one begins at 0, or at its least value where its ticks are given. */
export function horizontalAxis(
  values: readonly (number | string)[],
  spacing: Spacing,
  ticks?: readonly (number | string)[],
): Axis {
  if (spacing === 'even') {
    const scale = scalePoint([...new Set(values.map(String))], [0, 100]);
    return {
      at: (value) => scale(String(value)) ?? 0,
      ticks: (ticks ?? values).map((value) => [value, String(value)]),
    };
  }
  const numbers = values.map(Number);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const scale =
    spacing === 'log'
      ? scaleLog([least, most], [0, 100])
      : scaleLinear([ticks === undefined ? Math.min(0, least) : least, most], [0, 100]);
  const at = (value: number | string) => (least === most && spacing === 'log' ? 50 : scale(Number(value)));
  return {
    at,
    ticks:
      ticks === undefined ? labelled(scale.ticks(TICKS + 1)) : ticks.map((value) => [value, String(value)]),
  };
}

/** Whether a label ends at the axis' end, so that it does not reach far beyond it. */
export function endsAtEnd({ at }: Axis, value: number | string, label: string): boolean {
  return at(value) > 95 && label.length > LONGEST_BEYOND;
}

/** The ticks of a horizontal axis that have room; the last one always has, with what is written there. */
export function fitting(axis: Axis, lastLabel: (tick: Tick) => string): readonly Tick[] {
  const { ticks, at } = axis;
  const inside = ticks.filter(([x]) => at(x) >= 0 && at(x) <= 100.01);
  const last = inside[inside.length - 1];
  if (last === undefined) return [];
  const words = lastLabel(last);
  const lastDistance = endsAtEnd(axis, last[0], words)
    ? words.length * LETTER + LABEL_DISTANCE / 2
    : words === last[1]
      ? LABEL_DISTANCE
      : UNIT_DISTANCE;
  const kept: Tick[] = [];
  for (const tick of inside.slice(0, -1)) {
    const before = kept[kept.length - 1];
    const roomBefore = before === undefined || at(tick[0]) - at(before[0]) >= LABEL_DISTANCE;
    if (roomBefore && at(last[0]) - at(tick[0]) >= lastDistance) kept.push(tick);
  }
  return [...kept, last];
}

/**
 * The spacing that suits values of a sweep.
 *
 * @example
 * spacingOf([1, 16, 256]); // log
 * spacingOf(['RC', 'UD']); // even
 */
export function spacingOf(values: readonly (number | string)[]): Spacing {
  if (values.length < 2 || values.some((value) => typeof value !== 'number')) return 'even';
  const numbers = values.map(Number);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  if (least === most) return 'even';
  return least > 0 && most / least >= WIDE ? 'log' : 'linear';
}

function labelled(values: readonly number[]): Tick[] {
  const most = values.reduce((greatest, value) => Math.max(greatest, Math.abs(value)), 0);
  if (most < PREFIXED) return values.map((value) => [value, String(Number(value.toPrecision(4)))]);
  const format = scaleLinear([0, most], [0, 1]).tickFormat(TICKS, '~s');
  return values.map((value) => [value, value === 0 ? '0' : format(value)]);
}
