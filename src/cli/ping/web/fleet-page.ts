import { equalHosts } from '../../../jobs/ping/index.js';
import { type Html, html, NOTHING } from '../../../report/html.js';
import { headline } from '../report.js';
import type { Fleet, FleetHost } from './fleet.js';

/** A host that was not heard of for this long is shown as silent: three idle runs. */
const SILENT_MS = 900_000;

type Health = 'abnormal' | 'flapping' | 'outlier' | 'silent' | 'normal';
const ORDER: readonly Health[] = ['abnormal', 'flapping', 'outlier', 'silent', 'normal'];
const MARKS: Readonly<Record<Health, string>> = {
  abnormal: '×',
  flapping: '~',
  outlier: '≠',
  silent: '?',
  normal: '✓',
};

/** All hosts, those that need somebody first: everything inside `main`. */
export function fleetMain(fleet: Fleet, nowMs: number): Html {
  const outliers = new Map(equalHosts(fleet.compared).flatMap((group) => [...group.outliers]));
  const rows = fleet.hosts.map((host) => ({ host, health: healthOf(host, nowMs, outliers.has(host.name)) }));
  rows.sort((one, other) => ORDER.indexOf(one.health) - ORDER.indexOf(other.health));
  const counts = ORDER.map((health) => {
    const count = rows.filter((row) => row.health === health).length;
    return html`<span class="tag ${health}">${MARKS[health]} ${count} ${health}</span> `;
  });
  const wrong = rows.filter(({ health }) => health !== 'normal').length;
  const title =
    rows.length === 0
      ? 'No host has reported yet'
      : wrong === 0
        ? `All ${rows.length} hosts are healthy as far as probes see`
        : `${wrong} of ${rows.length} hosts need somebody`;
  return html`<section class="hero"><div><p id="counts">${counts}</p><h1 id="headline">${title}</h1></div></section>
<section class="card pad"><div class="hd"><h2>Hosts</h2><input id="find" type="search" placeholder="find" aria-label="Find a host or a finding"></div>
<div class="scroll"><table class="fleet"><thead><tr><th>Health</th><th>Host</th><th>Finding</th><th class="opt">Runs</th><th class="opt">Last run (UTC)</th></tr></thead><tbody>${rows.map(({ host, health }) => row(host, health, outliers.get(host.name) ?? []))}</tbody></table></div></section>`;
}

function row({ name, last, runs }: FleetHost, health: Health, off: readonly string[]): Html {
  const at = new Date(last.atMs).toISOString().slice(0, 19).replace('T', ' ');
  const address = `host?${new URLSearchParams({ name })}`;
  return html`<tr data-health="${health}"><td><span class="tag ${health}">${MARKS[health]} ${health}</span></td><td><a href="${address}">${name}</a></td><td>${headline(last)}${off.length === 0 ? NOTHING : html`<br><span class="xs dim">unlike its equals: ${off.slice(0, 3).join(', ')}${off.length > 3 ? ` and ${off.length - 3} more` : ''}</span>`}</td><td class="opt">${runs}</td><td class="opt">${at}</td></tr>`;
}

function healthOf({ last, seenMs }: FleetHost, nowMs: number, isOutlier: boolean): Health {
  const { findings } = last;
  if (findings.some(({ causeClass }) => causeClass !== 'flapping')) return 'abnormal';
  if (findings.length > 0) return 'flapping';
  if (isOutlier) return 'outlier';
  return nowMs - seenMs > SILENT_MS ? 'silent' : 'normal';
}
