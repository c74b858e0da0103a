import {
  type AnomalyEvidence,
  type ExperimentRecord,
  type HuntAnswer,
  rowsOf,
} from '../../jobs/hunt/index.js';
import { type Html, html, NOTHING } from '../html.js';
import {
  bySeverity,
  type Cause,
  causesOf,
  counted,
  type Finding,
  findingsOf,
  headingOf,
  headlineOf,
  isVerified,
} from '../hunt/causes.js';
import { findingCard, findingRow, type HuntCommands } from '../hunt/finding-card.js';
import { findingTable, searchCharts, stripPlot } from '../hunt/overview.js';
import { reportPage } from '../page.js';
import { card } from '../parts.js';

export type { HuntCommands } from '../hunt/finding-card.js';

/** Causes whose worst finding has a card; all other findings are rows. */
const MOST_CARDS = 5;

/**
 * A hunt as a report: where it breaks, causes with their findings, the worst first, the search over time, all findings as
 * a table. `evidence` is what was measured for it; without it causes are only suspected.
 */
export function huntPage(
  answer: HuntAnswer,
  records: readonly ExperimentRecord[],
  commands: HuntCommands,
  evidence: readonly AnomalyEvidence[] = [],
): string {
  const { subsystem, seed, experiments, hardwareHours, anomalies, partial } = answer;
  const findings = findingsOf(answer, evidence);
  const causes = causesOf(findings);
  const leads = findings.filter(({ anomaly }) => !anomaly.complete).sort(bySeverity);
  const all = rowsOf(subsystem);
  return reportPage({
    title: `Hunt on ${subsystem}: ${counted(anomalies.length, 'anomaly', 'anomalies')}`,
    job: `kelpie hunt · ${subsystem}`,
    mood: partial ? 'warn' : anomalies.length === 0 ? 'ok' : 'bad',
    headline: headlineOf(answer, findings),
    lead: [worstLine(findings), waysOutLine(findings), ...answer.warnings.map(sentence)]
      .filter((each) => each !== '')
      .join(' '),
    facts: [
      { name: 'experiments', value: experiments.toLocaleString('en') },
      { name: 'hours of hardware', value: hardwareHours.toFixed(1) },
      { name: 'took, s', value: answer.wallSeconds.toFixed(0) },
      ...(all === null ? [] : [{ name: "Collie's Table 2", value: `${answer.rows.length} of ${all}` }]),
      { name: 'search', value: `${answer.strategy}${answer.mfs ? '' : ', no sets'}` },
      { name: 'seed', value: String(seed) },
    ],
    command: commands.again,
    body:
      anomalies.length === 0
        ? [empty(answer), card('The search over time', searchCharts(answer, records))]
        : [
            html`<div class="over">${[
              card('Where it breaks', stripPlot(findings)),
              card('The search over time', searchCharts(answer, records)),
            ]}</div>`,
            bar(findings),
            ...causes.map((cause, place) => causeSection(cause, place, commands)),
            ...(leads.length === 0 ? [] : [leadSection(leads, commands)]),
            html`<p class="card nothing" id="nothing" hidden>No anomaly of this kind in ${experiments.toLocaleString('en')} experiments.</p>`,
            card('All findings', findingTable(findings)),
          ],
  });
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function worstLine(findings: readonly Finding[]): string {
  const reduced = findings.filter(({ anomaly }) => anomaly.complete);
  const [worst] = [...(reduced.length === 0 ? findings : reduced)].sort(bySeverity);
  return worst === undefined
    ? ''
    : sentence(`The worst${reduced.length === 0 ? '' : ' that was reduced'}: ${worst.anomaly.why}`);
}

function waysOutLine(findings: readonly Finding[]): string {
  const out = findings.filter(({ anomaly }) => anomaly.advice.length > 0).length;
  const verified = findings.filter(isVerified).length;
  if (findings.length === 0) return '';
  const of = (some: number) => (some === 0 ? 'none' : `${some} of ${findings.length}`);
  return `Known ways out: ${of(out)}. Causes verified by switching them off: ${of(verified)}.`;
}

function empty({ experiments }: HuntAnswer): Html {
  return html`<p class="card">Nothing was found in ${counted(experiments, 'experiment', 'experiments')}. A larger budget or another seed may find more.</p>`;
}

/** Which findings are shown. */
function bar(findings: readonly Finding[]): Html {
  const of = (symptom: string) => findings.filter(({ anomaly }) => anomaly.symptom === symptom).length;
  const unknown = findings.filter(({ anomaly }) => anomaly.matches.length === 0).length;
  const buttons = [
    ['all', 'All', findings.length],
    ...['pause', 'throughput', 'loss'].map((symptom) => [
      symptom,
      symptom.replace(/^./, (letter) => letter.toUpperCase()),
      of(symptom),
    ]),
    ['new', 'Not in Table 2', unknown],
  ] as const;
  return html`<div class="bar"><h2>Findings by cause, worst first</h2><div class="seg" role="group" aria-label="Which findings are shown">${buttons.map(([kind, name, count]) => html`<button type="button" data-filter="${kind}" aria-pressed="${kind === 'all' ? 'true' : 'false'}">${name} ${count}</button>`)}</div></div>`;
}

function causeSection({ component, findings }: Cause, place: number, commands: HuntCommands): Html {
  const verified = findings.filter(isVerified).length;
  const sure =
    component === null
      ? ''
      : verified === 0
        ? 'suspected'
        : verified === findings.length
          ? 'verified'
          : `verified in ${verified} of ${findings.length}`;
  const [first, ...rest] = findings;
  const rows = place < MOST_CARDS ? rest : findings;
  return html`<section class="cause" data-group><h2>${headingOf(component)} <span class="small muted">${counted(findings.length, 'finding', 'findings')}${sure === '' ? '' : `, ${sure}`}</span></h2>${place < MOST_CARDS ? findingCard(first, commands) : NOTHING}${rowList(rows, commands)}</section>`;
}

function leadSection(leads: readonly Finding[], commands: HuntCommands): Html {
  return html`<section class="cause" data-group><h2>Leads: seen, not reduced <span class="small muted">Anomalies whose triggers are not known yet; a larger budget may find them.</span></h2>${rowList(leads, commands)}</section>`;
}

function rowList(findings: readonly Finding[], commands: HuntCommands): Html {
  return findings.length === 0
    ? NOTHING
    : html`<div class="card rows">${findings.map((each) => findingRow(each, commands))}</div>`;
}
