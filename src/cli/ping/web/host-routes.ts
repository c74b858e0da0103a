import type { AgentMetrics, Plan, RunRecord } from '../../../jobs/ping/index.js';
import { type HostView, hostMain } from './host-page.js';
import { shell } from './shell.js';
import type { WebRoutes } from './web-server.js';

/** What an agent shows. */
export interface WatchedHost {
  readonly name: string;
  readonly plan: Plan;
  readonly records: () => readonly RunRecord[];
  readonly metrics: AgentMetrics;
}

/** The page of an agent, its parts, its records and its metrics. */
export function hostRoutes({ name, plan, records, metrics }: WatchedHost): WebRoutes {
  const view = (query: URLSearchParams): HostView => ({ name, plan, records: records(), ...choiceOf(query) });
  return {
    get: {
      '/': (query, nonce) => ({
        type: 'text/html',
        body: shell(`${name}: kelpie ping`, `ping / ${name}`, hostMain(view(query)), nonce),
      }),
      '/main': (query) => ({ type: 'text/html', body: hostMain(view(query)).text }),
      '/runs': () => ({ type: 'application/json', body: JSON.stringify({ name, plan, runs: records() }) }),
      '/metrics': () => ({ type: 'text/plain; version=0.0.4', body: metrics.text() }),
    },
  };
}

/** Which run and which path a page shows; what is no number is not chosen. */
export function choiceOf(query: URLSearchParams): Pick<HostView, 'run' | 'path'> {
  const number = (key: string) => {
    const text = query.get(key) ?? '';
    return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
  };
  const [run, path] = [number('run'), number('path')];
  return { ...(run === undefined ? {} : { run }), ...(path === undefined ? {} : { path }) };
}
