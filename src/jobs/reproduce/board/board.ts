import type { Value } from '../row.js';
import { SEARCH_SEEDS, searchRows } from '../rows/collie/search.js';
import { pending, rows } from '../rows.js';
import type { RowResult, TaskResult } from '../task.js';
import { type AblationFinding, collieCauses } from './causes.js';
import { chart } from './chart.js';
import type { SweepFinding } from './sweeps.js';

/** What of a row came out with another seed. */
export type SeedResult = Pick<RowResult, 'id' | 'ok' | 'trend' | 'magnitude' | 'reason'>;

/** The committed board as data. */
export interface Board {
  format: 'kelpie-fidelity/1';
  seed: number;
  rows: RowResult[];
  /** The same rows with other seeds: a row is green with all of them. */
  otherSeeds: { seed: number; rows: SeedResult[] }[];
  /** Rows about the search, as they came out when they were last run: whole hunts, which no board waits for. */
  searches: RowResult[];
  ablations: AblationFinding[];
  sweeps: SweepFinding[];
}

/** How many seeds a board has. */
const SEEDS = 3;

/** The seeds of a board, the first of which gives its numbers. */
export function boardSeeds(first: number): number[] {
  return Array.from({ length: SEEDS }, (_, index) => first + index);
}

/** Puts a board together; the order is that of the tasks, whoever finished first. */
export function makeBoard(
  results: readonly TaskResult[],
  seed: number,
  searches: readonly RowResult[] = [],
): Board {
  const rowsWith = (wanted: number) =>
    results.flatMap((each) => (each.kind === 'row' && each.seed === wanted ? [each.result] : []));
  const others = new Set(results.flatMap((each) => (each.kind === 'row' ? [each.seed] : [])));
  others.delete(seed);
  return {
    format: 'kelpie-fidelity/1',
    seed,
    rows: rowsWith(seed),
    otherSeeds: [...others].map((other) => ({
      seed: other,
      rows: rowsWith(other).map(({ id, ok, trend, magnitude, reason }) => ({
        ...{ id, ok, trend, magnitude },
        ...(reason === undefined ? {} : { reason }),
      })),
    })),
    searches: [...searches],
    ablations: results.flatMap((each) => (each.kind === 'ablation' ? [each.result] : [])),
    sweeps: results.flatMap((each) => (each.kind === 'sweep' ? [each.result] : [])),
  };
}

/** The text of a board file. */
export function boardText(board: Board): string {
  return `${JSON.stringify(board, null, 1)}\n`;
}

/** Rows that are green on the board and red in these results. */
export function turnedRed(board: Board, results: readonly RowResult[]): string[] {
  const green = new Set(board.rows.filter(({ ok }) => ok).map(({ id }) => id));
  return results.filter(({ id, ok }) => !ok && green.has(id)).map(({ id }) => id);
}

/** Rows whose results are not those of the board. */
export function differing(board: Board, results: readonly RowResult[]): string[] {
  return results
    .filter(
      (result) => JSON.stringify(board.rows.find(({ id }) => id === result.id)) !== JSON.stringify(result),
    )
    .map(({ id }) => id);
}

/** A row of a target with all that is known of it. */
interface Line {
  id: string;
  paper: string;
  setting: string;
  expected: Value;
  facts: readonly string[];
  /** Null where it is not on the board. */
  result: RowResult | null;
  /** What of it came out with each seed. */
  seeds: readonly SeedResult[];
  /** Set where it cannot be run yet: why. */
  pending: string | null;
}

/** Every row of every target, in the order of the board. */
function linesOf(board: Board): Line[] {
  const found = new Map([...board.rows, ...board.searches].map((result) => [result.id, result]));
  const seedsOf = (id: string) =>
    [board.rows, board.searches, ...board.otherSeeds.map((other) => other.rows)].flatMap((each) =>
      each.filter((result) => result.id === id),
    );
  const line = (
    row: Pick<Line, 'id' | 'paper' | 'setting' | 'expected'>,
    facts: readonly string[],
  ): Line => ({
    ...{ id: row.id, paper: row.paper, setting: row.setting, expected: row.expected, facts },
    ...{ result: found.get(row.id) ?? null, seeds: seedsOf(row.id), pending: null },
  });
  return [
    ...rows.map((row) => line(row, row.facts)),
    ...searchRows.map((row) => line({ ...row, paper: 'Collie' }, [SEARCH_FACT])),
    ...pending.map(({ reason, ...row }) => ({ ...line({ ...row, expected: '' }, []), pending: reason })),
  ];
}

