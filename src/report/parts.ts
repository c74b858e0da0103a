import { type Html, html, NOTHING } from './html.js';

/** A number about the run. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** Three to six numbers about a run. */
export function facts(given: readonly Fact[]): Html {
  return html`<dl class="facts">${given.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A command that the reader may want to run. */
export function command(line: string): Html {
  return html`<div class="cmd"><code tabindex="0">${line}</code><button type="button" aria-label="Copy the command">Copy</button></div>`;
}

/** A part of the page with a heading. */
export function card(title: string, ...body: readonly Html[]): Html {
  return html`<section class="card"><h2>${title}</h2>${body}</section>`;
}

/** A cell of a table: text, a number with what it is sorted by, or markup. */
export type Cell =
  | string
  | { readonly text: string; readonly value: number | null }
  | { readonly html: Html };

/** A table whose columns can be sorted; those in `right` are aligned to the right. */
export function sortable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  right: readonly number[] = [],
): Html {
  const align = (column: number) => (right.includes(column) ? 'r' : '');
  const cell = (each: Cell, column: number) =>
    typeof each === 'string' || 'html' in each
      ? html`<td class="${align(column)}">${typeof each === 'string' ? each : each.html}</td>`
      : html`<td class="${align(column)}" data-value="${each.value ?? ''}">${each.text}</td>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><thead><tr>${head.map((name, column) => html`<th class="${align(column)}" scope="col">${name === '' ? html`<span class="dim">#</span>` : html`<button type="button">${name}</button>`}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}</tbody></table></div>`;
}

/** A number with this many decimals, for a table that is sorted by it; a dash where there is none. */
export function numberCell(value: number | null | undefined, decimals = 2): Cell {
  if (value === null || value === undefined) return { text: '–', value: null };
  return { text: value.toFixed(decimals), value };
}

/** Counts as bars, the greatest first. */
export function bars(caption: string, counts: readonly (readonly [name: string, count: number])[]): Html {
  const most = Math.max(1, ...counts.map(([, count]) => count));
  const rows = counts.map(
    ([name, count]) =>
      html`<tr><th scope="row">${breakable(name)}</th><td class="bar-cell"><span class="meter"><i style="width:${((100 * count) / most).toFixed(1)}%"></i></span></td><td class="r">${count}</td></tr>`,
  );
  return html`<table class="bars"><caption class="small muted">${caption}</caption><tbody>${rows}</tbody></table>`;
}

/** A name that may be broken after its underscores and hyphens. */
export function breakable(name: string): Html {
  return html`${name.split(/(?<=[_-])/).map((part) => html`${part}<wbr>`)}`;
}

/** Words in a row. */
export function chips(words: readonly string[]): Html {
  return words.length === 0
    ? NOTHING
    : html`<div class="chips">${words.map((word) => html`<span class="chip">${word}</span>`)}</div>`;
}

/** Sentences one under the other. */
export function items(lines: readonly string[]): Html {
  return html`<ul class="small">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}
