import { curveLinear, curveStepAfter, line as pathOf } from 'd3-shape';
import { figures } from './figures.js';
import { type Html, html, NOTHING } from './html.js';
import {
  type Axis,
  endsAtEnd,
  fitting,
  horizontalAxis,
  logarithmicAxis,
  type Spacing,
  type Tick,
  verticalAxis,
} from './scale.js';

/** A point of a line; null where nothing was measured: the line has a gap there. */
export type ChartPoint = readonly [x: number | string, y: number | null];

/** A line of a chart. */
export interface Line {
  readonly name: string;
  readonly points: readonly ChartPoint[];
  /** A second line of the same kind. */
  readonly dashed?: boolean;
  /** Holds its value until the next point: for counts. */
  readonly stepped?: boolean;
  /** Points that no line joins. */
  readonly drawn?: 'line' | 'points';
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
  /** By the logarithm, for values over many decades; linear from 0 unless set. */
  readonly vertical?: 'log';
  /** The end of the horizontal axis, for charts that share it; the last point unless set. */
  readonly xMax?: number;
  /** A level to compare with, such as the line rate: dashed and grey. */
  readonly reference?: { readonly name: string; readonly value: number };
  /** Default: linear. */
  readonly spacing?: Spacing;
  /** Where the axis has labels; round numbers unless set. */
  readonly xTicks?: readonly (number | string)[];
  /** The label of a tick; the number itself unless set. */
  readonly xLabel?: (value: number | string) => string;
  /** Marks on the points: for few of them. */
  readonly dots?: boolean;
  /** A small table of each line's least, mean and greatest value; on unless false: a table stands beside the chart. */
  readonly numbers?: boolean;
}

const COLOURS = 6;
/** Points differ by shape, too. */
const SHAPES = 3;
/** More points than a screen has pixels are thinned out. */
const MOST_POINTS = 400;
const LONGEST_UNIT = 3;

/**
 * A chart: text in HTML round a stretched SVG, so that it neither scales nor overlaps at any width. Scales, ticks and
 * paths are d3's.
 *
 * @example
 * lineChart({ title: 'goodput, Gb/s', xTitle: 'µs', lines: [{ name: 'a to b', points: [[0, 0], [20, 97]] }] });
 */
export function lineChart(chart: LineChart): Html {
  const { title, xTitle, lines, reference, dots = false, numbers = true } = chart;
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  if (xs.length === 0) return NOTHING;
  const ranges = lines.map((line) => ({ name: line.name, ...rangeOf(line) }));
  const most = Math.max(reference?.value ?? 0, chart.yMax ?? Math.max(...ranges.map((range) => range.most)));
  const above = lines.flatMap(({ points }) => points.flatMap(([, y]) => (y !== null && y > 0 ? [y] : [])));
  const vertical =
    chart.vertical === 'log' && above.length > 0
      ? logarithmicAxis(Math.min(...above), most)
      : verticalAxis(most);
  const across = horizontalAxis(
    chart.xMax === undefined ? xs : [...xs, chart.xMax],
    chart.spacing ?? 'linear',
    chart.xTicks,
  );
  const colour = (line: Line, index: number) => `c${(((line.colour ?? index + 1) - 1) % COLOURS) + 1}`;
  const classes = (line: Line, index: number) =>
    `${colour(line, index)}${line.dashed ? ' dash' : ''}${line.drawn === 'points' ? ' pts' : ''}${line.drawn === 'points' || dots ? ` shape${index % SHAPES}` : ''}`;
  const keys = [
    ...(lines.length < 2 && reference === undefined
      ? []
      : lines.map((line, index) => html`<span class="key ${classes(line, index)}">${line.name}</span>`)),
    ...(reference === undefined ? [] : [html`<span class="key c6 dash">${reference.name}</span>`]),
  ];
  const ys = vertical.ticks.map(
    ([y, label]) =>
      html`<span class="g" style="bottom:${percent(vertical.at(y))}"></span><span class="y" style="bottom:${percent(vertical.at(y))}">${label}</span>`,
  );
  const level =
    reference === undefined
      ? NOTHING
      : html`<span class="g ref" style="bottom:${percent(vertical.at(reference.value))}"></span>`;
  const paths = lines.flatMap((line, index) =>
    line.drawn === 'points'
      ? []
      : [html`<path class="${classes(line, index)}" d="${path(line, across, vertical)}"/>`],
  );
  const points = lines.flatMap((line, index) =>
    dots || line.drawn === 'points' ? [marks(line, classes(line, index), across, vertical)] : [],
  );
  const words = ranges.map(({ name, least, most: top }) => `${name}: ${figures(least)} to ${figures(top)}`);
  return html`<figure><figcaption><b>${title}</b>${keys.length === 0 ? NOTHING : html`<span class="legend">${keys}</span>`}</figcaption><div class="plot">${ys}${level}<svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${`${title} over ${xTitle}`}"><desc>${words.join('; ')}</desc>${paths}</svg>${points}</div>${xAxis(across, xTitle, chart.xLabel)}${numbers ? numberTable(title, ranges) : NOTHING}</figure>`;
}