const SEARCH_FACT = `whole hunts with ${SEARCH_SEEDS} seeds: run by name, kept here as they last came out`;

/** A row is green when all that its source gives came out with every seed. */
function isGreen({ seeds }: Line): boolean {
  return seeds.length > 0 && seeds.every(({ ok }) => ok);
}

/** How many rows that have a mark hold it with every seed, of how many. */
function marked(lines: readonly Line[], mark: 'trend' | 'magnitude'): string {
  const given = lines.filter(({ seeds }) => seeds.some((each) => each[mark] !== null));
  const held = given.filter(({ seeds }) => seeds.every((each) => each[mark] !== false));
  return `${held.length} of ${given.length}`;
}

/**
 * How much of all targets is green, in a sentence: rows that were not run, or that nobody can run yet, count as well.
 *
 * @example
 * console.log(boardHeadline(makeBoard(results, 1)));
 */
export function boardHeadline(board: Board): string {
  const lines = linesOf(board);
  const green = lines.filter(isGreen);
  const encoded = green.filter(({ result }) => result?.encoded !== undefined).length;
  const missing = lines.filter(({ result }) => result === null);
  const waiting = missing.filter((line) => line.pending !== null).length;
  const seeds = [board.seed, ...board.otherSeeds.map(({ seed }) => seed)];
  return (
    `${green.length} of all ${lines.length} rows are green with ${seeds.length === 1 ? `seed ${seeds[0]}` : `each of the seeds ${seeds.join(', ')}`}: ` +
    `trend ${marked(lines, 'trend')}, magnitude ${marked(lines, 'magnitude')}; ${encoded} green ones are encoded; ` +
    `${missing.length} were not run, ${waiting} of them because they are not yet simulated`
  );
}

/** The board for people: markdown, made from the data alone. */
export function renderBoard(board: Board): string {
  const lines = linesOf(board);
  const papers = [...new Set(lines.map(({ paper }) => paper))];
  const green = lines.filter(isGreen);
  const encoded = green.filter(({ result }) => result?.encoded !== undefined);
  const waiting = lines.filter((line) => line.pending !== null);
  const partly = lines.filter(({ result }) => result?.partly !== undefined);
  const seeds = [board.seed, ...board.otherSeeds.map(({ seed }) => seed)];
  const of = (paper: string) => lines.filter((line) => line.paper === paper);
  return [
    '# Fidelity: the papers beside the simulator',
    '',
    'Generated by `kelpie reproduce --update-board`; do not edit. Every number in the column *simulator* was measured in',
    `the run that wrote this file (seed ${board.seed}); the marks hold for seeds ${seeds.join(', ')}. \`kelpie reproduce ID\` runs a row again.`,
    '',
    `**${green.length} of all ${lines.length} rows are green** (${percent(green.length / lines.length)}): all that the source gives came out, with every seed.`,
    `Symptom or trend: ${marked(lines, 'trend')} rows that have one. Magnitude: ${marked(lines, 'magnitude')}.`,
    `${waiting.length} rows are not yet simulated, ${partly.length} only in part; ${encoded.length} green ones are *encoded*: a setting or constant says the outcome.`,
    '',
    'Marks: *trend*: the symptom is there, or the trend holds. *magnitude*: numbers within the tolerance; of Collie the pause',
    'share within a factor of two (both NICs where both send) and rates within 15 %. *green*: all of the two that the source',
    'gives, with how many seeds. `–`: the source gives none.',
    ...numberless(lines),
    '',
    table(
      ['source', 'rows', 'green', 'trend', 'magnitude', 'encoded', 'not yet simulated'],
      papers.map((paper) => [
        paper,
        String(of(paper).length),
        String(of(paper).filter(isGreen).length),
        marked(of(paper), 'trend'),
        marked(of(paper), 'magnitude'),
        String(of(paper).filter(({ result }) => result?.encoded !== undefined).length),
        String(of(paper).filter((line) => line.pending !== null).length),
      ]),
    ),
    '',
    ...papers.map((paper) => paperSection(paper, of(paper), seeds.length)),
    causes(board),
    responses(board),
  ].join('\n');
}

/** That most of Collie's anomalies are told by their symptom alone, and how many are not. */
function numberless(lines: readonly Line[]): string[] {
  const anomalies = lines.filter(({ id }) => /^C\d+$/.test(id));
  const measured = anomalies.filter(({ seeds }) => seeds.some(({ magnitude }) => magnitude !== null));
  if (measured.length === 0) return [];
  const ids = measured.map(({ id }) => id).join(', ');
  return [
    `Of Collie's ${anomalies.length} anomalies the paper gives a pause share or a rate for ${measured.length} (${ids}); ${marked(anomalies, 'magnitude')} hold.`,
    'The others have a symptom and its bounds alone: there is no number that a magnitude could be held against.',
  ];
}

