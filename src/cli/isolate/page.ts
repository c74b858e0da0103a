import { COLUMNS, type MatrixResult, type PairResult, paperRow } from '../../jobs/isolate/index.js';
import { htmlPage } from '../html-page.js';
import { escapeHtml } from '../hunt/chart.js';

const STYLE = `.heat td{padding:0;border:1px solid #fff;width:1.1rem;height:1.1rem}.heat th{font-weight:normal;font-size:11px;white-space:nowrap;border:0;padding:1px 4px}
.heat th.v{writing-mode:vertical-rl;transform:rotate(180deg);vertical-align:bottom;text-align:left}.heat td.x{outline:2px solid #7a0c05;outline-offset:-2px}.heat{width:auto}
.heat td.r{background:repeating-linear-gradient(45deg,#ddd,#ddd 3px,#fff 3px,#fff 6px)}`;

/** Matrices on one page that needs no other file: a heat map a scheme, and Table 3. */
export function isolatePage(matrices: readonly MatrixResult[]): string {
  const title = 'Isolation between RDMA tenants';
  const body = [
    `<h1>${title}</h1>`,
    '<p>Each cell is a victim (row) beside an attacker (column): what it has, of what it has alone. White is all, red is nothing; framed cells violate the guarantee, striped ones the scheme refuses. Point at a cell for its numbers.</p>',
    '<h2>Table 3</h2>',
    table3(matrices),
    ...matrices.flatMap((matrix) => [
      `<h2>${escapeHtml(matrix.scheme)}${matrix.partial ? ' (partial: interrupted)' : ''}</h2>`,
      `<p>${escapeHtml(matrix.subsystem)}, alpha ${matrix.alpha}, guarantee ${matrix.guaranteeGbps} Gb/s${matrix.bypass ? ', the attacker goes past the scheme' : ''}: ${matrix.pairs.filter(({ outcome }) => outcome === 'violated').length} of ${matrix.pairs.length} pairs violated.</p>`,
      heatMap(matrix.pairs),
    ]),
  ];
  return htmlPage(title, body, STYLE);
}

function table3(matrices: readonly MatrixResult[]): string {
  const rows = matrices.map(({ scheme, summary }) => {
    const paper = paperRow(scheme);
    const cells = COLUMNS.map((column) => {
      const { holds, pairs } = summary[column];
      if (pairs === 0) return '<td></td>';
      const differs = paper !== null && paper[column] !== holds;
      return `<td>${holds ? 'holds' : 'violated'}${differs ? ' (not in the paper)' : ''}</td>`;
    });
    return `<tr><th>${escapeHtml(scheme)}</th>${cells.join('')}</tr>`;
  });
  return `<table><tr><th></th>${COLUMNS.map((column) => `<th>${column}</th>`).join('')}</tr>${rows.join('\n')}</table>`;
}

function heatMap(pairs: readonly PairResult[]): string {
  const attackers = [...new Set(pairs.map(({ attacker }) => attacker))];
  const victims = [...new Set(pairs.map(({ victim }) => victim))];
  const at = new Map(pairs.map((pair) => [`${pair.attacker}/${pair.victim}`, pair]));
  const head = attackers.map((name) => `<th class="v">${escapeHtml(name)}</th>`).join('');
  const rows = victims.map(
    (victim) =>
      `<tr><th>${escapeHtml(victim)}</th>${attackers.map((attacker) => cell(at.get(`${attacker}/${victim}`))).join('')}</tr>`,
  );
  return `<table class="heat"><tr><th></th>${head}</tr>\n${rows.join('\n')}\n</table>`;
}

function cell(pair: PairResult | undefined): string {
  if (pair === undefined) return '<td></td>';
  if (pair.outcome === 'refused') return `<td class="r" title="${escapeHtml(pair.reason ?? '')}"></td>`;
  const share = Math.min(1, pair.share ?? 1);
  const light = Math.round(255 * share);
  const text = `${pair.attacker} beside ${pair.victim}: ${pair.gbps?.toFixed(2)} of ${pair.aloneGbps?.toFixed(2)} Gb/s, least ${pair.thresholdGbps?.toFixed(2)}; ${pair.resource ?? ''}`;
  return `<td${pair.outcome === 'violated' ? ' class="x"' : ''} style="background:rgb(255,${light},${light})" title="${escapeHtml(text)}"></td>`;
}
