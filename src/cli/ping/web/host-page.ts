import { type Finding, type Plan, pathName, pathsByLink, type RunRecord } from '../../../jobs/ping/index.js';
import { type Html, html, NOTHING } from '../../../report/html.js';
import { headline, titleOf } from '../report.js';
import { type LinkView, linkViews, MARKS } from './link-view.js';
import { topology } from './topology.js';

/** A host as the page shows it. */
export interface HostView {
  readonly name: string;
  readonly plan: Plan;
  /** The runs that can be looked at, the oldest first. */
  readonly records: readonly RunRecord[];
  /** Which of them; the last unless set. */
  readonly run?: number;
  /** The path whose history is shown, by its place in the plan. */
  readonly path?: number;
}

/** Runs in a row of bars. */
const BARS = 24;
const STATES: readonly LinkView['state'][] = [
  'normal',
  'abnormal',
  'flapping',
  'overloaded',
  'gray',
  'unknown',
];

/** What is wrong with a host, its topology, its matrices and its history: everything inside `main`. */
export function hostMain(view: HostView): Html {
  const { name, plan, records } = view;
  const run =
    view.run === undefined ? records.length - 1 : Math.min(Math.max(0, view.run), records.length - 1);
  const record = records[run];
  if (record === undefined)
    return html`<section class="hero"><div><h1>${name}: no run yet</h1><p class="muted">The first run comes when the host is idle.</p></div></section>`;
  const links = linkViews(plan, record);
  const path = view.path !== undefined && plan.paths[view.path] !== undefined ? view.path : undefined;
  return html`${hero(name, record, links)}
<section class="card pad"><div class="hd"><h2>The server</h2>${legend()}</div>${topology(plan, links)}</section>
<div class="two">
<section class="card pad"><div class="hd"><h2>Bandwidth</h2><span class="xs dim">Gb/s, RNIC to endpoint and back</span></div>${matrix('bw', plan, record)}<p class="say"></p></section>
<section class="card pad"><div class="hd"><h2>Latency</h2><span class="xs dim">µs, median of small probes</span></div>${matrix('lat', plan, record)}<p class="say"></p></section>
</div>
${record.findings.map((finding, index) => findingCard(finding, index))}
${history(plan, records.slice(0, run + 1), links, path)}
${slider(records, run)}
${record.unjudged.length === 0 ? NOTHING : html`<section class="card pad"><h2>Not judged</h2><ul class="small">${record.unjudged.map((line) => html`<li>${line}</li>`)}</ul></section>`}
<footer class="foot xs dim">Seed ${record.seed}, version ${record.version}, settings ${record.settingsHash}; ${record.cost.probes} probes, ${(record.cost.bytes / 1e6).toFixed(1)} MB, ${(record.cost.busyNs / 1e6).toFixed(2)} ms.</footer>`;
}

