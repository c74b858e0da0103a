import { ExitCode } from '../exit-code.js';
import type { Terminal } from '../terminal.js';
import { Fleet } from './web/fleet.js';
import { fleetRoutes } from './web/fleet-routes.js';
import { WebServer } from './web/web-server.js';

/** Pages redraw a fleet no more often than this. */
const DRAW_MS = 2000;

/** Collects what agents report and shows the fleet, until it is interrupted. */
export async function runCollector(
  place: string,
  maxHosts: number,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const fleet = new Fleet(maxHosts);
  let isNew = false;
  const routes = fleetRoutes(fleet, Date.now, () => {
    isNew = true;
  });
  const server = await WebServer.open('--collect', place, routes);
  const timer = setInterval(() => {
    if (isNew) server.changed();
    isNew = false;
  }, DRAW_MS);
  terminal.err(`${server.url} shows the fleet; agents report with --report\n`);
  await new Promise<void>((done) => {
    if (signal.aborted) done();
    signal.addEventListener('abort', () => done(), { once: true });
  });
  clearInterval(timer);
  await server.close();
  const wrong = fleet.hosts.filter(({ last }) => last.findings.length > 0).length;
  terminal.out(`${fleet.hosts.length} hosts; something is wrong with ${wrong}\n`);
  return wrong > 0 ? ExitCode.FOUND : ExitCode.GOOD;
}
