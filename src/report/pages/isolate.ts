import { COLUMNS, type MatrixResult, type PairResult, paperRow } from '../../jobs/isolate/index.js';
import { figures } from '../figures.js';
import { type Html, html, NOTHING } from '../html.js';
import { reportPage } from '../page.js';
import { bars, card, numberCell, sortable } from '../parts.js';

/** Matrices as a report: a heat map with numbers and the exhausted resource per scheme, Table 3, the pairs as a table. */
export function isolatePage(matrices: readonly MatrixResult[], command: string): string {
  const pairs = matrices.flatMap((matrix) => matrix.pairs);
  const violated = pairs.filter(({ outcome }) => outcome === 'violated');
  const [first] = matrices;
  const schemes = matrices.map(({ scheme }) => scheme).join(', ');
  const under =
    matrices.length > 1
      ? `Under ${matrices.length} schemes`
      : schemes === 'none'
        ? 'Without isolation'
        : `Under ${schemes}`;
  const partial = matrices.some((matrix) => matrix.partial);
  // A page stays short: many pairs are shown by the class of the attacker, each by its worst.
  const every = pairs.length <= MOST_CELLS;
  const [worst] = [...violated].sort((one, other) => (one.share ?? 1) - (other.share ?? 1));
  return reportPage({
    title: `Isolation on ${first?.subsystem ?? 'nothing'}: ${schemes}`,
    job: `kelpie isolate · ${first?.subsystem ?? ''}`,
    mood: partial ? 'warn' : violated.length > 0 ? 'bad' : 'ok',
    headline:
      violated.length === 0
        ? `${under} the guarantee holds in all ${counted(pairs.length)} pairs`
        : `${under} the guarantee is violated in ${counted(violated.length)} of ${counted(pairs.length)} pairs`,
    lead: `${worst === undefined ? '' : `The worst: ${describe(worst)}. `}${partial ? 'Interrupted: some pairs were not measured.' : ''}`,
    facts: [
      { name: 'guarantee, Gb/s', value: String(first?.guaranteeGbps ?? '–') },
      { name: 'tolerance (alpha)', value: first === undefined ? '–' : `${figures(first.alpha * 100)} %` },
      { name: 'schemes', value: String(matrices.length) },
      { name: 'attackers', value: String(new Set(pairs.map(({ attacker }) => attacker)).size) },
      { name: 'victims', value: String(new Set(pairs.map(({ victim }) => victim)).size) },
      { name: 'pairs', value: counted(pairs.length) },
    ],
    command,
    body: [
      card('Schemes and columns of Table 3', table3(matrices)),
      ...matrices.map((matrix) =>
        card(
          `${matrix.scheme === 'none' ? 'Without isolation' : `Under ${matrix.scheme}`}${matrix.bypass ? ', bypassed by the attacker' : ''}: every victim next to ${every ? 'every attacker' : 'the worst attacker of each class'}`,
          heatMap(every ? matrix.pairs : worstOfClass(matrix.pairs)),
          harm(matrix.pairs),
          every
            ? html`<details><summary>The pairs as a table</summary>${pairTable(matrix.pairs)}</details>`
            : NOTHING,
        ),
      ),
    ],
  });
}

function describe({ attacker, victim, gbps, aloneGbps, resource }: PairResult): string {
  return `${victim} next to ${attacker} gets ${gbps?.toFixed(2) ?? '–'} of the ${aloneGbps?.toFixed(2) ?? '–'} Gb/s that it gets alone${resource === null ? '' : `; exhausted: ${resource}`}`;
}

function table3(matrices: readonly MatrixResult[]): Html {
  const rows = matrices.map(({ scheme, summary }) => {
    const paper = paperRow(scheme);
    return [
      scheme,
      ...COLUMNS.map((column) => {
        const { holds, pairs } = summary[column];
        if (pairs === 0) return '–';
        const differs = paper !== null && paper[column] !== holds;
        return `${holds ? '✓ holds' : '✕ violated'}${differs ? ' (not in the paper)' : ''}`;
      }),
    ];
  });
  return sortable('Table 3', ['scheme', ...COLUMNS], rows);
}