function hero(name: string, record: RunRecord, links: readonly LinkView[]): Html {
  const { findings, paths, atMs, trigger, why } = record;
  const probed = paths.filter((path) => path !== null);
  const slow = probed.filter(({ state }) => state === 'abnormal');
  const late = probed.filter((path) => path.late);
  const counts = STATES.flatMap((state) => {
    const count = links.filter((link) => link.state === state).length;
    return count === 0
      ? []
      : [
          html`<span class="tag ${state}">${MARKS[state] || (state === 'normal' ? '✓' : '·')} ${count} ${state}</span> `,
        ];
  });
  const facts: readonly (readonly [string, string | number])[] = [
    ['Paths probed', probed.length],
    ['Slow', slow.length],
    ['Late', late.length],
    ['Run', trigger],
    ['At (UTC)', new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')],
    ['Findings', findings.length],
  ];
  return html`<section class="hero"><div><p id="counts">${counts}</p><h1 id="headline">${name}: ${headline(record)}</h1><p class="muted lead">${findings[0]?.evidence.slice(0, 2).join('; ') ?? why}</p></div>
<dl class="facts">${facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

function legend(): Html {
  const key = (state: LinkView['state'], words: string) =>
    html`<span><svg viewBox="0 0 34 18" aria-hidden="true"><g class="l ${state}"><path class="halo" d="M3 9H31"/><path d="M3 9H31"/>${MARKS[state] === '' ? NOTHING : html`<circle cx="17" cy="9" r="8"/><text x="17" y="13.5">${MARKS[state]}</text>`}</g></svg>${words}</span>`;
  return html`<div class="lk">${key('normal', 'normal')}${key('abnormal', 'abnormal')}${key('flapping', 'comes and goes')}${key('overloaded', 'overloaded')}${key('gray', 'contradictory')}${key('unknown', 'not judged')}</div>`;
}

/** A table of paths that arrow keys walk through. */
function matrix(kind: 'bw' | 'lat', plan: Plan, record: RunRecord): Html {
  const label = kind === 'bw' ? 'Bandwidth in Gb/s' : 'Latency in microseconds';
  return html`<div class="scroll"><table class="mx" role="grid" aria-label="${label}, RNICs by endpoint" data-columns="${plan.endpoints.length}"><thead><tr><td></td>${plan.endpoints.map((endpoint) => html`<th scope="col">${endpoint}</th>`)}</tr></thead><tbody>${plan.rnics.map(
    (rnic) =>
      html`<tr><th scope="row">${rnic}</th>${plan.endpoints.map((endpoint) => {
        const path = plan.paths.findIndex((each) => each.rnic === rnic && each.endpoint === endpoint);
        return cell(kind, plan, record, path);
      })}</tr>`,
  )}</tbody></table></div>`;
}

function cell(kind: 'bw' | 'lat', plan: Plan, record: RunRecord, path: number): Html {
  const read = record.paths[path] ?? null;
  const isBad = read !== null && (kind === 'bw' ? read.state === 'abnormal' : read.late);
  const value = read === null ? '-' : kind === 'bw' ? (read.gbps?.toFixed(0) ?? '?') : micro(read.latencyNs);
  const mark = isBad ? (kind === 'bw' ? '!' : '~') : '';
  const said = `${pathName(plan.paths[path])}: ${describe(read)}`;
  return html`<td id="${kind}-${path}" class="${isBad ? 'bad' : read === null ? 'far' : ''}" tabindex="${path === 0 ? 0 : -1}" data-path="${path}" data-links="${plan.paths[path].links.join(' ')}" data-say="${said}">${value}${mark}</td>`;
}

function micro(ns: number | null): string {
  return ns === null ? '?' : (ns / 1000).toFixed(2);
}

function describe(read: RunRecord['paths'][number]): string {
  if (read === null) return 'not probed in this run.';
  const { gbps, gbpsDeviation, latencyNs, latencyDeviationNs, state, late, why } = read;
  const bandwidth = gbps === null ? 'no bandwidth' : `${gbps.toFixed(1)} ± ${gbpsDeviation.toFixed(1)} Gb/s`;
  const latency = latencyNs === null ? 'no latency' : `${micro(latencyNs)} ± ${micro(latencyDeviationNs)} µs`;
  return `${bandwidth}, ${latency}; ${state}${late ? ' and late' : ''}${why === undefined ? '' : `: ${why}`}.`;
}

function findingCard(finding: Finding, index: number): Html {
  const { links, cause, causeClass, certainty, evidence, alternatives, tellApart, advice } = finding;
  return html`<section class="card pad finding"><h2>${index + 1}. ${links.join(' or ') || 'The host'}: ${titleOf(cause)}</h2><p class="chips"><span class="chip">${causeClass}</span> <span class="chip">${certainty}</span></p>
<div class="three"><div><h3>Evidence</h3><ul class="small">${evidence.map((line) => html`<li>${line}</li>`)}</ul></div><div><h3>What to do</h3><p class="small">${advice}</p>${alternatives.length === 0 ? NOTHING : html`<h3>Could also be</h3><p class="small">${alternatives.map((each) => titleOf(each)).join('; ')}</p>`}${tellApart.length === 0 ? NOTHING : html`<h3>To tell apart</h3><ul class="small">${tellApart.map((line) => html`<li>${line}</li>`)}</ul>`}</div></div></section>`;
}

/** Bars of the links that something is or was wrong with, and of the path that was chosen. */
function history(
  plan: Plan,
  records: readonly RunRecord[],
  links: readonly LinkView[],
  path: number | undefined,
): Html {
  const last = records.slice(-BARS);
  const crossing = pathsByLink(plan);
  const told = links.flatMap(({ name, state, mark }, link) => {
    const bad = last.filter((record) => !['normal', 'unknown'].includes(record.links[link])).length;
    if (bad === 0 && state !== 'flapping') return [];
    const best = (record: RunRecord) =>
      Math.max(0, ...crossing[link].map((each) => record.paths[each]?.gbps ?? 0));
    const row = bars(
      last.map((record) => ({
        value: best(record),
        state: linkViews(plan, record)[link].state,
        unit: 'Gb/s',
      })),
    );
    return [
      html`<div class="hrow"><b>${name}</b>${row}<span class="tag ${state}">${mark} ${bad} of ${last.length}</span></div>`,
    ];
  });
  const chosen = path === undefined ? NOTHING : pathHistory(plan, last, path);
  return html`<section class="card pad" id="history"><div class="hd"><h2>History</h2><span class="xs dim">best path over a link, the last ${last.length} runs; choose a cell for the history of its path</span></div>${told.length === 0 ? html`<p class="small muted">No link was out of order in these runs.</p>` : told}${chosen}</section>`;
}

function pathHistory(plan: Plan, last: readonly RunRecord[], path: number): Html {
  const rows = last.map((record) => record.paths[path] ?? null);
  const rates = rows.map((read) => ({
    ...{ value: read?.gbps ?? 0, unit: 'Gb/s' },
    state:
      read === null
        ? ('unknown' as const)
        : read.state === 'abnormal'
          ? ('abnormal' as const)
          : ('normal' as const),
  }));
  const times = rows.map((read) => ({
    ...{ value: (read?.latencyNs ?? 0) / 1000, unit: 'µs' },
    state: read === null ? ('unknown' as const) : read.late ? ('abnormal' as const) : ('normal' as const),
  }));
  const name = pathName(plan.paths[path]);
  return html`<div class="hrow" id="path-history"><b>${name}</b>${bars(rates)}<span class="xs dim">Gb/s</span></div><div class="hrow"><span>${name}</span>${bars(times)}<span class="xs dim">µs</span></div>`;
}

function bars(runs: readonly { value: number; state: LinkView['state']; unit: string }[]): Html {
  const most = Math.max(1e-9, ...runs.map(({ value }) => value));
  const said = runs.map(({ value, unit }) => `${value.toPrecision(3)} ${unit}`).join(', ');
  return html`<svg class="bars" viewBox="0 0 ${BARS * 10} 34" preserveAspectRatio="none" role="img" aria-label="${runs.length} runs: ${said}">${runs.map(
    ({ value, state, unit }, index) => {
      const height = Math.max(1, (32 * value) / most);
      return html`<rect class="${state}" x="${index * 10}" y="${(34 - height).toFixed(1)}" width="8" height="${height.toFixed(1)}"><title>${value.toPrecision(3)} ${unit}, ${state}</title></rect>`;
    },
  )}</svg>`;
}

function slider(records: readonly RunRecord[], run: number): Html {
  if (records.length < 2) return NOTHING;
  const at = new Date(records[run].atMs).toISOString().slice(0, 19).replace('T', ' ');
  return html`<section class="card pad"><label class="hd" for="slider"><b>Run ${run + 1} of ${records.length}</b><span class="xs dim">${at}${run === records.length - 1 ? ', the last' : ''}</span></label><input id="slider" type="range" min="0" max="${records.length - 1}" value="${run}"></section>`;
}
