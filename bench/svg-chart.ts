import { line as pathOf } from 'd3-shape';
import { escapeHtml } from '../src/report/html.js';
import type { ChartPoint } from '../src/report/line-chart.js';
import { horizontalAxis, type Spacing, verticalAxis } from '../src/report/scale.js';

/** A line of a picture. */
export interface PictureLine {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly ChartPoint[];
}

/** What a picture shows. */
interface Picture {
  readonly xTitle: string;
  readonly yTitle: string;
  readonly lines: readonly PictureLine[];
  readonly spacing: Spacing;
  readonly xTicks: readonly (number | string)[];
}

const WIDTH = 900;
const LEFT = 60;
const RIGHT = 20;
const BOTTOM = 40;
const PLOT_HEIGHT = 250;
/** Names of lines stand above the plot, this many per row. */
const KEYS_PER_ROW = 3;
const KEY_HEIGHT = 18;

/** A chart as a file of its own, for pages in Markdown: its text is part of the picture. Reports use `lineChart`. */
export function svgChart({ xTitle, yTitle, lines, spacing, xTicks }: Picture): string {
  const top = 14 + KEY_HEIGHT * Math.ceil(lines.length / KEYS_PER_ROW);
  const height = top + PLOT_HEIGHT + BOTTOM;
  const greatest = Math.max(...lines.flatMap(({ points }) => points.map(([, y]) => y ?? 0)));
  const [across, vertical] = [horizontalAxis(xTicks, spacing, xTicks), verticalAxis(greatest)];
  const x = (value: number | string) => LEFT + (across.at(value) * (WIDTH - LEFT - RIGHT)) / 100;
  const y = (value: number | string) => top + PLOT_HEIGHT * (1 - vertical.at(value) / 100);
  const draw = pathOf<ChartPoint>(
    ([at]) => x(at),
    ([, value]) => y(value ?? 0),
  )
    .defined(([, value]) => value !== null)
    .digits(1);
  const text = (place: string, words: string) => `<text ${place}>${escapeHtml(words)}</text>`;
  const keys = lines.map(({ name, colour }, index) => {
    const left = LEFT + (index % KEYS_PER_ROW) * 280;
    const down = 16 + Math.floor(index / KEYS_PER_ROW) * KEY_HEIGHT;
    return `<path d="M${left} ${down - 4}h18" stroke="${colour}" stroke-width="2"/>${text(`x="${left + 24}" y="${down}"`, name)}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="12" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(`${yTitle} over ${xTitle}`)}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...keys,
    ...vertical.ticks.map(
      ([value, label]) =>
        `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" stroke="#ddd"/>${text(`x="${LEFT - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end"`, label)}`,
    ),
    ...across.ticks.map(([value, label]) =>
      text(`x="${x(value).toFixed(1)}" y="${top + PLOT_HEIGHT + 16}" text-anchor="middle"`, label),
    ),
    ...lines.map(
      ({ points, colour }) =>
        `<path fill="none" stroke="${colour}" stroke-width="1.5" d="${draw(points) ?? ''}"/>`,
    ),
    text(`x="${WIDTH / 2}" y="${height - 6}" text-anchor="middle"`, xTitle),
    text(`transform="translate(14 ${top + PLOT_HEIGHT / 2}) rotate(-90)" text-anchor="middle"`, yTitle),
    '</svg>',
    '',
  ].join('\n');
}
