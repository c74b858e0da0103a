import { stringify } from 'yaml';
import {
  type Anomaly,
  cumulativeHours,
  type ExperimentRecord,
  type HuntAnswer,
  rowsOf,
} from '../../jobs/hunt/index.js';
import { htmlPage } from '../html-page.js';
import { escapeHtml, type Series, svgChart } from './chart.js';

/** A hunt on one page that needs no other file: table, search over time, time to the n-th anomaly, reproducers. */
export function huntPage(answer: HuntAnswer, records: readonly ExperimentRecord[]): string {
  const { subsystem, seed, experiments, hardwareHours, anomalies } = answer;
  const title = `Hunt on ${subsystem}`;
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(answer.strategy)}, counters ${escapeHtml(answer.counters.join(' and '))}, ${answer.mfs ? 'with' : 'without'} minimal feature sets, seed ${seed}: ${experiments} experiments, ${hardwareHours.toFixed(1)} hours of hardware${answer.partial ? ', interrupted' : ''}.</p>`,
    ...answer.warnings.map((warning) => `<p><strong>Warning:</strong> ${escapeHtml(warning)}</p>`),
    '<h2>Anomalies</h2>',
    anomalies.length === 0 ? `<p>None found in ${experiments} experiments.</p>` : table(answer),
    '<h2>The search over time</h2>',
    searchChart(answer, records),
    '<h2>Time to the n-th anomaly</h2>',
    timeChart(answer),
    '<h2>Reproducers</h2>',
    ...anomalies.map(
      (anomaly, index) =>
        `<details><summary>${index + 1}. ${escapeHtml(anomaly.symptom)}: ${escapeHtml(anomaly.features.join('; '))}</summary><pre>${escapeHtml(stringify(anomaly.workload))}</pre></details>`,
    ),
  ];
  return htmlPage(title, body);
}

/** The set, and those of other sights. */
function setsOf({ features, corners = [] }: Anomaly): string {
  return [features.join('<br>'), ...corners.map((corner) => `or ${corner.features.join('; ')}`)].join('<br>');
}

function table({ anomalies, subsystem }: HuntAnswer): string {
  const rows = anomalies.map((anomaly, index) => {
    const cells = [
      anomaly.symptom,
      `${(anomaly.severity * 100).toFixed(1)} %`,
      `${anomaly.hours.toFixed(1)} h`,
      anomaly.matches.map((id) => id.replace('C', '#')).join(' '),
      anomaly.complete ? setsOf(anomaly) : 'set not found in time',
      anomaly.component ?? '',
      anomaly.advice.map(({ text }) => text).join('<br>'),
    ];
    const safe = cells.map((cell) => `<td>${cell.split('<br>').map(escapeHtml).join('<br>')}</td>`);
    return `<tr><td class="n">${index + 1}</td>${safe.join('')}</tr>`;
  });
  const all = rowsOf(subsystem);
  const found = new Set(anomalies.flatMap(({ matches }) => matches)).size;
  const count = all === null ? '' : `<p>${found} of the ${all} anomalies of Collie's Table 2.</p>`;
  return `<table><tr><th></th><th>symptom</th><th>severity</th><th>found</th><th>Collie</th><th>needs</th><th>suspected</th><th>clears it</th></tr>\n${rows.join('\n')}\n</table>${count}`;
}

/** Figure 6: the counter that was driven most, normalised, with the anomalies. */
function searchChart({ anomalies }: HuntAnswer, records: readonly ExperimentRecord[]): string {
  const hours = cumulativeHours(records);
  const driven = new Map<string, number>();
  for (const { counter } of records)
    if (counter !== null) driven.set(counter, (driven.get(counter) ?? 0) + 1);
  const [name] = [...driven].sort((one, other) => other[1] - one[1])[0] ?? [];
  if (name === undefined) return '<p>No counter was driven.</p>';
  const value = ({ observation }: ExperimentRecord) =>
    observation.counters[name] ??
    (name === 'wireGbps'
      ? observation.wireGbps
      : name === 'packetsPerSecond'
        ? observation.packetsPerSecond
        : 0);
  const most = Math.max(1e-9, ...records.map(value));
  const points = records.map((record, index) => [hours[index], value(record) / most] as const);
  const marks = anomalies.map(
    ({ experiment, hours: at }) => [at, value(records[Math.max(0, experiment - 1)]) / most] as const,
  );
  const series: Series[] = [
    { name: `${name}, share of its maximum`, colour: '#1f5fa8', points },
    { name: 'anomalies', colour: '#c0271d', points: marks, marks: true },
  ];
  return svgChart('hours of hardware', name, series);
}

/** Figures 4 and 5. */
function timeChart({ anomalies, rows }: HuntAnswer): string {
  const steps = (times: readonly number[]) => [
    [0, 0] as const,
    ...times.flatMap((hours, index) => [[hours, index] as const, [hours, index + 1] as const]),
  ];
  const times = anomalies.map(({ hours }) => hours).sort((one, other) => one - other);
  const series: Series[] = [{ name: 'anomalies', colour: '#1f5fa8', points: steps(times) }];
  if (rows.length > 0)
    series.push({
      name: "rows of Collie's Table 2",
      colour: '#c0271d',
      points: steps(rows.map(({ hours }) => hours)),
    });
  return svgChart('hours of hardware', 'found', series);
}
