import { Random } from '../engine/index.js';
import type { MeasureOptions, Workload } from './description/description.js';
import { assemble } from './measure/assemble.js';
import { littleNs } from './measure/latency-log.js';
import type { Measurement } from './measure/measurement.js';
import { Sampler } from './measure/sampler.js';
import { findSteadyState, type SteadyState } from './measure/steady-state.js';
import { PAUSE_THRESHOLD } from './measure/verdict.js';
import { type MemoryLimits, memoryNeed, requireMemory } from './program/memory-need.js';
import { Places } from './program/places.js';
import { PolledThreads } from './program/polled-thread.js';
import { asTenant } from './program/refusal.js';
import { buildTenant, type TenantRig } from './program/rig.js';
import type { Sender } from './program/sender.js';
import type { Testbed } from './testbed.js';

/** Queue pairs start spread over this long: starting all at once makes a burst that takes long to die away. */
const SPREAD_NS = 20_000;
/** Connections that are made before a watcher hears of it. */
const SET_UP_STEP = 256;
/** Starts are gathered into steps of this length. */
const START_STEP_NS = 1000;
/** How often, at least, control verbs are looked at. */
const CONTROL_CALLS = 8;
/** Slices are made longer where the run could have more of them: each is kept. */
const MAX_SLICES = 5000;
/** Requests of the measured time are followed for this many times the longest run. */
const FOLLOW_FACTOR = 4;
/** Times of a description are for virtual time; real time is this much coarser. */
const REAL_TIME_FACTOR = 1000;

/** What a watcher of a run is told after each slice. */
export interface Progress {
  /** Time since the start of the run, and the longest it can take. */
  timeNs: number;
  maxNs: number;
  /** Where the run ends with its `iterations`, whenever that is: the part of them that is done. */
  share?: number;
  /** Rate in the last slice. */
  goodputGbps: number;
  /** Delivered so far, by all tenants. */
  packets: number;
  messages: number;
  /** Share of the last slice in which the device that paused its peer longest did so; 0 where no device counts it. */
  pauseShare: number;
  /** Counters that moved in the last slice, by device and name; only with `levels`. */
  counters?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Choices of a run that are not the workload's. */
export interface RunOptions {
  /** Default: 1. */
  seed?: number;
  /** Ends the run early; the Measurement is then marked partial. */
  signal?: AbortSignal;
  /** Called after each slice; what it returns is waited for, so that an event loop gets its turn. */
  onSlice?: (progress: Progress) => void | Promise<void>;
  /**
   * Goes on when the rates are known until the requests that were posted within the measured time have completed, if
   * that takes no more than a few times `maxNs`; else the slowest are known only as still waiting. Off unless set.
   */
  followLatency?: boolean;
  /** Reads the links of the testbed after each slice, to name the one that limits the run; on unless false. */
  watchLinks?: boolean;
  /** Keeps how full queues and links are at the end of each slice, as `series.levels`. Off unless set. */
  levels?: boolean;
  /** What the run may take; a workload that needs more is refused before anything is made. No limit unless set. */
  memory?: MemoryLimits;
  /** Called now and then while connections are made: how many there are, and how many there will be. */
  onSetUp?: (made: number, all: number) => void;
  /** Reads a real clock in seconds; without it the Measurement has no `wallSeconds`. */
  wallClock?: () => number;
}

/**
 * Runs a workload on a testbed and measures it. The testbed stays open; the objects that were made on it stay until it is
 * closed.
 *
 * @example
 * const measurement = await runWorkload(resolveWorkload({ qps: 8, sizes: [65536] }), testbed, { seed: 7 });
 * console.log(measurement.total.goodputGbps, measurement.verdict.why);
 */
export async function runWorkload(
  workload: Workload,
  testbed: Testbed,
  options: RunOptions = {},
): Promise<Measurement> {
  return new Run(workload, testbed, options).measure();
}

/** Something to be done at a time of the run. */
interface Appointment {
  timeNs: number;
  act: () => void;
}

class Run {
  private readonly workload: Workload;
  private readonly testbed: Testbed;
  private readonly places: Places;
  private readonly options: RunOptions;
  private readonly seed: number;
  private readonly polled: PolledThreads;
  private readonly random: Random;
  private readonly rigs: readonly TenantRig[];
  private readonly senders: readonly Sender[];
  private readonly sampler: Sampler;
  private readonly notes: string[] = [];
  private readonly limits: MeasureOptions;
  private readonly wallStart: number | null;
  private readonly clock;
  private appointments: Appointment[] = [];
  private startNs = 0;

