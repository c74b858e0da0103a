import {
  type CampaignEntry,
  type CampaignSummary,
  type RackSummary,
  type RackWay,
  showPoint,
  type TaskRecord,
  worsened,
} from '../../jobs/campaign/index.js';
import { figures, reading } from '../figures.js';
import { type Html, html } from '../html.js';
import { reportPage } from '../page.js';
import { type Cell, card, sortable } from '../parts.js';

/** A campaign as a report: what holds, what moved since the last one, and every run. */
export function campaignPage(
  { order, beganMs }: CampaignEntry,
  summary: CampaignSummary,
  listed: readonly TaskRecord[],
  digest: string,
): string {
  const { id, name, job, tasks, measured, refused, failed, left, found } = summary;
  const broken = summary.assertions.filter((each) => each.broken > 0).length;
  const well = broken === 0 && failed === 0;
  return reportPage({
    title: `${name}: campaign ${id}`,
    job: `kelpie campaign · ${name}`,
    mood: left > 0 ? 'warn' : well ? 'ok' : 'bad',
    headline: well
      ? `${name}, campaign ${id}: ${summary.assertions.length === 0 ? 'nothing is asserted' : 'every assertion holds'}`
      : `${name}, campaign ${id}: ${broken} assertions broken, ${failed} tasks given up`,
    lead: `Started ${new Date(beganMs).toISOString().slice(0, 19)}Z with version ${order.version}. Digest of the results: ${digest}.`,
    facts: [
      { name: 'job', value: job },
      { name: 'tasks', value: String(tasks) },
      { name: 'measured', value: String(measured) },
      { name: 'refused', value: String(refused) },
      { name: 'left', value: String(left) },
      { name: 'to look at', value: String(found) },
    ],
    command: `kelpie campaign report ${id}`,
    body: [
      ...(summary.assertions.length === 0 ? [] : [card('Assertions', assertions(summary))]),
      changes(summary),
      ...(failed === 0 ? [] : [card('Given up', failures(summary))]),
      ...(summary.rack === undefined ? [] : [card('Ways between hosts', ...rack(summary.rack))]),
      card('Runs', ...runs(id, listed, tasks)),
    ],
  });
}

function assertions({ assertions: all }: CampaignSummary): Html {
  const rows = all.map(({ text, checked, broken, without, examples }) => [
    broken === 0 ? '✓ holds' : '✕ broken',
    text,
    `${broken} of ${checked}${without === 0 ? '' : `; ${without} had nothing to compare with`}`,
    examples
      .map(
        ({ point, value, last }) =>
          `${showPoint(point)}: ${reading(value)}${last === undefined ? '' : `, was ${reading(last)}`}`,
      )
      .join('; ') || '–',
  ]);
  return sortable('Assertions', ['outcome', 'assertion', 'runs that break it', 'such as'], rows);
}

function changes({ last, lastIsOther, changes: all }: CampaignSummary): Html {
  if (last === null)
    return card('Since the last campaign', html`<p class="small muted">There is none of this name.</p>`);
  const rows = all.map((change) => {
    const { metric, runs: both, rose, fell, most } = change;
    return [
      metric,
      ...[both, worsened(change), rose, fell].map(
        (count): Cell => ({ text: count === null ? '–' : String(count), value: count }),
      ),
      most.map(({ point, from, to }) => `${showPoint(point)}: ${figures(from)} to ${figures(to)}`).join('; '),
    ];
  });
  return card(
    `Since campaign ${last}${lastIsOther ? ', which ran something else' : ''}`,
    sortable('Changes', ['metric', 'runs', 'got worse', 'rose', 'fell', 'most'], rows, [1, 2, 3, 4]),
  );
}

/** Hosts whose ways are a matrix; those of more are a list. */
const MOST_IN_MATRIX = 50;

/** How hosts reach each other: what stands out, then every way. */
function rack({ hosts, ways, findings }: RackSummary): Html[] {
  const found = findings.map(({ kind, hosts: who, evidence, advice }) => [
    kind,
    who.join(' > '),
    evidence.join('; '),
    advice,
  ]);
  const stands =
    found.length === 0
      ? html`<p class="small muted">None stands out among the others.</p>`
      : sortable('Findings', ['finding', 'hosts', 'evidence', 'advice'], found);
  const us = ({ us: value }: RackWay) => cellOf(value);
  const gbps = ({ gbps: value }: RackWay) => cellOf(value);
  if (hosts.length > MOST_IN_MATRIX) {
    const rows = ways.map((way) => [way.from, way.to, us(way), gbps(way), way.failure ?? '']);
    return [stands, sortable('Ways', ['from', 'to', 'µs', 'Gb/s', 'failure'], rows, [2, 3])];
  }
  const byName = new Map(ways.map((way) => [JSON.stringify([way.from, way.to]), way]));
  const matrix = (title: string, show: (way: RackWay) => Cell) => {
    const rows = hosts.map((from) => [
      from,
      ...hosts.map((to): Cell => {
        const way = byName.get(JSON.stringify([from, to]));
        return way === undefined ? { text: '', value: null } : show(way);
      }),
    ]);
    const right = hosts.map((_, place) => place + 1);
    return sortable(title, ['from', ...hosts], rows, right);
  };
  return [
    stands,
    html`<h3>Small WRITE there and back, µs</h3>`,
    matrix('Small WRITE there and back, µs', us),
    html`<h3>Large WRITEs, Gb/s</h3>`,
    matrix('Large WRITEs, Gb/s', gbps),
  ];
}

function cellOf(value: number | null): Cell {
  return value === null ? { text: 'failed', value: null } : { text: figures(value), value };
}

function failures({ failures: all }: CampaignSummary): Html {
  const rows = all.map(({ point, reason, tries }) => [
    showPoint(point),
    reason,
    { text: String(tries), value: tries },
  ]);
  return sortable('Given up', ['task', 'reason', 'tries'], rows, [2]);
}

function runs(id: number, listed: readonly TaskRecord[], tasks: number): Html[] {
  const names = [
    ...new Set(
      listed.flatMap(({ outcome }) => (outcome.kind === 'measured' ? Object.keys(outcome.metrics) : [])),
    ),
  ];
  const rows = listed.map(({ index, point, outcome, worker, wallMs }): Cell[] => {
    const metrics = outcome.kind === 'measured' ? outcome.metrics : {};
    return [
      { text: String(index), value: index },
      showPoint(point),
      ...names.map((name): Cell => {
        const value = metrics[name];
        return value === null || value === undefined
          ? { text: '–', value: null }
          : { text: figures(value), value };
      }),
      outcome.kind === 'measured' ? outcome.says : `${outcome.kind}: ${outcome.reason}`,
      worker,
      { text: (wallMs / 1000).toFixed(1), value: wallMs },
    ];
  });
  const right = [0, ...names.map((_, index) => index + 2), names.length + 4];
  return [
    html`<p class="small muted">${tasks > listed.length ? `The first ${listed.length} of ${tasks}. ` : ''}<code>results.jsonl</code> beside this page has every run whole; <code>kelpie campaign report ${id} --task N</code> shows one.</p>`,
    sortable('Runs', ['', 'task', ...names, 'says', 'worker', 's'], rows, right),
  ];
}
