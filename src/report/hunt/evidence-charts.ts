import type { CounterLine, AnomalyEvidence, EvidenceRun } from '../../jobs/hunt/index.js';
import { figures } from '../figures.js';
import { type Html, html } from '../html.js';
import { type ChartPoint, type Line, lineChart } from '../line-chart.js';

const HOST_COLOURS = [2, 4];

/** An anomaly over time: rates as found and with what clears it, pauses, and the counters that moved most. */
export function evidenceCharts({ lineRateGbps, found, cleared }: AnomalyEvidence): Html {
  const xMax = Math.max(lastOf(found), cleared === null ? 0 : lastOf(cleared.run));
  const shared = { xTitle: 'µs', xMax, numbers: false };
  const goodput: Line[] = [
    { name: 'as found', colour: 1, points: pointsOf(found, found.goodputGbps) },
    ...(cleared === null
      ? []
      : [
          {
            name: `with ${cleared.text}`,
            colour: 3,
            dashed: true,
            points: pointsOf(cleared.run, cleared.run.goodputGbps),
          },
        ]),
  ];
  const pauses = Object.entries(found.pausePercent).map(
    ([host, values], index): Line => ({
      name: `host ${host}`,
      colour: HOST_COLOURS[index % HOST_COLOURS.length],
      dashed: index > 0,
      points: pointsOf(found, values),
    }),
  );
  const rate = lineRateGbps === null ? {} : { reference: { name: 'line rate', value: lineRateGbps } };
  const charts = [
    lineChart({ ...shared, ...rate, title: 'goodput, Gb/s', lines: goodput }),
    ...(pauses.some(({ points }) => points.some(([, y]) => y !== 0))
      ? [lineChart({ ...shared, title: 'pauses its peer, % of the time', lines: pauses, yMax: 100 })]
      : []),
    ...found.counters.map((counter) => counterChart(found, counter, shared)),
  ];
  return html`${charts}${numbers(found, cleared?.run ?? null)}<p class="xs dim">${about(found)}</p>`;
}

function counterChart(
  run: EvidenceRun,
  { name, unit, values }: CounterLine,
  shared: { xTitle: string; xMax: number; numbers: boolean },
): Html {
  return lineChart({
    ...shared,
    title: `${name.replace(/_ps(?= )/, '')}, ${unit}`,
    lines: [{ name, colour: 5, points: pointsOf(run, values) }],
    ...(unit === '% of the time' ? { yMax: 100 } : {}),
  });
}

function lastOf({ timeUs }: EvidenceRun): number {
  return timeUs[timeUs.length - 1] ?? 0;
}

function pointsOf({ timeUs }: EvidenceRun, values: readonly number[]): ChartPoint[] {
  return timeUs.map((time, index) => [time, values[index] ?? null]);
}

/** What the charts come to: the same facts without a picture. */
function numbers(found: EvidenceRun, cleared: EvidenceRun | null): Html {
  const text = ({ totalGbps, pauseRatio }: EvidenceRun) =>
    `${figures(totalGbps)} Gb/s${pauseRatio === null ? '' : `, paused ${(pauseRatio * 100).toFixed(2)} % of the time`}`;
  return html`<p class="small">Measured: ${text(found)}${cleared === null ? '.' : `; cleared: ${text(cleared)}.`}</p>`;
}

function about({ timeUs }: EvidenceRun): string {
  const slice = timeUs.length < 2 ? lastOf({ timeUs } as EvidenceRun) : timeUs[1] - timeUs[0];
  return `Goodput is counted where it arrives, both ways together, in slices of ${figures(slice)} µs, warm-up included; a run ends when it is steady.`;
}
