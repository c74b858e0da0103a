import { type Html, html, NOTHING } from './html.js';

/** A line of a chart. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** A second line of the same kind. */
  readonly dashed?: boolean;
  /** Which of the six series colours; by its place unless set. */
  readonly colour?: number;
}

/** What a chart is of. */
export interface LineChart {
  /** With the unit: `goodput, Gb/s`. */
  readonly title: string;
  readonly xTitle: string;
  readonly lines: readonly Line[];
  /** Charts side by side with the same unit share it; the greatest value unless set. */
  readonly yMax?: number;
  /** Where the axis has labels; round numbers unless set. */
  readonly xTicks?: readonly (readonly [value: number, label: string])[];
  /** Marks on the points: for few of them. */
  readonly dots?: boolean;
}

const COLOURS = 6;
/** More points than a screen has pixels are thinned out. */
const MOST_POINTS = 600;

/**
 * A chart: text in HTML round a stretched SVG, so that nothing overlaps at any width; ticks are round numbers from 0.
 *
 * @example
 * lineChart({ title: 'goodput, Gb/s', xTitle: 'us', lines: [{ name: 'a to b', points: [[0, 0], [20, 97]] }] });
 */
export function lineChart({ title, xTitle, lines, yMax, xTicks, dots = false }: LineChart): Html {
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) return NOTHING;
  const ys = roundTicks(yMax ?? greatest(all.map(([, y]) => y)));
  const top = ys[ys.length - 1];
  const [left, right] = [
    least(
      all.map(([x]) => x),
      xTicks === undefined,
    ),
    greatest(all.map(([x]) => x)),
  ];
  const across = (x: number) => (right === left ? 50 : (100 * (x - left)) / (right - left));
  const up = (y: number) => 100 - (100 * y) / top;
  const path = (points: Line['points']) =>
    thinned(points)
      .map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${across(x).toFixed(2)} ${up(y).toFixed(2)}`)
      .join('');
  const colour = (line: Line, index: number) => `c${(((line.colour ?? index + 1) - 1) % COLOURS) + 1}`;
  const legend =
    lines.length < 2
      ? NOTHING
      : html`<span class="legend">${lines.map((line, index) => html`<span class="key ${colour(line, index)}${line.dashed ? ' dash' : ''}">${line.name}</span>`)}</span>`;
  const marks = dots
    ? lines.flatMap((line, index) =>
        line.points.map(
          ([x, y]) =>
            html`<span class="dot ${colour(line, index)}" style="left:${across(x).toFixed(2)}%;top:${up(y).toFixed(2)}%"></span>`,
        ),
      )
    : [];
  const ticks = fitting(
    xTicks ??
      roundTicks(right)
        .filter((x) => x >= left && x <= right)
        .map((x) => [x, labelOf(x)] as const),
    across,
  );
  const summary = lines
    .map(({ name, points }) => `${name}: up to ${labelOf(greatest(points.map(([, y]) => y)))}`)
    .join('; ');
  return html`<figure><figcaption><b>${title}</b>${legend}</figcaption><div class="plot">${ys.map((y) => html`<span class="g" style="top:${up(y).toFixed(2)}%"></span><span class="y" style="bottom:${(100 - up(y)).toFixed(2)}%">${labelOf(y)}</span>`)}<svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${`${title} over ${xTitle}. ${summary}`}">${lines.map((line, index) => html`<path class="${colour(line, index)}${line.dashed ? ' dash' : ''}" d="${path(line.points)}"/>`)}</svg>${marks}</div><div class="xaxis" aria-hidden="true">${ticks.map(([x, label]) => html`<span class="${across(x) > 95 ? 'end' : ''}" style="left:${across(x).toFixed(2)}%">${label}</span>`)}</div><p class="xt" aria-hidden="true">${xTitle}</p></figure>`;
}

/** Four or five round numbers from 0 to a little above a value. */
export function roundTicks(value: number): number[] {
  if (!(value > 0)) return [0, 1];
  const rough = value / 4;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step =
    [1, 2, 2.5, 5, 10].map((each) => each * size).find((each) => each >= rough * (1 - 1e-9)) ?? 10 * size;
  const count = Math.ceil(value / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Labels that have room: so many fit on a narrow screen. */
function fitting(
  ticks: readonly (readonly [number, string])[],
  across: (x: number) => number,
): readonly (readonly [number, string])[] {
  const apart = 14;
  const kept: (readonly [number, string])[] = [];
  const last = ticks[ticks.length - 1];
  for (const tick of ticks.slice(0, -1)) {
    const at = across(tick[0]);
    const before = kept[kept.length - 1];
    if ((before === undefined || at - across(before[0]) >= apart) && across(last[0]) - at >= apart)
      kept.push(tick);
  }
  return last === undefined ? kept : [...kept, last];
}

function thinned(points: Line['points']): Line['points'] {
  const every = Math.ceil(points.length / MOST_POINTS);
  return every <= 1
    ? points
    : points.filter((_, index) => index % every === 0 || index === points.length - 1);
}

function greatest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

function least(values: readonly number[], fromZero: boolean): number {
  return values.reduce((most, value) => Math.min(most, value), fromZero ? 0 : Number.POSITIVE_INFINITY);
}

function labelOf(value: number): string {
  if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3)) return value.toExponential(1);
  return String(Number(value.toPrecision(4)));
}
