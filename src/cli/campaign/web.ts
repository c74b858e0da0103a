import { type CampaignProgress, showPoint, type WorkerPresence } from '../../jobs/campaign/index.js';
import { type Html, html } from '../../report/html.js';
import { shell } from '../ping/web/shell.js';
import type { WebRoutes } from '../ping/web/web-server.js';

/** The page of a campaign, its parts, its numbers and its metrics. */
export function campaignRoutes(
  now: () => CampaignProgress,
  workers: () => readonly WorkerPresence[],
  metrics: () => string,
): WebRoutes {
  const main = () => campaignMain(now(), workers());
  return {
    get: {
      '/': (_, nonce) => ({
        type: 'text/html',
        body: shell(`${now().name}: kelpie campaign`, `campaign / ${now().name}`, main(), nonce),
      }),
      '/main': () => ({ type: 'text/html', body: main().text }),
      '/progress': () => ({
        type: 'application/json',
        body: JSON.stringify({ ...now(), present: workers() }),
      }),
      '/metrics': () => ({ type: 'text/plain; version=0.0.4', body: metrics() }),
    },
  };
}

function campaignMain(now: CampaignProgress, present: readonly WorkerPresence[]): Html {
  const { id, name, job, tasks, measured, refused, failed, found, repeated, state } = now;
  const done = measured + refused + failed;
  const share = tasks === 0 ? 100 : (100 * done) / tasks;
  const facts: [string, string][] = [
    ['Results', `${done} of ${tasks}`],
    ['Given up', String(failed)],
    ['Refused', String(refused)],
    ['Something found', String(found)],
    ['Begun again', String(repeated)],
    ['Per second', now.perSecond === null ? '–' : now.perSecond.toPrecision(3)],
    ['Time left', now.leftS === null || state !== 'running' ? '–' : `${Math.ceil(now.leftS)} s`],
    ['Workers', present.length === 0 ? 'threads here' : String(present.length)],
  ];
  const terms = facts.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`);
  const mark = state === 'done' ? '✓' : state === 'cancelled' ? '×' : '…';
  return html`<section class="hero"><div><span class="tag ${failed > 0 ? 'abnormal' : 'normal'}">${mark} ${state}</span><h1 id="headline">${name}: ${done} of ${tasks} tasks</h1><p class="lead">Campaign ${id}, ${job}, version ${now.version}. ${share.toFixed(1)} % have a result.</p></div><dl class="facts">${terms}</dl></section>
${workerTable(now, present)}${failureTable(now)}`;
}

function workerTable({ workers }: CampaignProgress, present: readonly WorkerPresence[]): Html {
  const names = [...new Set([...present.map(({ name }) => name), ...workers.map(({ name }) => name)])];
  const rows = names.map((name) => {
    const seen = present.find((each) => each.name === name);
    const did = workers.find((each) => each.name === name);
    const doing = seen?.running.map(({ campaign, index }) => `${campaign}/${index}`).join(', ') ?? '';
    return html`<tr><td>${name}</td><td>${did?.done ?? 0}</td><td>${(did?.busyS ?? 0).toFixed(1)}</td><td class="opt">${seen === undefined ? '' : `${seen.threads} threads, ${seen.memoryGb} GB, ${seen.labels.join(' ')}`}</td><td class="opt">${doing}</td></tr>`;
  });
  return html`<section class="card pad"><div class="hd"><h2>Workers</h2></div><div class="scroll"><table class="fleet"><thead><tr><th>Worker</th><th>Results</th><th>Busy, s</th><th class="opt">Has</th><th class="opt">Runs now</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function failureTable({ failures }: CampaignProgress): Html {
  const rows = failures.map(
    ({ point, reason, tries }) =>
      html`<tr><td>${showPoint(point)}</td><td>${reason}</td><td>${tries}</td></tr>`,
  );
  if (rows.length === 0) return html``;
  return html`<section class="card pad"><div class="hd"><h2>Given up</h2></div><div class="scroll"><table class="fleet"><thead><tr><th>Task</th><th>Reason</th><th>Tries</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}