  constructor(workload: Workload, testbed: Testbed, options: RunOptions) {
    this.wallStart = options.wallClock?.() ?? null;
    this.workload = workload;
    this.testbed = testbed;
    this.options = options;
    this.seed = options.seed ?? 1;
    this.clock = testbed.hosts[0].context.clock;
    this.polled = new PolledThreads(this.clock);
    this.random = new Random(this.seed).split('workload');
    this.limits = this.timeLimits();
    const { memory, onSetUp } = options;
    const backed = testbed.hosts.some(({ context }) => !context.capabilities.unbackedMemory);
    if (memory !== undefined) requireMemory(workload, backed, memory);
    const { connections } = memoryNeed(workload, backed);
    let made = 0;
    this.places = new Places(testbed, workload);
    this.rigs = workload.tenants.map((tenant, index) =>
      asTenant(index, () =>
        buildTenant(tenant, {
          places: this.places,
          workload,
          random: this.random,
          polled: this.polled,
          maxNs: this.limits.maxNs,
          onConnection: () => {
            if (++made % SET_UP_STEP === 0) onSetUp?.(made, connections);
          },
        }),
      ),
    );
    this.senders = this.rigs.flatMap((rig) => rig.senders.map(({ sender }) => sender));
    this.sampler = new Sampler(testbed, this.places, this.rigs, {
      links: options.watchLinks !== false,
      levels: options.levels === true,
    });
  }

  async measure(): Promise<Measurement> {
    const { sampler, limits } = this;
    this.postReceives();
    this.startNs = this.clock.nowNs;
    for (const rig of this.rigs) for (const worker of rig.workers) worker.run();
    for (const rig of this.rigs) for (const control of rig.control) control.run();
    this.plan();
    sampler.take(0, this.startNs);
    let ending: string | null = null;
    while (ending === null && this.options.signal?.aborted !== true) {
      await this.pass(sampler.samples.length * limits.sliceNs);
      sampler.take(this.clock.nowNs - this.startNs, this.clock.nowNs);
      ending = this.reasonToEnd();
      await this.report();
    }
    if (this.options.followLatency === true && ending !== null) await this.follow(ending);
    for (const rig of this.rigs) {
      for (const worker of rig.workers) worker.thread.stop();
      for (const control of rig.control) control.thread.stop();
    }
    return this.conclude(ending);
  }

  /** Interleaved over the queue pairs, a batch at a time, as a receiver that has run for long would have left them. */
  private postReceives(): void {
    for (const { tenant, receivers } of this.rigs) {
      const rounds = Math.floor(tenant.receiveQueueDepth / tenant.receiveBatch);
      for (let round = 0; round < rounds; round++)
        for (const { receiver, worker } of receivers) worker.postReceives(receiver);
    }
  }

  /** Makes the appointments: when each sender starts and when it stops. */
  private plan(): void {
    for (const rig of this.rigs) {
      const { tenant, plan } = rig;
      const random = this.random.split(`start/${tenant.name}`);
      // A run of counted messages begins with the first of them; any other begins as though it had been going on.
      const inTheMiddle = tenant.iterations === null && tenant.mode === 'stream';
      for (const { sender, worker } of rig.senders) {
        let first = tenant.batch;
        let delayNs = 0;
        if (inTheMiddle) {
          const { position, firstBytes } = plan.randomStart(random);
          sender.startAt(position, firstBytes);
          first = 1 + random.nextInt(tenant.batch);
          delayNs = random.nextInt(SPREAD_NS / START_STEP_NS) * START_STEP_NS;
        }
        this.appointments.push({ timeNs: tenant.startNs + delayNs, act: () => worker.begin(sender, first) });
        if (tenant.stopNs !== null)
          this.appointments.push({ timeNs: tenant.stopNs, act: () => (sender.active = false) });
      }
    }
    this.appointments.sort((one, other) => one.timeNs - other.timeNs);
  }