/** A map with more columns has narrow cells: a letter for the part, and nothing where all is well. */
const MOST_WIDE = 12;

/** Cells that a page has room for, and rows of its table of pairs. */
const MOST_CELLS = 1500;
const MOST_LISTED = 300;

/** Steps of the heat map: what is missing of the rate that the victim has alone. */
const STEPS = [0.05, 0.25, 0.5, 0.75];

function legend(letters: ReadonlyMap<string, string>): Html {
  const names = ['95 % or more', '75 to 95 %', '50 to 75 %', '25 to 50 %', 'less than 25 %'];
  const parts = [...letters].map(([part, letter]) => html`<span><b>${letter}</b> ${part}</span>`);
  return html`<p class="small muted">Each cell: what the victim (row) gets with the attacker (column), in % of its rate alone, and the part that was exhausted. A frame: the guarantee is violated. Stripes: the scheme refuses the pair.</p><div class="steps">${names.map((name, step) => html`<span><i style="background:var(--h${step})"></i>${name}</span>`)}</div>${parts.length === 0 ? NOTHING : html`<div class="steps"><span>Exhausted:</span>${parts}</div>`}`;
}

/** A letter per exhausted part, its own first one where that is free; the most frequent part chooses first. */
function lettersOf(pairs: readonly PairResult[]): Map<string, string> {
  const letters = new Map<string, string>();
  const parts = pairs.flatMap(({ outcome, resource }) =>
    outcome === 'violated' && resource !== null ? [String(resource)] : [],
  );
  for (const [part] of countsOf(parts)) {
    const taken = new Set(letters.values());
    const own = [...part.toUpperCase(), ...'0123456789'].filter((letter) => /[A-Z0-9]/.test(letter));
    letters.set(part, own.find((letter) => !taken.has(letter)) ?? '?');
  }
  return letters;
}

function heatMap(pairs: readonly PairResult[]): Html {
  const attackers = [...new Set(pairs.map(({ attacker }) => attacker))];
  const victims = [...new Set(pairs.map(({ victim }) => victim))];
  const at = new Map(pairs.map((pair) => [`${pair.attacker}/${pair.victim}`, pair]));
  const narrow = attackers.length > MOST_WIDE;
  const letters = narrow ? lettersOf(pairs) : new Map<string, string>();
  const draw = narrow ? (pair: PairResult | undefined) => narrowCell(pair, letters) : cell;
  const head = attackers.map((name) => html`<th scope="col"><span>${name}</span></th>`);
  const rows = victims.map(
    (victim) =>
      html`<tr><th scope="row">${victim}</th>${attackers.map((attacker) => draw(at.get(`${attacker}/${victim}`)))}</tr>`,
  );
  return html`${legend(letters)}<div class="scroll heat-map" tabindex="0" role="region" aria-label="Heat map; arrow keys read its cells"><table class="heat${narrow ? ' narrow' : ''}"><thead><tr><th scope="col">victim</th>${head}</tr></thead><tbody>${rows}</tbody></table></div><p class="small says" role="status">Point at a cell, or use the arrow keys.</p>`;
}

function cell(pair: PairResult | undefined): Html {
  if (pair === undefined) return html`<td>–</td>`;
  if (pair.outcome === 'refused') return refusedCell(pair, 'refused');
  const { classes, percent } = heatOf(pair);
  return html`<td class="${classes}" data-says="${saying(pair)}">${percent}<small>${pair.outcome === 'violated' ? String(pair.resource ?? '') : ''}</small></td>`;
}

