import { eventTurn } from '../../pool/index.js';
import { checkUp } from '../check-up.js';
import type { Plan } from '../plan.js';
import type { HealthyTwin, PingedServer } from '../server.js';
import { affinities } from '../status.js';
import { THRESHOLDS, type Thresholds } from '../thresholds.js';
import type { AgentClock } from './agent-clock.js';
import { LinkMemory } from './flapping.js';
import { type Decision, type HostSample, Monitor, type MonitorOptions, type SkipReason } from './monitor.js';
import { type RunRecord, recordOf } from './run-record.js';

/** The host that an agent watches. */
export interface AgentHost {
  readonly plan: Plan;
  /** What the counters say about the time since they were last asked. */
  sample(nowMs: number): HostSample;
  /** The host to be probed now; a busy one gets fewer probes with pauses between them. */
  serverAt(nowMs: number, busy: boolean): Promise<PingedServer>;
  close(): Promise<void>;
}

/** What an agent is made of. */
export interface AgentOptions extends MonitorOptions {
  /** What the host is called in records. */
  readonly name: string;
  readonly host: AgentHost;
  /** What a healthy host of this kind gives. */
  readonly twin: HealthyTwin;
  readonly clock: AgentClock;
  readonly seed: number;
  /** Records of former runs, the oldest first: a link that flapped before a restart still does after it. */
  readonly past?: readonly RunRecord[];
  /** Gets every run; the next one waits for it. */
  readonly onRun?: (record: RunRecord) => Promise<void> | void;
  readonly onSkip?: (reason: SkipReason, why: string) => void;
  readonly onSample?: (sample: HostSample) => void;
}

/** How often the counters are read (Hostping §4.2). */
const SAMPLE_MS = 1000;
/** Samples between two turns of the event loop in a time that never waits. */
const SAMPLES_A_TURN = 1000;

/**
 * Watches a host: reads its counters once a second, probes it when the monitor says so, and hands on a record of each run
 * (Hostping §3.3). It keeps nothing but the last states of the links.
 *
 * @example
 * const agent = new PingAgent({ name: 'gpu-17', host, twin, clock: new VirtualClock(), seed: 1, onRun: console.log });
 * await agent.run(24 * 3_600_000);
 */
export class PingAgent {
  private readonly options: AgentOptions;
  private readonly monitor: Monitor;
  private readonly memory: LinkMemory;
  private readonly affinitive: readonly boolean[];
  private readonly thresholds: Thresholds;

  constructor(options: AgentOptions) {
    this.options = options;
    this.thresholds = options.thresholds ?? THRESHOLDS;
    this.monitor = new Monitor(options);
    this.memory = new LinkMemory(options.host.plan, this.thresholds);
    this.affinitive = affinities(options.host.plan, options.twin.baseline, this.thresholds);
    for (const { links } of options.past ?? []) this.memory.add(links);
  }

  /** Watches until this time of its clock, or until the signal is aborted. */
  async run(untilMs: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.options;
    for (let samples = 1; clock.nowMs < untilMs && !signal?.aborted; samples++) {
      const beganMs = clock.nowMs;
      await this.step();
      if (samples % SAMPLES_A_TURN === 0) await eventTurn();
      // Not from `beganMs` alone: the clock may have been set back since.
      await clock.waitUntil(Math.min(untilMs, beganMs + SAMPLE_MS, clock.nowMs + SAMPLE_MS), signal);
    }
  }

  /** Reads the counters once and runs if there is reason to. The record of the run; null where there was none. */
  async step(): Promise<RunRecord | null> {
    const { host, clock, onRun, onSkip, onSample } = this.options;
    const sample = host.sample(clock.nowMs);
    onSample?.(sample);
    const decision = this.monitor.decide(clock.nowMs, sample);
    if (decision.act === 'wait') return null;
    if (decision.act === 'skip') {
      onSkip?.(decision.reason, decision.why);
      return null;
    }
    const record = await this.probe(decision, sample);
    await onRun?.(record);
    return record;
  }

  private async probe(
    { trigger, mesh, why, busyRnics }: Extract<Decision, { act: 'run' }>,
    { rnics }: HostSample,
  ): Promise<RunRecord> {
    const { name, host, twin, clock, seed } = this.options;
    const { plan } = host;
    const atMs = clock.nowMs;
    const server = await host.serverAt(atMs, busyRnics.length > 0);
    const isAffinitive = (path: number) => this.affinitive[path];
    const probed: PingedServer =
      mesh === 'full'
        ? server
        : {
            ...server,
            sweep: (wanted = isAffinitive) => server.sweep((path) => isAffinitive(path) && wanted(path)),
          };
    const pauses = new Map(
      rnics.flatMap(({ rnic, pauseShare }): [string, number][] =>
        pauseShare === null ? [] : [[rnic, pauseShare]],
      ),
    );
    const { sweep, statuses, diagnosis, utilisation } = await checkUp(probed, twin, { pauses });
    const settings = server.readSettings();
    const record = recordOf({
      host: name,
      ...{ plan, atMs, trigger, why, sweep, statuses, diagnosis, utilisation, settings, seed },
    });
    this.memory.add(record.links);
    const flapping = this.memory.findings();
    return {
      ...record,
      flapping: flapping.flatMap(({ links }) => links),
      findings: [...record.findings, ...flapping],
    };
  }
}