/** A short title, a unit, stands with the last label. */
function xAxis(across: Axis, title: string, label: LineChart['xLabel']): Html {
  const isUnit = title.length <= LONGEST_UNIT;
  const words = ([x, plain]: Tick) => label?.(x) ?? plain;
  const last = (tick: Tick) => (isUnit ? `${words(tick)} ${title}` : words(tick));
  const ticks = fitting(across, last);
  const labels = ticks.map((tick, index) => {
    const [x] = tick;
    const text = index === ticks.length - 1 ? last(tick) : words(tick);
    return html`<span class="${endsAtEnd(across, x, text) ? 'end' : ''}" style="left:${percent(across.at(x))}">${text}</span>`;
  });
  return html`<div class="xaxis" aria-hidden="true">${labels}</div>${isUnit ? NOTHING : html`<p class="xt" aria-hidden="true">${title}</p>`}`;
}

function percent(share: number): string {
  return `${share.toFixed(2)}%`;
}

function path({ points, stepped = false }: Line, across: Axis, vertical: Axis): string {
  const draw = pathOf<ChartPoint>(
    ([x]) => across.at(x),
    ([, y]) => 100 - vertical.at(y ?? 0),
  )
    .defined(([, y]) => y !== null)
    .curve(stepped ? curveStepAfter : curveLinear)
    .digits(2);
  return draw(thinned(points)) ?? '';
}

function marks({ points }: Line, classes: string, across: Axis, vertical: Axis): Html {
  const shown = points.flatMap(([x, y]) =>
    y === null
      ? []
      : [
          html`<span class="dot ${classes}" style="left:${percent(across.at(x))};bottom:${percent(vertical.at(y))}"></span>`,
        ],
  );
  return html`${shown}`;
}

/** What a line says without a picture. */
interface Range {
  readonly name: string;
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

function rangeOf({ points }: Line): Omit<Range, 'name'> {
  const values = points.flatMap(([, y]) => (y === null ? [] : [y]));
  if (values.length === 0) return { least: 0, mean: 0, most: 0 };
  let [least, most, sum] = [values[0], values[0], 0];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    sum += value;
  }
  return { least, mean: sum / values.length, most };
}

function numberTable(title: string, ranges: readonly Range[]): Html {
  const rows = ranges.map(
    ({ name, least, mean, most }) =>
      html`<tr><td>${name}</td>${[least, mean, most].map((value) => html`<td class="r">${figures(value)}</td>`)}</tr>`,
  );
  return html`<details class="nums"><summary>In numbers</summary><table><caption class="vh">${title}</caption><thead><tr><th scope="col">line</th><th class="r" scope="col">least</th><th class="r" scope="col">mean</th><th class="r" scope="col">greatest</th></tr></thead><tbody>${rows}</tbody></table></details>`;
}

/** A line with fewer points that looks the same: the ends of level stretches, the least and the greatest of others. */
function thinned(all: readonly ChartPoint[]): readonly ChartPoint[] {
  const points = all.filter(
    ([, y], index) =>
      index === 0 || index === all.length - 1 || y !== all[index - 1][1] || y !== all[index + 1][1],
  );
  if (points.length <= MOST_POINTS) return points;
  const stretch = Math.ceil(points.length / (MOST_POINTS / 2));
  const kept: ChartPoint[] = [];
  for (let from = 0; from < points.length; from += stretch) {
    const end = Math.min(points.length, from + stretch);
    let [least, most] = [from, from];
    for (let index = from; index < end; index++) {
      if ((points[index][1] ?? 0) < (points[least][1] ?? 0)) least = index;
      if ((points[index][1] ?? 0) > (points[most][1] ?? 0)) most = index;
    }
    for (const index of least === most ? [least] : [Math.min(least, most), Math.max(least, most)])
      kept.push(points[index]);
  }
  return kept;
}
