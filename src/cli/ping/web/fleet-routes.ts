import { equalHosts } from '../../../jobs/ping/index.js';
import { html } from '../../../report/html.js';
import type { Fleet } from './fleet.js';
import { fleetMain } from './fleet-page.js';
import { hostMain } from './host-page.js';
import { choiceOf } from './host-routes.js';
import { MAX_REPORT_BYTES, parseReport } from './report-schema.js';
import { shell } from './shell.js';
import type { WebRoutes } from './web-server.js';

/** The page of a fleet, that of each of its hosts, and where agents report. */
export function fleetRoutes(fleet: Fleet, nowMs: () => number, onReport: () => void): WebRoutes {
  const main = (query: URLSearchParams) => {
    const name = query.get('name');
    if (name === null) return fleetMain(fleet, nowMs());
    const host = fleet.host(name);
    if (host === undefined)
      return html`<section class="hero"><h1>No host with this name has reported</h1></section>`;
    return html`<p class="small"><a href=".">All hosts</a></p>${hostMain({ name, plan: host.plan, records: host.records, ...choiceOf(query) })}`;
  };
  const page = (query: URLSearchParams, nonce: string) => {
    const name = query.get('name');
    const crumbs = name === null ? 'ping / fleet' : `ping / fleet / ${name}`;
    const title = name === null ? 'fleet: kelpie ping' : `${name}: kelpie ping`;
    return { type: 'text/html', body: shell(title, crumbs, main(query), nonce) };
  };
  return {
    get: {
      '/': (_, nonce) => page(new URLSearchParams(), nonce),
      '/host': page,
      '/baselines': () => ({
        type: 'application/json',
        body: JSON.stringify(
          equalHosts(fleet.compared).map(({ hosts, paths, outliers }) => ({
            hosts,
            paths,
            outliers: [...outliers],
          })),
        ),
      }),
      '/main': (query) => ({ type: 'text/html', body: main(query).text }),
    },
    post: {
      '/report': (body) => {
        const { name } = fleet.take(parseReport(body), nowMs());
        onReport();
        return { status: 202, type: 'application/json', body: `${JSON.stringify({ taken: name })}\n` };
      },
    },
    maxBodyBytes: MAX_REPORT_BYTES,
  };
}
