import {
  findRow,
  findSearchRow,
  papers,
  type PendingRow,
  type RowResult,
  showValue,
} from '../../jobs/reproduce/index.js';
import { figures } from '../figures.js';
import { type Html, html, NOTHING } from '../html.js';
import { reportPage } from '../page.js';
import { paperTracks } from '../paper-tracks.js';
import { card, items, sortable } from '../parts.js';

/** How rows were run. */
export interface RowsRun {
  readonly seed: number;
  readonly partial: boolean;
  readonly command: string;
  /** Rows that the simulator does not run yet. */
  readonly pending?: readonly PendingRow[];
}

/** Rows of papers as a report: the board, what is red and why, source beside simulator, all rows as a table. */
export function reproducePage(
  results: readonly RowResult[],
  { seed, partial, command, pending = [] }: RowsRun,
): string {
  const red = results.filter(({ ok }) => !ok);
  const green = results.length - red.length;
  const encoded = results.filter((row) => row.encoded !== undefined).length;
  const tracks = paperTracks(results);
  return reportPage({
    title: `Papers and the simulator: ${green} of ${results.length} rows green`,
    job: 'kelpie reproduce',
    mood: partial ? 'warn' : red.length > 0 ? 'bad' : 'ok',
    headline: `${green} of ${results.length} rows come out as the papers measured them`,
    lead: [
      ...(partial ? ['Interrupted: the other rows were not run.'] : []),
      ...(encoded === 0 ? [] : [`${encoded} rest on a constant that dictates the outcome.`]),
      ...(pending.length === 0 ? [] : [`${pending.length} more are not simulated yet.`]),
    ].join(' '),
    facts: [
      { name: 'rows', value: String(results.length) },
      { name: 'green', value: String(green) },
      { name: 'red', value: String(red.length) },
      ...(pending.length === 0 ? [] : [{ name: 'not simulated', value: String(pending.length) }]),
      { name: 'seed', value: String(seed) },
    ],
    command,
    body: [
      card('The board', board(results, pending)),
      ...(red.length === 0 ? [] : [card('Red, and why', redList(red))]),
      ...(tracks === NOTHING ? [] : [card('Rows with one number', tracks)]),
      card('All rows', table(results)),
    ],
  });
}

function rowOf(id: string) {
  return findSearchRow(id) ?? findRow(id);
}

/** A mark per row by paper: a square for one that comes out, a disc for one that does not, a ring for a pending one. */
function board(results: readonly RowResult[], pending: readonly PendingRow[]): Html {
  const marksOf = new Map<string, Html[]>();
  const add = (paper: string, mark: Html) => marksOf.set(paper, [...(marksOf.get(paper) ?? []), mark]);
  for (const { id, ok } of results) {
    const title = `${id}, ${ok ? 'comes out' : 'does not come out'}: ${rowOf(id).setting}`;
    add(
      paperOf(id),
      html`<a class="bx ${ok ? 'yes' : 'no'}" href="#row-${id}" title="${title}" aria-label="${title}"></a>`,
    );
  }
  for (const { id, paper, reason } of pending)
    add(paper, html`<span class="bx wait" title="${`${id} waits for ${reason}`}"></span>`);
  const keys = [
    ['yes', 'comes out'],
    ['no', 'does not'],
    ...(pending.length === 0 ? [] : [['wait', 'not simulated yet']]),
  ].map(([kind, name]) => html`<span class="k"><i class="bx ${kind}"></i>${name}</span>`);
  const rows = [...marksOf].map(([paper, marks]) => html`<dt>${paper}</dt><dd>${marks}</dd>`);
  const sources = [...marksOf.keys()].flatMap((paper) => papers[paper] ?? []);
  return html`<p class="legend xs">${keys}</p><dl class="board">${rows}</dl><details><summary>The sources, and their words</summary>${items(sources)}</details>`;
}

function paperOf(id: string): string {
  const row = rowOf(id);
  return 'paper' in row ? row.paper : 'Collie';
}

function redList(red: readonly RowResult[]): Html {
  const rows = red.map(
    ({ id, reason, partly }) =>
      html`<li><a class="mono" href="#row-${id}">${id}</a> <span class="muted">${rowOf(id).setting}.</span> ${shortened(partly ?? reason ?? 'no reason is given')}</li>`,
  );
  return html`<ul class="small reds">${rows}</ul>`;
}

/** A reason whose numbers have four figures. */
function shortened(reason: string): string {
  return reason.replaceAll(/\d+\.\d{3,}/g, (number) => figures(Number(number)));
}

function table(results: readonly RowResult[]): Html {
  const rows = results.map((row) => [
    { html: html`<span id="row-${row.id}" class="mono">${row.id}</span>` },
    row.ok ? '■ green' : '● red',
    rowOf(row.id).setting,
    showValue(row.paper),
    showValue(row.simulated),
    row.unit,
    row.tolerance,
    shortened(
      [row.reason, row.partly, row.encoded === undefined ? undefined : `encoded: ${row.encoded}`]
        .filter((each) => each !== undefined)
        .join('; '),
    ),
  ]);
  const head = ['row', 'outcome', 'setting', 'paper', 'simulated', 'unit', 'tolerance', 'why'];
  return sortable('Rows', head, rows);
}
