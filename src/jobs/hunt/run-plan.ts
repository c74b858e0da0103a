import { Random } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
import type { Measurement, Workload } from '../../workload/index.js';
import { type Advice, advise } from './answer/advice.js';
import type { CounterKind } from './counters.js';
import { HuntState } from './hunt-state.js';
import { type Baseline, baselineOf, type Observation, observe } from './observation.js';
import type { Find, KnownSet } from './reduce/known-finds.js';
import { Extraction } from './reduce/minimal-feature-set.js';
import { runCourses } from './scheduler.js';
import { anneal } from './search/annealing.js';
import { optimise } from './search/bayesian.js';
import { drawPoint } from './search/draw.js';
import { drawAtRandom } from './search/random-search.js';
import { hardwareSeconds, type Point } from './space/point.js';
import { type ExperimentLength, workloadOf } from './space/point-workload.js';
import type { Space } from './space/space.js';
import { type Course, type Purpose, type Trial, trialKey } from './trial.js';

/** How to search. */
export type Strategy = 'annealing' | 'random' | 'bayesian';

/** How long to search: experiments, hours on real machines, or seconds that pass. */
export type Budget =
  | { kind: 'experiments'; amount: number }
  | { kind: 'hours'; amount: number }
  | { kind: 'wall'; amount: number };

/** Runs one workload on the subsystem. */
export type Experiment = (workload: Workload, seed: number) => Promise<Measurement>;

/** What decides the outcome of a hunt, and nothing else does: plain data. */
export interface HuntPlan {
  seed: number;
  space: Space;
  strategy: Strategy;
  /** Which counters guide it. */
  counters: readonly CounterKind[];
  /** Whether minimal feature sets are found and known anomalies skipped. */
  mfs: boolean;
  budget: Budget;
  /** How long experiments measure, relative to what suits a device of some hundred Gb/s. */
  timeScale: number;
  /** Whether the devices are ones that nothing slows; no by default. */
  unlimited?: boolean;
  /** Whether changes that clear the finds are tried at the end; yes by default. */
  advice?: boolean;
  /** Host settings that vendors' fixes change: candidates for advice. */
  repairs: Readonly<Record<string, string>>;
  /** What other hunts have found, which is skipped and not reported; nothing by default. */
  known?: readonly KnownSet[];
}

/** An experiment as it is kept. */
export interface ExperimentRecord {
  index: number;
  key: string;
  purpose: Purpose;
  counter: string | null;
  point: Point;
  observation: Observation;
  /** Seconds that it would take on real machines. */
  hardwareSeconds: number;
}

/** Who runs experiments, keeps them and watches. */
export interface HuntHost {
  experiment: Experiment;
  /** What was kept of an earlier run of the same plan. */
  kept?: (index: number) => Promise<ExperimentRecord | undefined>;
  /** Keeps an experiment; the search learns of it when the promise resolves. */
  keep?: (record: ExperimentRecord) => Promise<void>;
  /** Called after each experiment, in order. */
  onExperiment?: (record: ExperimentRecord, state: HuntState) => void;
  /** Seconds since some moment; needed for a budget in wall time. */
  wallClock?: () => number;
  signal?: AbortSignal;
}

/** What came of a hunt. */
export interface HuntResult {
  finds: (Find & { advice: Advice[]; observation: Observation })[];
  records: ExperimentRecord[];
  baseline: Baseline;
  /** Clean workloads that were not clean: then nothing here can be trusted to be an anomaly. */
  warnings: string[];
  partial: boolean;
}

/** Courses side by side: enough for many workers, few enough that each learns from the others. */
const COURSES = 4;
/** Random points before counters are ranked (Collie §7.2). */
const RANDOM_POINTS = 10;

class Interrupted extends Error {}

/**
 * Searches a space for anomalies. The outcome depends on the plan alone, not on how many experiments run at a time, and a
 * hunt that was interrupted comes to the same end from what was kept of it.
 *
 * @example
 * const { finds } = await runPlan(plan, { experiment: (workload, seed) => measure(workload, seed) });
 */
export async function runPlan(plan: HuntPlan, host: HuntHost): Promise<HuntResult> {
  return new Hunt(plan, host).run();
}