function paperSection(paper: string, own: readonly Line[], seedCount: number): string {
  const lines = own.map(({ id, setting, expected, result, seeds, pending: waits }) => {
    if (result === null)
      return [
        id,
        setting,
        showValue(expected),
        waits ?? 'not run',
        '',
        '',
        '',
        '',
        waits === null ? 'not run' : 'not yet',
      ];
    return [
      id,
      setting,
      showValue(result.paper),
      showValue(result.simulated),
      result.unit,
      result.tolerance,
      mark(seeds, 'trend'),
      mark(seeds, 'magnitude'),
      outcome(result, seeds, seedCount),
    ];
  });
  const facts = own
    .filter((row) => row.facts.length > 0)
    .map((row) => `- ${row.id}: ${row.facts.join('; ')}`);
  const head = [
    'row',
    'setting',
    'source',
    'simulator',
    'unit',
    'tolerance',
    'trend',
    'magnitude',
    'outcome',
  ];
  const chosen =
    facts.length === 0 ? [] : ['What the source does not give and was chosen:', '', ...facts, ''];
  return [`## ${paper}`, '', table(head, lines), '', ...chosen].join('\n');
}

/** Whether a mark holds: with every seed, with none, or with some. */
function mark(seeds: readonly SeedResult[], name: 'trend' | 'magnitude'): string {
  const given = seeds.filter((each) => each[name] !== null);
  const held = given.filter((each) => each[name] === true).length;
  if (given.length === 0) return '–';
  if (held === given.length) return 'yes';
  return held === 0 ? '**no**' : `**${held} of ${given.length} seeds**`;
}

function outcome(result: RowResult, seeds: readonly SeedResult[], seedCount: number): string {
  const green = seeds.filter(({ ok }) => ok).length;
  // Hunts have seeds of their own.
  const many = seeds.length === 1 ? '' : `, ${green} of ${seedCount} seeds`;
  const encoded = result.encoded === undefined ? '' : `; *encoded*: ${result.encoded}`;
  if (result.partly !== undefined) return `**partly**: ${result.reason ?? ''}${encoded}`;
  if (green === seeds.length) return `green${many}${encoded}`;
  return `**red**${many}: ${result.reason ?? `with another seed ${seeds.find(({ ok }) => !ok)?.reason ?? ''}`}${encoded}`;
}

function causes(board: Board): string {
  const lines = board.ablations.map((each) => {
    const { counted } = each;
    const cause = collieCauses[each.id];
    return [
      each.id,
      cause.why,
      `\`${each.mechanism}\``,
      each.on,
      each.off,
      each.clears ? 'yes' : '**no**',
      `\`${each.counter}\` (host ${cause.host}): ${number(counted.on)} / ${number(counted.clean)} (${each.cleanBy}) / ${number(counted.off)}`,
      each.raised ? 'yes' : '**no**',
    ];
  });
  const cleared = board.ablations.filter(({ clears, raised }) => clears && raised).length;
  return [
    '## Causes of the Collie rows',
    '',
    'Each row with the one mechanism that is named as its cause switched off, nothing else changed. The counter is given',
    'a second: in the row, in its clean run (the break that is named), and with the mechanism off.',
    '',
    `${cleared} of ${board.ablations.length} causes hold: the symptom goes with the mechanism, and the counter is raised.`,
    '',
    table(
      ['row', 'cause', 'mechanism', 'on', 'off', 'clears it', 'counter: row / clean / off', 'raised'],
      lines,
    ),
    '',
  ].join('\n');
}

function responses(board: Board): string {
  const blocks = board.sweeps.map((sweep) => `### ${sweep.row}: ${sweep.parameter}\n\n${chart(sweep)}\n`);
  return [
    '## Responses around the thresholds',
    '',
    'One parameter of a Collie row at a time, from the break to beyond the trigger. The bars are the share of the time in',
    'which the worse NIC paused its peer, and the delivered rate as a share of the line.',
    '',
    ...blocks,
  ].join('\n');
}

/** A value in a cell. */
export function showValue(value: Value): string {
  if (typeof value !== 'object') return typeof value === 'number' ? number(value) : value;
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${typeof each === 'number' ? number(each) : each}`)
    .join('; ');
}

function number(value: number): string {
  return Math.abs(value) >= 1e6 ? value.toExponential(2) : String(value);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...lines.map(line)].join('\n');
}
