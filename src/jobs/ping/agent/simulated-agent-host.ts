import { Random } from '../../../engine/index.js';
import { durationNs, type FaultDescription } from '../../../profiles/index.js';
import { openSimulatedServer, type ServerChoice, type SimulatedServer } from '../../../testbeds/index.js';
import { type Plan, planOf } from '../plan.js';
import type { ProbeOptions } from '../probe.js';
import { type PingedServer, pingedServer } from '../server.js';
import type { AgentHost } from './agent.js';
import { countersAt, type RnicCount, sampleBetween } from './counter-sample.js';
import type { HostSample } from './monitor.js';

const NS_PER_MS = 1e6;
/**
 * Pairs of probes per path beside service traffic, and the time between probes (Hostping's notes leave both open: few
 * probes, far apart).
 */
const BUSY_PROBES = { repetitions: 3, spacingNs: 1e6 };
/** A simulation's time is in picoseconds that must stay whole numbers, about 2.5 hours of them. */
const MAX_SIMULATED_NS = 3600e9;

/** A fault with its schedule in the agent's time, which counts from the agent's start. */
interface ScheduledFault {
  readonly effect: FaultDescription;
  readonly fromMs: number;
  readonly forMs: number;
  readonly everyMs: number;
  lift: (() => void) | null;
}

/** Which server is watched, and how. */
export interface SimulatedHostOptions {
  readonly choice: ServerChoice;
  readonly faults?: readonly FaultDescription[];
  readonly probes?: ProbeOptions;
  /** Spread of the time of a probe, either way, as a real processor has it; none by default. */
  readonly jitterNs?: number;
  /** When the agent begins, on its clock. */
  readonly startMs: number;
}

/**
 * A simulated server for an agent. Its own time passes while it is probed and stands still in between, so that a day costs
 * no more than its runs; faults come and go in the agent's time.
 */
export class SimulatedAgentHost implements AgentHost {
  readonly plan: Plan;
  private server: SimulatedServer;
  private readonly options: SimulatedHostOptions;
  private readonly faults: ScheduledFault[];
  private readonly random: Random;
  private pinged: { idle: PingedServer; busy: PingedServer };
  private counted = new Map<string, RnicCount>();

  private constructor(server: SimulatedServer, options: SimulatedHostOptions) {
    this.server = server;
    this.plan = planOf(server.host);
    this.options = options;
    this.random = new Random(options.choice.seed).split('jitter');
    this.faults = (options.faults ?? []).map(scheduled);
    this.pinged = this.makePinged();
  }

  static async open(options: SimulatedHostOptions): Promise<SimulatedAgentHost> {
    const server = await openSimulatedServer(options.choice);
    // A fault that the server does not take is refused now and not when it is due.
    for (const fault of options.faults ?? []) server.inject(fault)();
    return new SimulatedAgentHost(server, options);
  }

  sample(nowMs: number): HostSample {
    this.schedule(nowMs);
    const rnics = this.plan.rnics.map((rnic) => {
      const context = this.server.context(rnic);
      const before = this.counted.get(rnic);
      // Nothing was counted while the server's time stood still.
      if (before?.atNs === context.clock.nowNs) return { rnic, loadShare: 0, pauseShare: 0, drops: 0 };
      const now = countersAt(context.clock.nowNs, context.counters());
      this.counted.set(rnic, now);
      return sampleBetween(rnic, before ?? now, now, this.server.portGbps);
    });
    return { rnics, gpusIdle: null };
  }

  async serverAt(nowMs: number, busy: boolean): Promise<PingedServer> {
    await this.renew();
    this.schedule(nowMs);
    return busy ? this.pinged.busy : this.pinged.idle;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** Faults that are due begin, those that are over end. */
  private schedule(nowMs: number): void {
    const sinceMs = nowMs - this.options.startMs;
    for (const fault of this.faults) {
      const active = isActive(fault, sinceMs);
      if (active && fault.lift === null) fault.lift = this.server.inject(fault.effect);
      else if (!active && fault.lift !== null) {
        fault.lift();
        fault.lift = null;
      }
    }
  }

  /** Another server of the same kind before this one's time runs out. */
  private async renew(): Promise<void> {
    if (this.server.context(this.plan.rnics[0]).clock.nowNs < MAX_SIMULATED_NS) return;
    await this.server.close();
    this.server = await openSimulatedServer(this.options.choice);
    this.pinged = this.makePinged();
    this.counted = new Map();
    for (const fault of this.faults) fault.lift = null;
  }

  private makePinged(): { idle: PingedServer; busy: PingedServer } {
    const { probes = {}, jitterNs = 0 } = this.options;
    const jitter = () => jitterNs * (this.random.nextUint32() / 2 ** 31 - 1);
    const usual = { ...probes, ...(jitterNs === 0 ? {} : { jitterNs: jitter }) };
    return {
      idle: pingedServer(this.server, usual),
      busy: pingedServer(this.server, { ...usual, ...BUSY_PROBES }),
    };
  }
}

function scheduled({ from, for: lasts, every, ...effect }: FaultDescription): ScheduledFault {
  const ms = (given: FaultDescription['from'], otherwise: number) =>
    given === undefined ? otherwise : (durationNs(given) ?? 0) / NS_PER_MS;
  return {
    effect,
    fromMs: ms(from, 0),
    forMs: ms(lasts, Number.POSITIVE_INFINITY),
    everyMs: ms(every, Number.POSITIVE_INFINITY),
    lift: null,
  };
}

function isActive({ fromMs, forMs, everyMs }: ScheduledFault, sinceMs: number): boolean {
  if (sinceMs < fromMs) return false;
  const inPeriodMs = everyMs === Number.POSITIVE_INFINITY ? sinceMs - fromMs : (sinceMs - fromMs) % everyMs;
  return inPeriodMs < forMs;
}