  /** Lets time pass until `untilNs` of the run and keeps the appointments on the way. */
  private async pass(untilNs: number): Promise<void> {
    let kept = 0;
    for (const { timeNs, act } of this.appointments) {
      if (timeNs >= untilNs) break;
      if (this.startNs + timeNs > this.clock.nowNs) await this.polled.passUntil(this.startNs + timeNs);
      act();
      kept++;
    }
    this.appointments = this.appointments.slice(kept);
    await this.polled.passUntil(this.startNs + untilNs);
  }

  /** Goes on for as long as a request of the measured time is in flight, within reason. */
  private async follow(ending: string): Promise<void> {
    const { samples } = this.sampler;
    const { first, last } = this.window(ending);
    const limitNs = FOLLOW_FACTOR * this.limits.maxNs;
    const [fromNs, toNs] = [samples[first], samples[last]].map(({ timeNs }) => this.startNs + timeNs);
    const isWaited = () => this.senders.some((sender) => sender.followsOneOf(fromNs, toNs));
    const longestNs = Math.max(
      ...this.rigs.map(
        (_, place) => littleNs(samples[first].inFlight[place], samples[last].inFlight[place]) ?? 0,
      ),
    );
    if (longestNs > limitNs) return;
    const untilNs = this.clock.nowNs + limitNs;
    while (isWaited() && this.clock.nowNs < untilNs && this.options.signal?.aborted !== true) {
      await this.polled.passUntil(this.clock.nowNs + this.limits.sliceNs);
      await this.options.onSlice?.({
        timeNs: this.clock.nowNs - this.startNs,
        maxNs: this.limits.maxNs + limitNs,
        ...this.lastSlice(),
        ...this.delivered(),
      });
    }
  }

  private reasonToEnd(): string | null {
    const { samples } = this.sampler;
    const { timeNs } = samples[samples.length - 1];
    if (this.senders.length > 0 && this.senders.every((sender) => sender.failed))
      return 'every queue pair failed';
    if (this.counted()) {
      const counted = this.rigs.filter((rig) => rig.tenant.iterations !== null);
      if (counted.every((rig) => rig.senders.every(({ sender }) => sender.finished)))
        return 'all iterations were done';
    }
    const { maxNs, minNs } = this.limits;
    if (!this.counted() && timeNs >= maxNs) return 'the time ran out';
    if (this.counted() || this.hasTimeline() || timeNs < minNs) return null;
    return this.find().steady ? 'steady' : null;
  }

  private conclude(ending: string | null): Measurement {
    const { sampler, limits, rigs } = this;
    const { samples } = sampler;
    const { steadyState, first, last, measuredNs } = this.window(ending ?? 'the run was interrupted');
    return assemble({
      workload: this.workload,
      testbed: this.testbed,
      places: this.places,
      rigs,
      sampler,
      before: samples[first],
      after: samples[last],
      measuredNs,
      startNs: this.startNs,
      endNs: this.clock.nowNs,
      steadyState: { ...steadyState, slices: samples.length - 1, sliceNs: limits.sliceNs },
      seed: this.seed,
      partial: ending === null,
      notes: this.notes,
      wallSeconds: this.wallStart === null ? null : this.options.wallClock!() - this.wallStart,
    });
  }

  /** Between which samples to take the rates, and why. */
  private window(ending: string): {
    steadyState: Omit<SteadyState, 'slices' | 'sliceNs'>;
    first: number;
    last: number;
    measuredNs: number;
  } {
    const { samples } = this.sampler;
    const end = samples.length - 1;
    if (this.counted()) {
      const lastNs = Math.max(
        ...this.rigs.flatMap((rig) => rig.senders.map(({ sender }) => sender.lastCompletionNs)),
      );
      const measuredNs = Math.max(1, Math.min(samples[end].timeNs, lastNs - this.startNs));
      return {
        steadyState: { steady: false, reason: ending, warmupNs: 0, measuredNs },
        first: 0,
        last: end,
        measuredNs,
      };
    }
    const last = this.lastTogether();
    const { truncated, steady, reason } = this.find();
    const first = Math.max(0, Math.min(this.firstTogether() + truncated, last - 1));
    const measuredNs = Math.max(1, samples[last].timeNs - samples[first].timeNs);
    const why = steady ? reason : `${ending} before steady state: ${reason}`;
    return {
      steadyState: { steady, reason: why, warmupNs: samples[first].timeNs, measuredNs },
      first,
      last,
      measuredNs,
    };
  }

