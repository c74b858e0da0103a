import type { PartSettings } from '../../../models/index.js';
import { eventTurn } from '../../pool/index.js';
import { diagnose } from '../diagnosis/diagnose.js';
import { admissionsOf } from '../diagnosis/settings.js';
import type { Plan } from '../plan.js';
import type { Sweep } from '../probe.js';
import type { HealthyTwin } from '../server.js';
import { affinities, statusesOf } from '../status.js';
import { THRESHOLDS, type Thresholds } from '../thresholds.js';
import type { AgentClock } from './agent-clock.js';
import { LinkMemory } from './flapping.js';
import { type HostSample, Monitor, type MonitorOptions, type SkipReason } from './monitor.js';
import { type RunRecord, recordOf } from './run-record.js';

/** The host that an agent watches. */
export interface AgentHost {
  readonly plan: Plan;
  /** What the counters say about the time since they were last asked. */
  sample(nowMs: number): HostSample;
  /** Probes the paths that are wanted; a busy host gets fewer probes with pauses between them. */
  sweep(nowMs: number, busy: boolean, wanted: (path: number) => boolean): Promise<Sweep>;
  readSettings(): readonly PartSettings[];
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
    const record = await this.probe(decision);
    await onRun?.(record);
    return record;
  }

  private async probe({
    trigger,
    mesh,
    why,
    busyRnics,
  }: {
    readonly trigger: RunRecord['trigger'];
    readonly mesh: 'full' | 'affinitive';
    readonly why: string;
    readonly busyRnics: readonly string[];
  }): Promise<RunRecord> {
    const { name, host, twin, clock, seed } = this.options;
    const { plan } = host;
    const { baseline } = twin;
    const atMs = clock.nowMs;
    const wanted = mesh === 'full' ? () => true : (path: number) => this.affinitive[path];
    const sweep = await host.sweep(atMs, busyRnics.length > 0, wanted);
    const { readings } = sweep;
    const statuses = statusesOf(plan, readings, baseline, {
      thresholds: this.thresholds,
      busyRnics: new Set(busyRnics),
    });
    const settings = host.readSettings();
    const admissions = admissionsOf(settings, twin.settings);
    const diagnosis = diagnose({
      plan,
      readings,
      statuses,
      baseline,
      admissions,
      thresholds: this.thresholds,
    });
    const record = recordOf({
      host: name,
      ...{ plan, atMs, trigger, why, sweep, statuses, diagnosis, settings, seed },
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
