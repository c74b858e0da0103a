import {
  AgentMetrics,
  HistoryKeeper,
  healthyTwin,
  JITTER_NS,
  PingAgent,
  parseFault,
  type RunRecord,
  SimulatedAgentHost,
  unwatched,
  VirtualClock,
} from '../../jobs/ping/index.js';
import { SystemClock } from '../../node/index.js';
import { ExitCode } from '../exit-code.js';
import type { Terminal } from '../terminal.js';
import type { AgentOrder } from './agent-order.js';
import { headline } from './report.js';
import { NOT_MY_FOLDER, RunsFolder } from './runs-folder.js';
import { hostRoutes } from './web/host-routes.js';
import { Reporter } from './web/reporter.js';
import { WebServer } from './web/web-server.js';

/** Watches a server until it is interrupted or its time is over. */
export async function runAgent(
  order: AgentOrder,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { name, choice, probes, everyMs, forMs, folder, retention } = order;
  const clock = forMs === undefined ? new SystemClock() : new VirtualClock();
  const twin = await healthyTwin(choice, probes);
  const faults = order.faults.map((text) => parseFault(text, twin.plan).description);
  const host = await SimulatedAgentHost.open({
    ...{ choice, faults, probes, jitterNs: JITTER_NS, startMs: clock.nowMs },
  });
  const say = (text: string) => terminal.err(`kelpie: ${text}\n`);
  const runs = folder === undefined ? null : new RunsFolder(folder);
  const keeper = new HistoryKeeper(runs === null ? null : () => runs.open(host.plan, retention), say);
  const metrics = new AgentMetrics(host.plan);
  let server: WebServer | null = null;
  try {
    const reporter = order.report === undefined ? null : new Reporter(order.report, host.plan, say);
    await keeper.begin(NOT_MY_FOLDER);
    if (order.serve !== undefined) {
      const routes = hostRoutes({ name, plan: host.plan, metrics, records: () => keeper.recent });
      server = await WebServer.open('--serve', order.serve, routes);
      terminal.err(`${name}: ${server.url} shows it, /metrics is for Prometheus\n`);
    }
    const log = new AgentLog(terminal, order.json);
    for (const sentence of unwatched(host.sample(clock.nowMs))) terminal.err(`${name}: ${sentence}\n`);
    const agent = new PingAgent({
      ...{ name, host, twin, clock, seed: choice.seed, idleEveryMs: everyMs },
      past: keeper.recent,
      onRun: async (record) => {
        log.run(record);
        metrics.run(record);
        await keeper.keep(record);
        await runs?.stay();
        server?.changed();
        reporter?.report(record);
      },
      onSkip: (reason, why) => {
        metrics.skip(reason);
        log.skip(clock.nowMs, reason, why);
      },
      onSample: (sample) => metrics.sample(sample),
    });
    await agent.run(forMs === undefined ? Number.POSITIVE_INFINITY : clock.nowMs + forMs, signal);
    await reporter?.settled();
    log.end(signal.aborted);
    return log.hasFound ? ExitCode.FOUND : ExitCode.GOOD;
  } finally {
    await server?.close();
    await runs?.leave();
    await keeper.close();
    await host.close();
  }
}

/** Says what changes from run to run; as JSON, a line per run. */
class AgentLog {
  hasFound = false;
  private readonly terminal: Terminal;
  private readonly json: boolean;
  private said = '';
  private runs = 0;
  private found = 0;
  private readonly skipped = new Map<string, number>();

  constructor(terminal: Terminal, json: boolean) {
    this.terminal = terminal;
    this.json = json;
  }

  run(record: RunRecord): void {
    const { findings, atMs, trigger } = record;
    this.runs++;
    if (findings.length > 0) this.found++;
    this.hasFound ||= findings.length > 0;
    const line = `${record.host}: ${headline(record)}`;
    if (this.json) this.terminal.out(`${JSON.stringify(record)}\n`);
    else if (line !== this.said) this.terminal.out(`${timeOf(atMs)} ${trigger} run: ${line}\n`);
    this.said = line;
  }

  skip(nowMs: number, reason: string, why: string): void {
    if (!this.json && !this.skipped.has(reason)) this.terminal.out(`${timeOf(nowMs)} no run: ${why}\n`);
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + 1);
  }

  end(interrupted: boolean): void {
    if (this.json) return;
    const skips = [...this.skipped].map(([reason, count]) => `, ${count} skipped (${reason})`).join('');
    const found = `something was wrong in ${this.found}`;
    this.terminal.out(`${this.runs} runs${skips}; ${found}${interrupted ? '; interrupted' : ''}\n`);
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}
