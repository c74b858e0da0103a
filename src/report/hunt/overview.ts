import { cumulativeHours, type ExperimentRecord, type HuntAnswer } from '../../jobs/hunt/index.js';
import { counterName } from '../counter-text.js';
import { type Html, html } from '../html.js';
import { type ChartPoint, type Line, lineChart } from '../line-chart.js';
import { numberCell, sortable } from '../parts.js';
import { componentOf, type Finding, headingOf, isVerified, listed, severityText } from './causes.js';

/** Findings nearer than this, in % of the scale, stand above each other. */
const NEAR = 3;
const LANES = 3;
const SYMPTOMS = [
  ['pause', 2],
  ['throughput', 1],
  ['loss', 4],
] as const;

/** Findings by cause and severity: a row per cause, each dot a link. */
export function stripPlot(findings: readonly Finding[]): Html {
  const rows = new Map<string, Finding[]>();
  for (const each of findings) {
    const heading = headingOf(componentOf(each));
    rows.set(heading, [...(rows.get(heading) ?? []), each]);
  }
  const sorted = [...rows].sort(([, one], [, other]) => worst(other) - worst(one));
  const keys = SYMPTOMS.filter(([symptom]) =>
    findings.some(({ anomaly }) => anomaly.symptom === symptom),
  ).map(([symptom]) => html`<span class="k"><i class="mark-dot ${symptom}"></i>${symptom}</span>`);
  const open = findings.some(({ anomaly }) => !anomaly.complete)
    ? [html`<span class="k"><i class="mark-dot pause open"></i>not reduced</span>`]
    : [];
  const body = sorted.map(
    ([heading, found]) =>
      html`<tr><th scope="row">${heading}</th><td class="r">${found.length}</td><td class="sp"><div>${dots(found)}</div></td></tr>`,
  );
  return html`<p class="legend xs">${[...keys, ...open]}</p><table class="strip"><thead><tr><th scope="col">cause</th><th scope="col" class="r">found</th><th scope="col"><div class="sx"><span>0</span><span>severity</span><span>100 %</span></div></th></tr></thead><tbody>${body}</tbody></table>`;
}

function worst(found: readonly Finding[]): number {
  return Math.max(...found.map(({ anomaly }) => anomaly.severity));
}

function dots(found: readonly Finding[]): Html[] {
  const lastAt = new Array<number>(LANES).fill(Number.NEGATIVE_INFINITY);
  return [...found]
    .sort((one, other) => one.anomaly.severity - other.anomaly.severity)
    .map(({ anomaly, index }) => {
      const at = Math.min(100, anomaly.severity * 100);
      const lane = Math.max(
        0,
        lastAt.findIndex((before) => at - before >= NEAR),
      );
      lastAt[lane] = at;
      const title = `Anomaly ${index + 1}: ${anomaly.symptom}, ${severityText(anomaly.severity)}`;
      return html`<a class="mark-dot ${anomaly.symptom}${anomaly.complete ? '' : ' open'} lane${lane}" style="left:${at.toFixed(1)}%" href="#anomaly-${index + 1}" title="${title}" aria-label="${title}"></a>`;
    });
}

/** The search over hours of hardware: how bad what it found is, and how much it found (Collie's Figures 4 to 6). */
export function searchCharts(answer: HuntAnswer, records: readonly ExperimentRecord[]): Html {
  const { anomalies, rows, hardwareHours } = answer;
  const shared = { xTitle: 'hours of hardware', xMax: hardwareHours };
  const severities = SYMPTOMS.flatMap(([symptom, colour]): Line[] => {
    const points = anomalies
      .filter((each) => each.symptom === symptom)
      .map(({ hours, severity }): ChartPoint => [hours, severity * 100]);
    return points.length === 0 ? [] : [{ name: symptom, colour, points, drawn: 'points' }];
  });
  const steps = (times: readonly number[]): ChartPoint[] => [
    [0, 0],
    ...times.map((hours, index): ChartPoint => [hours, index + 1]),
    [hardwareHours, times.length],
  ];
  const times = anomalies.map(({ hours }) => hours).sort((one, other) => one - other);
  const found: Line[] = [
    { name: 'anomalies', points: steps(times), stepped: true, colour: 1 },
    ...(rows.length === 0
      ? []
      : [
          {
            name: "rows of Collie's Table 2",
            points: steps(rows.map(({ hours }) => hours)),
            ...{ stepped: true, dashed: true, colour: 5 },
          },
        ]),
  ];
  return html`<div class="stack">${[
    lineChart({
      ...shared,
      title: 'severity, %, when it was found',
      lines: severities,
      yMax: 100,
      numbers: false,
    }),
    lineChart({
      ...shared,
      title: 'found so far',
      lines: found,
      yMax: Math.max(4, anomalies.length),
      numbers: false,
    }),
    drivenChart(records, shared),
  ]}</div>`;
}

/** The counter that was driven most (Collie's Figure 6). */
function drivenChart(records: readonly ExperimentRecord[], shared: { xTitle: string; xMax: number }): Html {
  const hours = cumulativeHours(records);
  const driven = new Map<string, number>();
  for (const { counter } of records)
    if (counter !== null) driven.set(counter, (driven.get(counter) ?? 0) + 1);
  const [name] = [...driven].sort((one, other) => other[1] - one[1])[0] ?? [];
  if (name === undefined) return html``;
  const value = ({ observation }: ExperimentRecord) =>
    observation.counters[name] ??
    (name === 'wireGbps'
      ? observation.wireGbps
      : name === 'packetsPerSecond'
        ? observation.packetsPerSecond
        : 0);
  const most = records.reduce((greatest, record) => Math.max(greatest, value(record)), 1e-9);
  const points = records.map((record, index) => [hours[index], (100 * value(record)) / most] as const);
  return lineChart({
    ...shared,
    title: `${counterName(name)}, % of its maximum: the counter that was driven most`,
    lines: [{ name, points, colour: 6 }],
    yMax: 100,
    numbers: false,
  });
}

/** Every finding as a row of a table. */
export function findingTable(findings: readonly Finding[]): Html {
  const rows = listed(findings).map((each) => {
    const { anomaly, index } = each;
    return [
      { text: String(index + 1), value: index + 1 },
      anomaly.symptom,
      { text: severityText(anomaly.severity), value: anomaly.severity },
      numberCell(anomaly.hours, 1),
      headingOf(componentOf(each)),
      isVerified(each) ? 'verified' : 'suspected',
      anomaly.matches.map((id) => id.replace('C', '#')).join(' ') || '–',
      anomaly.complete ? anomaly.features.join('; ') || 'always' : 'not reduced in time',
    ];
  });
  const head = ['', 'symptom', 'severity', 'found, h', 'cause', 'how sure', 'Table 2', 'needs'];
  return sortable('All findings', head, rows, [0, 2, 3]);
}
