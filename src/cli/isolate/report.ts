import {
  COLUMNS,
  type Column,
  type ColumnSummary,
  type ExperimentResult,
  type MatrixResult,
  type PairResult,
  paperRow,
} from '../../jobs/isolate/index.js';
import { formatTable } from '../terminal.js';

/** Worst pairs that are listed for each scheme. */
const WORST = 20;
const BAR = 50;

/** A matrix for people: the verdict, the worst pairs with what was exhausted, the six columns. */
export function formatMatrix(matrix: MatrixResult): string {
  const violated = matrix.pairs.filter(({ outcome }) => outcome === 'violated');
  const refused = matrix.pairs.filter(({ outcome }) => outcome === 'refused');
  const lines = [
    `${matrix.scheme} on ${matrix.subsystem}: ${violated.length} of ${matrix.pairs.length} pairs violated${inBits(matrix)}` +
      `${refused.length > 0 ? `, ${refused.length} refused` : ''} (alpha ${matrix.alpha}, guarantee ${matrix.guaranteeGbps} Gb/s)` +
      `${matrix.bypass ? ', the attacker bypasses the scheme' : ''}${matrix.partial ? ', PARTIAL: interrupted' : ''}\n`,
  ];
  for (const reason of new Set(refused.map(({ reason }) => reason))) lines.push(`refused: ${reason}\n`);
  if (violated.length > 0) {
    const worst = [...violated].sort((one, other) => (one.share ?? 0) - (other.share ?? 0)).slice(0, WORST);
    lines.push('\n', formatTable([HEADING, ...worst.map(pairRow)], [2, 3, 4, 5]));
    if (violated.length > worst.length)
      lines.push(`and ${violated.length - worst.length} more: --json or --html have all\n`);
  }
  lines.push('\n', formatSummary(matrix));
  return lines.join('');
}

/** Of a scheme that promises something else: how many pairs have less than Husky asks for. */
function inBits({ summaryInBits, pairs }: MatrixResult): string {
  if (summaryInBits === undefined) return '';
  const violated = pairs.filter(({ outcomeInBits }) => outcomeInBits === 'violated').length;
  return ` by ${PREDICATES[0]}, ${violated} by ${PREDICATES[1]}`;
}

const HEADING = ['attacker', 'victim', 'alone Gb/s', 'together', 'least', 'attacker', 'exhausted'];

function pairRow(pair: PairResult): string[] {
  return [
    pair.attacker,
    pair.victim,
    gbps(pair.aloneGbps),
    gbps(pair.gbps),
    gbps(pair.thresholdGbps),
    gbps(pair.attackerGbps),
    pair.resource ?? '',
  ];
}

/** What a scheme is held to that promises something else than bandwidth. */
const PREDICATES = ['its own guarantee, a share', "Husky's, bandwidth"] as const;

function formatSummary({ scheme, summary, summaryInBits }: MatrixResult): string {
  const paper = paperRow(scheme);
  const rows = COLUMNS.map((column) => [
    column,
    verdict(summary[column]),
    ...(summaryInBits === undefined ? [] : [verdict(summaryInBits[column])]),
    paper === null ? '' : `paper: ${paper[column] ? 'holds' : 'violated'}`,
  ]);
  const by = summaryInBits === undefined ? [''] : PREDICATES;
  return formatTable([['column of Table 3', ...by, ''], ...rows]);
}

function verdict({ holds, pairs, violated, refused }: ColumnSummary): string {
  if (pairs === 0) return 'not measured';
  if (refused === pairs) return 'refused';
  return holds ? `holds in ${pairs - refused} pairs` : `violated in ${violated} of ${pairs - refused} pairs`;
}

/** A scheme's row of Table 3. */
export interface Table3Row {
  scheme: string;
  partial: boolean;
  columns: Record<Column, ColumnSummary>;
  /** What it was held to, where that is not bandwidth alone. */
  predicate?: string;
}

/** The rows of a matrix: one, or two where the scheme promises something else than bandwidth. */
export function table3Rows({ scheme, partial, summary, summaryInBits }: MatrixResult): Table3Row[] {
  if (summaryInBits === undefined) return [{ scheme, partial, columns: summary }];
  return [
    { scheme, partial, columns: summary, predicate: PREDICATES[0] },
    { scheme, partial, columns: summaryInBits, predicate: PREDICATES[1] },
  ];
}

/** Table 3 over several schemes, with what the paper has beside it. */
export function formatTable3(rows: readonly Table3Row[]): string {
  const cells = rows.map(({ scheme, columns, partial, predicate }) => {
    const paper = paperRow(scheme);
    const marks = [...(predicate === undefined ? [] : [predicate]), ...(partial ? ['partial'] : [])];
    return [
      marks.length === 0 ? scheme : `${scheme} (${marks.join('; ')})`,
      ...COLUMNS.map((column) => {
        const mark = columns[column].holds ? 'holds' : 'violated';
        if (paper === null) return mark;
        return paper[column] === columns[column].holds
          ? `${mark} =`
          : `${mark} (paper: ${paper[column] ? 'holds' : 'violated'})`;
      }),
    ];
  });
  const compared = rows.flatMap(({ scheme, columns }) => {
    const paper = paperRow(scheme);
    return paper === null ? [] : COLUMNS.map((column) => paper[column] === columns[column].holds);
  });
  const same = compared.filter(Boolean).length;
  return `${formatTable([['scheme', ...COLUMNS], ...cells])}${same} of ${compared.length} cells as in Husky's Table 3\n`;
}

/** One pair with both time lines. */
export function formatPair(pair: PairResult, alone: ExperimentResult, together: ExperimentResult): string {
  const { outcome, outcomeInBits } = pair;
  const both =
    outcomeInBits === undefined
      ? outcome
      : `${outcome} by ${PREDICATES[0]}; ${outcomeInBits} by ${PREDICATES[1]}`;
  const lines = [`${pair.attacker} against ${pair.victim}: ${both}\n`];
  if (pair.outcome === 'refused') return `${lines[0]}refused: ${pair.reason}\n`;
  lines.push(formatTable([HEADING, pairRow(pair)], [2, 3, 4, 5]));
  for (const [title, result] of [
    ['victim alone, Gb/s of payload', alone],
    ['victim with the attacker', together],
  ] as const)
    if (result.kind === 'measured' && result.timeLine !== null)
      lines.push(`\n${title}\n${line(result.timeLine.timeNs, result.timeLine.victimGbps)}`);
  if (together.kind === 'measured' && together.timeLine !== null)
    lines.push(`\nattacker\n${line(together.timeLine.timeNs, together.timeLine.attackerGbps)}`);
  return lines.join('');
}

function line(timeNs: readonly number[], values: readonly number[]): string {
  const most = Math.max(1e-9, ...values);
  const every = Math.max(1, Math.ceil(values.length / 30));
  return values
    .flatMap((value, slice) =>
      slice % every === 0
        ? [
            `${(timeNs[slice] / 1000).toFixed(0).padStart(7)} us ${value.toFixed(2).padStart(8)} ${'#'.repeat(Math.round((value / most) * BAR))}\n`,
          ]
        : [],
    )
    .join('');
}

function gbps(value: number | null): string {
  return value === null ? '' : value.toFixed(2);
}
