import { stringify } from 'yaml';
import {
  type Anomaly,
  cumulativeHours,
  type ExperimentRecord,
  type HuntAnswer,
  rowsOf,
} from '../../jobs/hunt/index.js';
import { counterText } from '../counter-text.js';
import { type Html, html, NOTHING } from '../html.js';
import { type ChartPoint, type Line, lineChart } from '../line-chart.js';
import { reportPage } from '../page.js';
import { card, chips, command, items, numberCell, sortable } from '../parts.js';

/** What runs a hunt again, and each of its anomalies. */
export interface HuntCommands {
  readonly again: string;
  reproducer(index: number): string;
}

/** An anomaly with its place in the answer. */
interface Placed {
  readonly anomaly: Anomaly;
  readonly index: number;
}

const NO_CAUSE = 'No part is suspected';

/** A hunt as a report: causes with their findings, the worst first, the search over time, all findings as a table. */
export function huntPage(
  answer: HuntAnswer,
  records: readonly ExperimentRecord[],
  commands: HuntCommands,
): string {
  const { subsystem, seed, experiments, hardwareHours, anomalies, partial } = answer;
  const placed = anomalies.map((anomaly, index) => ({ anomaly, index }));
  const causes = causesOf(placed.filter(({ anomaly }) => anomaly.complete));
  const leads = placed.filter(({ anomaly }) => !anomaly.complete);
  const title = `Hunt on ${subsystem}: ${counted(anomalies.length, 'anomaly', 'anomalies')}`;
  return reportPage({
    title,
    job: `kelpie hunt · ${subsystem}`,
    mood: partial ? 'warn' : anomalies.length === 0 ? 'ok' : 'bad',
    headline: headlineOf(answer, causes.length, leads.length),
    lead: [worstOf(placed), rowLine(answer), ...answer.warnings].filter((each) => each !== '').join(' '),
    facts: [
      { name: 'experiments', value: String(experiments) },
      { name: 'hours of hardware', value: hardwareHours.toFixed(1) },
      { name: 'search', value: `${answer.strategy}${answer.mfs ? '' : ', no sets'}` },
      { name: 'seed', value: String(seed) },
      { name: 'causes', value: String(causes.length) },
    ],
    command: commands.again,
    body: [
      ...causes.map(([cause, found]) => causeCard(cause, found, commands)),
      ...(leads.length === 0
        ? []
        : [
            card(
              `${counted(leads.length, 'lead', 'leads')} that the search did not reduce in time`,
              html`<p class="small muted">They are anomalies, but what they need is not known: a longer budget finds it.</p>`,
              ...leads.map((each) => finding(each, commands)),
            ),
          ]),
      ...(anomalies.length === 0 ? [] : [card('All findings', overview(placed))]),
      card('The search', html`<div class="charts">${[searchChart(records), timeChart(answer)]}</div>`),
    ],
  });
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function headlineOf(
  { anomalies, subsystem, experiments, partial }: HuntAnswer,
  causes: number,
  leads: number,
): string {
  const stopped = partial ? ' before it was interrupted' : '';
  if (anomalies.length === 0) return `No anomaly of ${subsystem} in ${experiments} experiments${stopped}`;
  const reduced = anomalies.length - leads;
  const parts = [
    ...(reduced === 0
      ? []
      : [
          `${counted(reduced, 'anomaly', 'anomalies')} with ${counted(causes, 'suspected cause', 'suspected causes')}`,
        ]),
    ...(leads === 0 ? [] : [`${counted(leads, 'lead', 'leads')} not reduced`]),
  ];
  return `${subsystem} has ${parts.join(' and ')}${stopped}`;
}

function worstOf(placed: readonly Placed[]): string {
  const [worst] = [...placed].sort(bySeverity);
  return worst === undefined ? '' : `The worst: ${worst.anomaly.why}.`;
}

function rowLine({ rows, subsystem }: HuntAnswer): string {
  const all = rowsOf(subsystem);
  return all === null ? '' : `${rows.length} of the ${all} anomalies of Collie's Table 2.`;
}

/** Findings by suspected cause, the cause with the worst one first. */
function causesOf(placed: readonly Placed[]): [string, Placed[]][] {
  const causes = new Map<string, Placed[]>();
  for (const each of [...placed].sort(bySeverity)) {
    const cause = each.anomaly.component ?? NO_CAUSE;
    causes.set(cause, [...(causes.get(cause) ?? []), each]);
  }
  return [...causes];
}

function bySeverity(one: Placed, other: Placed): number {
  return other.anomaly.severity - one.anomaly.severity || one.anomaly.hours - other.anomaly.hours;
}

function causeCard(cause: string, found: readonly Placed[], commands: HuntCommands): Html {
  const title = cause === NO_CAUSE ? cause : `Suspected: ${cause}`;
  return html`<section class="card cause"><h2>${title}</h2>${found.map((each) => finding(each, commands))}</section>`;
}

/** A finding: how bad, what triggers it, the evidence, what clears it, and the command that shows it again. */
function finding({ anomaly, index }: Placed, commands: HuntCommands): Html {
  const { symptom, severity, why, features, corners = [], counters, advice, matches, complete } = anomaly;
  const percent = `${(severity * 100).toFixed(severity < 0.01 ? 2 : 1)} %`;
  const moved = counters.slice(0, 5).map(({ name, rate }) => counterText(name, rate));
  const needs = complete ? (features.length === 0 ? ['always'] : features) : ['not found in time'];
  return html`<article class="finding" id="anomaly-${index + 1}"><header><div><div class="sev">${percent}</div><div class="xs muted">${MEANINGS[symptom] ?? symptom}</div><div class="meter ${symptom}"><i style="width:${Math.min(100, severity * 100).toFixed(1)}%"></i></div></div><div><h3>${index + 1}. ${why}</h3>${chips(matches.map((id) => `Collie ${id.replace('C', '#')}`))}</div></header>
<div class="four"><div><h4>What triggers it</h4>${chips(needs)}${corners.length === 0 ? NOTHING : items(corners.map((corner) => `or ${corner.features.join('; ')}`))}</div><div><h4>Evidence: counters that moved</h4>${moved.length === 0 ? html`<p class="small dim">none</p>` : items(moved)}</div><div><h4>What clears it, each verified by a run</h4>${advice.length === 0 ? html`<p class="small dim">no single change was found</p>` : items(advice.map(({ text }) => text))}</div><div><h4>Show it again</h4>${command(commands.reproducer(index))}</div></div>
<details><summary>The workload of anomaly ${index + 1}</summary><pre tabindex="0">${stringify(anomaly.workload)}</pre></details></article>`;
}

const MEANINGS: Readonly<Record<string, string>> = {
  pause: '‖ of the time paused',
  throughput: '↓ of the rate missing',
  loss: '× of packets lost',
};

function overview(placed: readonly Placed[]): Html {
  const rows = placed.map(({ anomaly, index }) => [
    { text: String(index + 1), value: index + 1 },
    anomaly.symptom,
    { text: `${(anomaly.severity * 100).toFixed(1)} %`, value: anomaly.severity },
    numberCell(anomaly.hours, 1),
    anomaly.component ?? '–',
    anomaly.complete ? anomaly.features.join('; ') || 'always' : 'not found in time',
  ]);
  const head = ['', 'symptom', 'severity', 'found, hours', 'suspected', 'needs'];
  return sortable('All findings', head, rows, [0, 2, 3]);
}

/** The counter that was driven most, over the hours of hardware (Collie's Figure 6). */
function searchChart(records: readonly ExperimentRecord[]): Html {
  const hours = cumulativeHours(records);
  const driven = new Map<string, number>();
  for (const { counter } of records)
    if (counter !== null) driven.set(counter, (driven.get(counter) ?? 0) + 1);
  const [name] = [...driven].sort((one, other) => other[1] - one[1])[0] ?? [];
  if (name === undefined) return html`<p class="dim">No counter was driven.</p>`;
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
    title: `${name}, % of its maximum`,
    xTitle: 'hours of hardware',
    lines: [{ name, points }],
    yMax: 100,
  });
}

/** Collie's Figures 4 and 5. */
function timeChart({ anomalies, rows }: HuntAnswer): Html {
  const steps = (times: readonly number[]): ChartPoint[] => [
    [0, 0],
    ...times.map((hours, index): ChartPoint => [hours, index + 1]),
  ];
  const times = anomalies.map(({ hours }) => hours).sort((one, other) => one - other);
  const lines: Line[] = [{ name: 'anomalies', points: steps(times), stepped: true, colour: 2 }];
  if (rows.length > 0)
    lines.push({
      name: "rows of Collie's Table 2",
      points: steps(rows.map(({ hours }) => hours)),
      stepped: true,
      dashed: true,
      colour: 1,
    });
  return lineChart({
    title: 'found',
    xTitle: 'hours of hardware',
    lines,
    yMax: Math.max(4, anomalies.length),
  });
}
