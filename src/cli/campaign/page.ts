import {
  type CampaignEntry,
  type CampaignSummary,
  showPoint,
  type TaskRecord,
} from '../../jobs/campaign/index.js';
import { type Html, html } from '../../report/html.js';
import { htmlPage } from '../html-page.js';

/** A campaign on one page that needs no other file: what holds, what moved, and every run. */
export function campaignPage(
  { order, beganMs }: CampaignEntry,
  summary: CampaignSummary,
  listed: readonly TaskRecord[],
  digest: string,
): string {
  const { id, name, job, tasks, measured, refused, failed, left, found } = summary;
  const broken = summary.assertions.filter((each) => each.broken > 0).length;
  const body = [
    html`<h1>${name}: campaign ${id}</h1>
<p>${broken === 0 && failed === 0 ? '✓ Every assertion holds.' : `✗ ${broken} assertions broken, ${failed} tasks given up.`}</p>
<p>${job}, version ${order.version}, begun ${new Date(beganMs).toISOString().slice(0, 19)}Z. ${tasks} tasks: ${measured} measured, ${refused} refused, ${failed} given up, ${left} left; ${found} runs with something to look at. Results have the digest <code>${digest}</code>.</p>`,
    assertions(summary),
    changes(summary),
    failures(summary),
    runs(listed, tasks),
  ];
  return htmlPage(
    `${name}: campaign ${id}`,
    body.map(({ text }) => text),
  );
}

function assertions({ assertions: all }: CampaignSummary): Html {
  if (all.length === 0) return html`<p>The campaign asserts nothing.</p>`;
  const rows = all.map(({ text, checked, broken, without, examples }) => {
    const shown = examples.map(
      ({ point, value, last }) =>
        html`<br>${showPoint(point)}: ${value ?? 'none'}${last === undefined ? '' : `, was ${last ?? 'none'}`}`,
    );
    const nothing = without === 0 ? '' : `; ${without} had nothing to be held against`;
    return html`<tr><td>${broken === 0 ? '✓ holds' : '✗ broken'}</td><td><code>${text}</code></td><td>${broken} of ${checked} runs break it${nothing}${shown}</td></tr>`;
  });
  return html`<h2>Assertions</h2><table><tr><th></th><th>assertion</th><th>runs</th></tr>${rows}</table>`;
}

function changes({ last, changes: all }: CampaignSummary): Html {
  if (last === null) return html`<h2>Since the last campaign</h2><p>There is none of this name.</p>`;
  const rows = all.map(({ metric, runs: both, rose, fell, most }) => {
    const shown = most.map(({ point, from, to }) => html`${showPoint(point)}: ${from} to ${to}<br>`);
    return html`<tr><td>${metric}</td><td class="n">${both}</td><td class="n">${rose}</td><td class="n">${fell}</td><td>${shown}</td></tr>`;
  });
  return html`<h2>Since campaign ${last}</h2><table><tr><th>metric</th><th>runs</th><th>rose</th><th>fell</th><th>most</th></tr>${rows}</table>`;
}

function failures({ failures: all, failed }: CampaignSummary): Html {
  if (failed === 0) return html``;
  const rows = all.map(
    ({ point, reason, tries }) =>
      html`<tr><td>${showPoint(point)}</td><td>${reason}</td><td class="n">${tries}</td></tr>`,
  );
  return html`<h2>Given up</h2><table><tr><th>task</th><th>reason</th><th>tries</th></tr>${rows}</table>`;
}

function runs(listed: readonly TaskRecord[], tasks: number): Html {
  const names = [
    ...new Set(
      listed.flatMap(({ outcome }) => (outcome.kind === 'measured' ? Object.keys(outcome.metrics) : [])),
    ),
  ];
  const rows = listed.map(({ index, point, outcome, worker, wallMs }) => {
    const metrics = outcome.kind === 'measured' ? outcome.metrics : {};
    const cells = names.map((name) => html`<td class="n">${showNumber(metrics[name])}</td>`);
    const said = outcome.kind === 'measured' ? outcome.says : `${outcome.kind}: ${outcome.reason}`;
    return html`<tr><td class="n">${index}</td><td>${showPoint(point)}</td>${cells}<td>${said}</td><td>${worker}</td><td class="n">${(wallMs / 1000).toFixed(1)}</td></tr>`;
  });
  const more =
    tasks > listed.length
      ? html`<p>The first ${listed.length} of ${tasks}; results.jsonl has them all.</p>`
      : html``;
  const heads = names.map((name) => html`<th>${name}</th>`);
  return html`<h2>Runs</h2>${more}<table><tr><th></th><th>task</th>${heads}<th>says</th><th>worker</th><th>s</th></tr>${rows}</table>`;
}

function showNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return '';
  return Number.isInteger(value) ? String(value) : value.toPrecision(5);
}
