import {
  type Anomaly,
  type AnomalyEvidence,
  type HuntAnswer,
  type Nearness,
  rowsOf,
  type SearchSummary,
} from '../../jobs/hunt/index.js';
import { counterText } from '../../report/counter-text.js';
import { findingsOf, headlineOf, listed, severityText } from '../../report/hunt/causes.js';
import { formatTable } from '../terminal.js';

/** The answer of a hunt for people; `reproducer` is the command that runs an anomaly's workload again. */
export function formatAnswer(
  answer: HuntAnswer,
  reproducer: (index: number) => string,
  evidence: readonly AnomalyEvidence[] = [],
): string {
  const { anomalies, subsystem, seed, experiments, hardwareHours, wallSeconds } = answer;
  const head = `${subsystem}, ${answer.strategy}${answer.mfs ? '' : ' without sets'}, seed ${seed}: ${experiments} experiments, ${hardwareHours.toFixed(1)} hours of hardware, ${wallSeconds.toFixed(0)} s${answer.partial ? ', PARTIAL: interrupted' : ''}\n`;
  const warnings = answer.warnings.map((warning) => `warning: ${warning}\n`).join('');
  if (anomalies.length === 0) return `${head}${warnings}none found in ${experiments} experiments\n`;
  const found = findingsOf(answer, evidence);
  const findings = listed(found);
  const rows = findings.map(({ anomaly, index }) => [
    String(index + 1),
    anomaly.symptom,
    severityText(anomaly.severity),
    String(anomaly.experiment),
    `${anomaly.hours.toFixed(1)} h`,
    anomaly.matches.map((id) => id.replace('C', '#')).join(' ') || '-',
    anomaly.complete ? anomaly.features.join('; ') || 'always' : 'not reduced in time',
  ]);
  const table = formatTable(
    [['', 'symptom', 'severity', 'experiment', 'found', 'Collie', 'needs'], ...rows],
    [0, 2, 3, 4],
  );
  const details = findings.map(({ anomaly, index, evidence: measured }) =>
    detail(anomaly, index, reproducer(index), measured?.cause ?? null),
  );
  return `${head}${warnings}${headlineOf(answer, found)}\n\n${table}\n${details.join('')}${rowLine(answer)}`;
}

function detail(
  anomaly: Anomaly,
  index: number,
  reproducer: string,
  cause: AnomalyEvidence['cause'],
): string {
  const lines = [`${index + 1}. ${anomaly.why}`];
  for (const { features } of anomaly.corners ?? []) lines.push(`   also with: ${features.join('; ')}`);
  if (cause?.clears === true) lines.push(`   verified: gone if ${cause.whatIf}`);
  else if (anomaly.component !== null) lines.push(`   suspected: ${anomaly.component}`);
  const moved = anomaly.counters.slice(0, 3).map(({ name, rate }) => counterText(name, rate));
  if (moved.length > 0) lines.push(`   moved: ${moved.join(', ')}`);
  for (const { text } of anomaly.advice) lines.push(`   clears it: ${text}`);
  lines.push(`   reproduce: ${reproducer}`);
  return `${lines.join('\n')}\n`;
}

function rowLine({ rows, subsystem }: HuntAnswer): string {
  const all = rowsOf(subsystem);
  if (all === null) return '';
  const number = (id: string) => id.replace('C', '#');
  if (rows.length === 0) return `\nnone of the ${all} anomalies of Collie's Table 2\n`;
  const line = `\n${rows.length} of the ${all} anomalies of Collie's Table 2: ${rows.map(({ id }) => number(id)).join(' ')}\n`;
  if (rows.some(({ bounds }) => bounds === undefined)) return line;
  const table = rows.filter(({ bounds }) => bounds === 'table');
  const twice = rows.filter(({ bounds }) => bounds !== 'looser');
  const listed = table.length === 0 ? '' : `: ${table.map(({ id }) => number(id)).join(' ')}`;
  return `${line}${rows.length} rows, ${table.length} of them within Table 2's bounds${listed}; ${twice.length} within a factor of two\n`;
}

/** Several hunts side by side. */
export function formatComparison(answers: readonly { id: number; answer: HuntAnswer }[]): string {
  const rows = answers.map(({ id, answer }) => [
    String(id),
    answer.subsystem,
    `${answer.strategy}${answer.mfs ? '' : ', no sets'} (${answer.counters.join(', ')})`,
    String(answer.seed),
    String(answer.experiments),
    String(answer.anomalies.length),
    String(answer.rows.length),
    answer.rows.map(({ id: row, hours }) => `${row.replace('C', '#')} ${hours.toFixed(1)}h`).join(' '),
  ]);
  const head = ['hunt', 'subsystem', 'search', 'seed', 'experiments', 'anomalies', 'rows', 'first found'];
  return formatTable([head, ...rows], [0, 3, 4, 5, 6]);
}

/** Mean and deviation of searches over seeds (Figures 4 and 5). */
export function formatSummaries(summaries: readonly SearchSummary[]): string {
  const rows = summaries.map(({ name, seeds, found, hoursToNth }) => [
    name,
    String(seeds),
    `${found.mean.toFixed(1)} ± ${found.deviation.toFixed(1)}`,
    hoursToNth.map(({ n, mean }) => `${n}: ${mean.toFixed(1)}h`).join(' '),
  ]);
  return formatTable([['search', 'seeds', 'rows found', 'mean time to the n-th'], ...rows], [1]);
}

/** What a workload is near to, for people. */
export function formatNearness(
  name: string,
  subsystem: string,
  near: readonly Nearness[],
  known: number,
): string {
  if (known === 0)
    return `${name} on ${subsystem}: there is nothing to compare with: no hunt has reduced an anomaly to what it needs\n`;
  if (near.length === 0)
    return `${name} on ${subsystem}: meets none of the ${known} known anomalies and is not one step away from any\n`;
  const parts = near.map(({ anomaly, tenant, state, met, missing, advice }) => {
    const known =
      anomaly.matches.length === 0
        ? ''
        : ` (Collie ${anomaly.matches.map((id) => id.replace('C', '#')).join(' ')})`;
    const lines = [
      `${state === 'meets' ? 'MEETS' : 'one step from'} ${anomaly.symptom}${known}${tenant === name ? '' : `, tenant ${tenant}`}: ${anomaly.why}`,
      `  has: ${met.join('; ')}`,
    ];
    if (missing !== null) lines.push(`  lacks: ${missing}`);
    for (const text of advice) lines.push(`  ${state === 'meets' ? 'change' : 'advice'}: ${text}`);
    return lines.join('\n');
  });
  return `${name} on ${subsystem}:\n\n${parts.join('\n\n')}\n`;
}