function narrowCell(pair: PairResult | undefined, letters: ReadonlyMap<string, string>): Html {
  if (pair === undefined) return html`<td>–</td>`;
  if (pair.outcome === 'refused') return refusedCell(pair, '');
  const { classes, percent, step } = heatOf(pair);
  const resource = String(pair.resource ?? '');
  const letter = pair.outcome === 'violated' ? letters.get(resource) : undefined;
  const part = letter === undefined ? NOTHING : html`<abbr title="${resource}">${letter}</abbr>`;
  return html`<td class="${classes}" data-says="${saying(pair)}">${step === 0 ? '' : percent}${part}</td>`;
}

function refusedCell({ reason }: PairResult, words: string): Html {
  return html`<td class="none" data-says="Refused by the scheme: ${reason ?? 'it gives no reason'}">${words}</td>`;
}

/** What a cell shows of the rate that is left. */
function heatOf({ share: left, outcome }: PairResult): { classes: string; percent: string; step: number } {
  const share = Math.max(0, Math.min(1, left ?? 1));
  const step = STEPS.filter((missing) => 1 - share > missing).length;
  return {
    classes: `s${step}${outcome === 'violated' ? ' x' : ''}`,
    percent: (share * 100).toFixed(0),
    step,
  };
}

/** For each class of attackers and each victim the pair that leaves it least, under the name of the class. */
function worstOfClass(pairs: readonly PairResult[]): PairResult[] {
  const worst = new Map<string, PairResult>();
  for (const pair of pairs) {
    const key = `${pair.attackClass}/${pair.victim}`;
    const before = worst.get(key);
    if (before === undefined || (pair.share ?? 2) < (before.share ?? 2)) worst.set(key, pair);
  }
  return [...worst.values()].map((pair) => ({ ...pair, attacker: `${pair.attackClass} attackers` }));
}

/** What the sentence under the map adds to the names of row and column, which the page knows: kept short, there are many. */
function saying({ gbps, aloneGbps, thresholdGbps, outcome }: PairResult): string {
  const least = outcome === 'violated' ? `, ${thresholdGbps?.toFixed(1) ?? '–'} are guaranteed` : '';
  return `${gbps?.toFixed(1) ?? '–'} of ${aloneGbps?.toFixed(1) ?? '–'} Gb/s${least}`;
}

/** Bars that a list has at most. */
const MOST_BARS = 7;

/** What ran out, and who harms most. */
function harm(pairs: readonly PairResult[]): Html {
  const violated = pairs.filter(({ outcome }) => outcome === 'violated');
  if (violated.length === 0) return html`<p class="small muted">No pair violates the guarantee.</p>`;
  const victims = new Set(pairs.map(({ victim }) => victim)).size;
  return html`<div class="charts">${[
    bars(
      'Exhausted part, by violated pairs',
      most(violated.map(({ resource }) => String(resource ?? 'not known'))),
    ),
    bars(
      `Most harmful attackers: victims violated, of ${victims}`,
      most(violated.map(({ attacker }) => attacker)),
    ),
  ]}</div>`;
}

function most(names: readonly string[]): [string, number][] {
  return countsOf(names).slice(0, MOST_BARS);
}

/** How often each name occurs, the most frequent first. */
function countsOf(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]);
}

function counted(count: number): string {
  return count.toLocaleString('en');
}

function pairTable(pairs: readonly PairResult[]): Html {
  const listed = [...pairs].sort((one, other) => (one.share ?? 2) - (other.share ?? 2)).slice(0, MOST_LISTED);
  const rows = listed.map((pair) => [
    pair.victim,
    pair.attacker,
    pair.outcome,
    numberCell(pair.aloneGbps),
    numberCell(pair.gbps),
    numberCell(pair.thresholdGbps),
    String(pair.resource ?? pair.reason ?? '–'),
  ]);
  const head = ['victim', 'attacker', 'outcome', 'alone, Gb/s', 'together, Gb/s', 'least, Gb/s', 'exhausted'];
  const rest = pairs.length - listed.length;
  return html`${rest === 0 ? NOTHING : html`<p class="small muted">The worst ${listed.length}; --json has the other ${rest}.</p>`}${sortable('Pairs', head, rows, [3, 4, 5])}`;
}