class Hunt {
  private readonly plan: HuntPlan;
  private readonly host: HuntHost;
  private readonly state: HuntState;
  private readonly records: ExperimentRecord[] = [];
  private readonly flying = new Map<Trial, number>();
  private readonly startSeconds: number;
  private dispatched = 0;
  private hours = 0;
  private limited = true;

  constructor(plan: HuntPlan, host: HuntHost) {
    this.plan = plan;
    this.host = host;
    this.state = new HuntState(plan.space, new Random(plan.seed), {
      mfs: plan.mfs,
      relatives: plan.strategy === 'annealing',
      known: plan.known ?? [],
    });
    this.startSeconds = host.wallClock?.() ?? 0;
  }

  async run(): Promise<HuntResult> {
    const warnings: string[] = [];
    let partial = false;
    const advice = new Map<Find, Advice[]>();
    let finds: Find[] = [];
    try {
      await this.measureBaseline(warnings);
      await this.search();
      finds = this.found();
      if (this.plan.advice !== false) await this.findAdvice(finds, advice);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      partial = true;
      finds = this.found();
    }
    return {
      finds: finds.map((find) => ({
        ...find,
        advice: advice.get(find) ?? [],
        observation: this.observationOf(find),
      })),
      records: this.records,
      baseline: this.state.baseline,
      warnings,
      partial,
    };
  }

  private found(): Find[] {
    return [...this.state.finds, ...(this.plan.mfs ? this.state.unfinished() : [])];
  }

  private async measureBaseline(warnings: string[]): Promise<void> {
    const outcomes: Observation[] = [];
    await this.runAll(
      CLEAN_POINTS.map((point) => once({ point, length: 'full', purpose: 'baseline' }, outcomes)),
    );
    const [alone, ...busy] = outcomes;
    for (const { symptom, why } of busy)
      if (symptom !== null) warnings.push(`a workload that should be clean is not: ${why}`);
    const clean = busy.filter(({ symptom }) => symptom === null);
    this.state.baseline = baselineOf(clean, alone?.latencyNs ?? 0);
  }

  private async search(): Promise<void> {
    const { plan, state } = this;
    const random = state.random.split('first');
    const first = Array.from({ length: RANDOM_POINTS }, () => drawPoint(plan.space, random));
    await this.runAll(first.map((point) => once({ point, length: 'short', purpose: 'random' }, [])));
    state.rank(plan.counters);
    if (state.counters.length === 0) throw noCounters(plan.counters);
    const suspects = [...state.sampled];
    const strategy = { annealing: anneal, random: drawAtRandom, bayesian: optimise }[plan.strategy];
    await this.runAll(
      Array.from({ length: COURSES }, (_, index) =>
        courseOf(suspects, index, state, strategy, state.random.split(`course/${index}`)),
      ),
    );
  }

  private async findAdvice(finds: readonly Find[], advice: Map<Find, Advice[]>): Promise<void> {
    // The budget is for the search; what was found is worth a few runs more.
    this.limited = false;
    const { space, repairs } = this.plan;
    const { known } = this.state;
    const courses = finds
      .filter(({ complete }) => complete)
      .map(function* (find): Course<void> {
        const options = { space, known, symptom: find.symptom, ownerOf: () => undefined };
        find.features = yield* new Extraction(find.point, options).refine(find.features);
        advice.set(find, yield* advise(find, space, known, repairs));
      });
    await this.runAll(courses);
  }

  private async runAll(courses: readonly Course<unknown>[]): Promise<void> {
    await runCourses(courses, {
      dispatch: (trial) => this.dispatch(trial),
      consume: (trial, observation) => this.consume(trial, observation),
    });
  }

  private dispatch(trial: Trial): Promise<Observation> | null {
    if (this.host.signal?.aborted === true) return Promise.reject(new Interrupted());
    if (this.limited && this.isSpent()) return null;
    const index = this.dispatched++;
    this.hours += hardwareSeconds(trial.point) / 3600;
    this.flying.set(trial, index);
    return this.host.kept === undefined ? this.make(trial, index) : this.resume(trial, index);
  }