  private find(): ReturnType<typeof findSteadyState> {
    const { sampler, limits } = this;
    const first = this.firstTogether();
    const count = this.lastTogether() - first;
    if (count < 1)
      return { truncated: 0, steady: false, reason: 'the tenants never ran together for a whole slice' };
    const { relativeError } = limits;
    return findSteadyState([
      {
        name: 'goodput',
        values: sampler.deliveredGbps(first).slice(0, count),
        absoluteError: 0,
        relativeError,
        flows: true,
      },
      {
        name: 'message rate',
        values: sampler.messagesPerSecond(first).slice(0, count),
        absoluteError: 0,
        relativeError: 2 * relativeError,
      },
      // Near the verdict's threshold what matters is on which side it lies; far above it a few per cent are enough.
      {
        name: 'pause share',
        values: sampler.pauseShare(first).slice(0, count),
        absoluteError: PAUSE_THRESHOLD / 2,
        relativeError: 5 * relativeError,
      },
    ]);
  }

  /** The first sample at which all tenants have started. */
  private firstTogether(): number {
    const startNs = Math.max(...this.workload.tenants.map((tenant) => tenant.startNs)) + SPREAD_NS;
    const found = this.sampler.samples.findIndex((sample) => sample.timeNs >= startNs);
    return found < 0 ? this.sampler.samples.length - 1 : found;
  }

  /** The last sample before the first tenant stops. */
  private lastTogether(): number {
    const stopNs = Math.min(
      ...this.workload.tenants.map((tenant) => tenant.stopNs ?? Number.POSITIVE_INFINITY),
    );
    return this.sampler.samples.findLastIndex((sample) => sample.timeNs <= stopNs);
  }

  private counted(): boolean {
    return this.workload.tenants.some((tenant) => tenant.iterations !== null);
  }

  /** Tenants come or go: the run shows all of it. */
  private hasTimeline(): boolean {
    return this.workload.tenants.some((tenant) => tenant.startNs > 0 || tenant.stopNs !== null);
  }

  private timeLimits(): MeasureOptions {
    const { measure, tenants } = this.workload;
    const factor = this.clock.virtual ? 1 : REAL_TIME_FACTOR;
    if (factor > 1) this.notes.push(`the clock is real: sliceNs, minNs and maxNs are taken times ${factor}`);
    const slowest = Math.max(
      0,
      ...tenants.flatMap((tenant) =>
        tenant.control.map((control) => (CONTROL_CALLS * 1e9) / control.perSecond),
      ),
    );
    const minNs = Math.max(measure.minNs * factor, slowest);
    if (slowest > measure.minNs * factor)
      this.notes.push(`the run lasts long enough for ${CONTROL_CALLS} control verbs of the slowest kind`);
    const maxNs = Math.max(measure.maxNs * factor, 2 * slowest);
    return { ...measure, sliceNs: Math.max(measure.sliceNs * factor, maxNs / MAX_SLICES), minNs, maxNs };
  }

  private async report(): Promise<void> {
    const { samples } = this.sampler;
    await this.options.onSlice?.({
      timeNs: samples[samples.length - 1].timeNs,
      maxNs: this.limits.maxNs,
      ...(this.counted() ? { share: this.doneShare() } : {}),
      ...this.lastSlice(),
      ...this.delivered(),
    });
  }

  /** The part of all counted messages that is done, by the queue pair that has most of them left. */
  private doneShare(): number {
    let least = 1;
    for (const { senders } of this.rigs)
      for (const { sender } of senders) least = Math.min(least, sender.doneShare);
    return least;
  }

  /** What had been delivered at the last sample. */
  private delivered(): Pick<Progress, 'packets' | 'messages'> {
    const { samples } = this.sampler;
    let packets = 0;
    let messages = 0;
    for (const lane of samples[samples.length - 1].lanes) {
      packets += lane.packets;
      messages += lane.messages;
    }
    return { packets, messages };
  }

  private lastSlice(): Pick<Progress, 'goodputGbps' | 'pauseShare' | 'counters'> {
    const { sampler, places } = this;
    const first = sampler.samples.length - 2;
    return {
      goodputGbps: sampler.deliveredGbps(first)[0],
      pauseShare: sampler.pauseShare(first)[0],
      ...(this.options.levels === true
        ? {
            counters: Object.fromEntries(places.all.map(({ name }, place) => [name, sampler.moved(place)])),
          }
        : {}),
    };
  }
}
