import { escapeHtml } from '../../report/html.js';

/** A line or marks of a chart. */
export interface Series {
  name: string;
  colour: string;
  points: readonly (readonly [x: number, y: number])[];
  /** Marks instead of a line. */
  marks?: boolean;
}

const WIDTH = 900;
const HEIGHT = 300;
const LEFT = 60;
const BOTTOM = 40;
const TOP = 12;

/** A chart as inline SVG: no script, no other file. `xTicks`: where the axis has labels; default: at quarters of it. */
export function svgChart(
  xLabel: string,
  yLabel: string,
  series: readonly Series[],
  xTicks?: readonly (readonly [value: number, label: string])[],
): string {
  const all = series.flatMap(({ points }) => points);
  const xMax = Math.max(1e-9, ...all.map(([x]) => x));
  const yMax = Math.max(1e-9, ...all.map(([, y]) => y));
  const x = (value: number) => LEFT + (value / xMax) * (WIDTH - LEFT - 10);
  const y = (value: number) => HEIGHT - BOTTOM - (value / yMax) * (HEIGHT - BOTTOM - TOP);
  const quarters = [0, 0.25, 0.5, 0.75, 1];
  const across = xTicks ?? quarters.map((share): [number, string] => [share * xMax, short(share * xMax)]);
  const below = across.map(
    ([value, text]) =>
      `<text x="${x(value).toFixed(1)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${escapeHtml(text)}</text>`,
  );
  const ticks = quarters.flatMap((share) => [
    `<text x="${LEFT - 6}" y="${(y(share * yMax) + 4).toFixed(1)}" text-anchor="end">${short(share * yMax)}</text>`,
    `<line x1="${LEFT}" x2="${WIDTH - 10}" y1="${y(share * yMax).toFixed(1)}" y2="${y(share * yMax).toFixed(1)}" stroke="#ddd"/>`,
  ]);
  const drawn = series.map(({ points, colour, marks }) =>
    marks === true
      ? points
          .map(
            ([px, py]) =>
              `<path d="M${(x(px) - 5).toFixed(1)} ${(y(py) - 5).toFixed(1)}l10 10m0 -10l-10 10" stroke="${colour}" stroke-width="2"/>`,
          )
          .join('')
      : `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join(' ')}"/>`,
  );
  const legend = series.map(
    ({ name, colour }, index) =>
      `<text x="${LEFT + 10 + index * 220}" y="${TOP + 8}" fill="${colour}">${escapeHtml(name)}</text>`,
  );
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(`${yLabel} over ${xLabel}`)}">`,
    ...below,
    ...ticks,
    ...drawn,
    ...legend,
    `<text x="${WIDTH / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escapeHtml(xLabel)}</text>`,
    `<text transform="translate(14 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${escapeHtml(yLabel)}</text>`,
    '</svg>',
  ].join('\n');
}

function short(value: number): string {
  if (value === 0) return '0';
  return value >= 1e4 || value < 0.01 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}