  /** The observation that was kept of an earlier run, or a new one. */
  private async resume(trial: Trial, index: number): Promise<Observation> {
    const kept = await this.host.kept!(index);
    if (kept === undefined) return this.make(trial, index);
    if (kept.key !== trialKey(trial)) throw diverged(index);
    return kept.observation;
  }

  private async make(trial: Trial, index: number): Promise<Observation> {
    const { host, plan } = this;
    const { point, length, settings } = trial;
    const { baseline } = this.state;
    let measurement: Measurement;
    try {
      measurement = await host.experiment(
        workloadOf(point, { length, settings, timeScale: plan.timeScale }),
        plan.seed,
      );
    } catch (error) {
      if (host.signal?.aborted === true) throw new Interrupted();
      throw error;
    }
    if (measurement.partial) throw new Interrupted();
    const observation = observe(measurement, baseline, plan.unlimited);
    await host.keep?.(recordOf(trial, index, observation));
    return observation;
  }

  private consume(trial: Trial, observation: Observation): void {
    const record = recordOf(trial, this.flying.get(trial)!, observation);
    this.flying.delete(trial);
    this.records.push(record);
    this.state.record(trial, observation);
    this.host.onExperiment?.(record, this.state);
  }

  private isSpent(): boolean {
    const { kind, amount } = this.plan.budget;
    if (kind === 'experiments') return this.dispatched >= amount;
    if (kind === 'hours') return this.hours >= amount;
    return (this.host.wallClock?.() ?? 0) - this.startSeconds >= amount;
  }

  /** The longest look at a find's point. */
  private observationOf({ point }: Find): Observation {
    const seen = (length: ExperimentLength) =>
      this.state.known.get(trialKey({ point, length, purpose: 'confirm' }));
    return seen('long') ?? seen('full') ?? seen('short')!;
  }
}

function recordOf(trial: Trial, index: number, observation: Observation): ExperimentRecord {
  const { point, purpose, counter = null } = trial;
  return {
    index,
    key: trialKey(trial),
    purpose,
    counter,
    point,
    observation,
    hardwareSeconds: hardwareSeconds(point),
  };
}

function* once(trial: Trial, outcomes: Observation[]): Course<void> {
  outcomes.push(...(yield [trial]));
}

/** A course first looks after its share of the anomalies among the first points, then searches. */
function* courseOf(
  suspects: readonly { point: Point; observation: Observation }[],
  index: number,
  state: HuntState,
  strategy: (state: HuntState, random: Random) => Course<void>,
  random: Random,
): Course<void> {
  for (let each = index; each < suspects.length; each += COURSES)
    yield* state.examine(suspects[each].point, suspects[each].observation);
  yield* strategy(state, random);
}

/**
 * Workloads that no subsystem should mind, wherever its memory usually lies: the reference for loss and counters, within
 * the space or not.
 */
const CLEAN: Point = {
  memoryA: '',
  memoryB: '',
  direction: 'uni',
  mrs: 1,
  mrBytes: 65536,
  transport: 'RC',
  opcode: 'WRITE',
  qps: 16,
  queueDepth: 128,
  batch: 4,
  sge: 1,
  layout: 'even',
  mtu: 4096,
  sizes: [65536],
};
const CLEAN_POINTS: readonly Point[] = [
  // One short request at a time: how long it takes on an idle subsystem.
  { ...CLEAN, qps: 1, queueDepth: 1, batch: 1, sizes: [64] },
  CLEAN,
  { ...CLEAN, opcode: 'SEND' },
  { ...CLEAN, opcode: 'READ' },
  { ...CLEAN, transport: 'UD', opcode: 'SEND', qps: 8, queueDepth: 64, sizes: [2048] },
];

function diverged(index: number): KelpieError {
  return new KelpieError('HUNT_DIVERGED', 'the kept experiments are of another search', {
    field: 'experiment',
    given: index,
    allowed: 'the same version of Kelpie, subsystem and flags as when the hunt began',
  });
}

function noCounters(kinds: readonly CounterKind[]): KelpieError {
  return new KelpieError('CANNOT_RUN', 'this provider has no counters that could guide a search', {
    field: 'counters',
    given: kinds.join(', '),
    allowed: 'performance, or --strategy random',
  });
}
