import { Random } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
import { advise, type Remedy } from './answer/advice.js';
import type { CounterKind } from './counters.js';
import { setUpCost } from './experiments/cost.js';
import type { Experiment, ExperimentOptions, ExperimentOrder, Outcome } from './experiments/experiment.js';
import { Foresight } from './experiments/foresight.js';
import { type ExperimentRecord, type KeptExperiment, recordOf } from './experiments/record.js';
import { type Flight, runCourses } from './experiments/scheduler.js';
import { type Course, type Known, type Trial, trialKey } from './experiments/trial.js';
import { HuntState } from './hunt-state.js';
import { type Baseline, baselineOf, type Observation } from './observation.js';
import type { Feature } from './reduce/feature.js';
import type { Find, KnownSet } from './reduce/known-finds.js';
import { Extraction } from './reduce/minimal-feature-set.js';
import { anneal } from './search/annealing.js';
import { optimise } from './search/bayesian.js';
import { drawPoint } from './search/draw.js';
import { drawAtRandom } from './search/random-search.js';
import { hardwareSeconds, type Point } from './space/point.js';
import { type ExperimentLength, workloadOf } from './space/point-workload.js';
import type { Space } from './space/space.js';

/** How to search. */
export type Strategy = 'annealing' | 'random' | 'bayesian';

/** How long to search: experiments, hours on real machines, or seconds that pass. */
export type Budget =
  | { kind: 'experiments'; amount: number }
  | { kind: 'hours'; amount: number }
  | { kind: 'wall'; amount: number };

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

/** Who runs experiments, keeps them and watches. */
export interface HuntHost {
  experiment: Experiment;
  /** Workers that have nothing to do now: what may be wanted next is made on them. None unless set. */
  idleWorkers?: () => number;
  /** What was kept of an earlier run of the same plan. */
  kept?: (dispatch: number) => Promise<KeptExperiment | undefined>;
  /** Keeps an experiment; the search learns of it when the promise resolves. */
  keep?: (experiment: KeptExperiment) => Promise<void>;
  /** Called after each experiment, in the order in which the search learns of them. */
  onExperiment?: (record: ExperimentRecord, state: HuntState) => void;
  /** Seconds since some moment; needed for a budget in wall time. */
  wallClock?: () => number;
  signal?: AbortSignal;
}

/** What came of a hunt. */
export interface HuntResult {
  finds: (Find & { advice: Remedy[]; observation: Observation })[];
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
 * const { finds } = await runPlan(plan, { experiment: (order) => runHuntTask({ job: 'hunt', testbed, ...order }) });
 */
export async function runPlan(plan: HuntPlan, host: HuntHost): Promise<HuntResult> {
  return new Hunt(plan, host).run();
}

class Hunt {
  private readonly plan: HuntPlan;
  private readonly host: HuntHost;
  private readonly state: HuntState;
  private readonly records: ExperimentRecord[] = [];
  private readonly foresight: Foresight | null;
  private readonly startSeconds: number;
  private dispatched = 0;
  /** The time of the search's own clock when what runs now began. */
  private now = 0;
  private hours = 0;
  /** Experiments under way that the search waits for. */
  private making = 0;
  private limited = true;

  constructor(plan: HuntPlan, host: HuntHost) {
    this.plan = plan;
    this.host = host;
    const { idleWorkers } = host;
    this.foresight =
      idleWorkers === undefined
        ? null
        : new Foresight({
            idle: idleWorkers,
            make: (trial, options) => this.experiment(this.orderOf(trial), options),
            known: { get: (key) => this.state.known.get(key) },
          });
    this.state = new HuntState(plan.space, new Random(plan.seed), {
      mfs: plan.mfs,
      relatives: plan.strategy === 'annealing',
      known: plan.known ?? [],
      foresight: this.foresight,
      budgetLeft: () => this.budgetLeft(),
    });
    this.startSeconds = host.wallClock?.() ?? 0;
  }

  async run(): Promise<HuntResult> {
    const warnings: string[] = [];
    let partial = false;
    const advice = new Map<Find, Remedy[]>();
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

  private async findAdvice(finds: readonly Find[], advice: Map<Find, Remedy[]>): Promise<void> {
    // The budget is for the search; what was found is worth a few runs more.
    this.limited = false;
    const { space, repairs } = this.plan;
    const { state } = this;
    const courses = finds
      .filter(({ complete }) => complete)
      .map(function* (find): Course<void> {
        const { point, symptom, features: given } = find;
        const look = function* (known: Known, onRefined: (features: Feature[]) => void = () => {}) {
          const options = { space, known, symptom, ownerOf: () => undefined };
          const features = yield* new Extraction(point, options).refine(given);
          onRefined(features);
          return yield* advise({ point, features }, space, known, repairs);
        };
        const refined = (features: Feature[]) => {
          find.features = features;
        };
        advice.set(find, yield* state.along(look(state.known, refined), look));
      });
    await this.runAll(courses);
  }

  private async runAll(courses: readonly Course<unknown>[]): Promise<void> {
    try {
      this.now = await runCourses(courses, {
        begin: this.now,
        dispatch: (trial, begin, onCost) => this.dispatch(trial, begin, onCost),
        consume: (trial, outcome) => this.consume(trial, outcome),
        // What was kept needs no worker: nothing is to be foreseen before that ends.
        onIdle: () => (this.making > 0 ? this.foresight?.fill() : undefined),
      });
    } finally {
      this.foresight?.end();
    }
  }

  private dispatch(trial: Trial, begin: number, onCost: (leastCost: number) => void): Flight | null {
    if (this.host.signal?.aborted === true)
      return { outcome: Promise.reject(new Interrupted()), leastCost: 0 };
    if (this.limited && this.isSpent()) return null;
    const place = { dispatch: this.dispatched++, begin };
    this.hours += hardwareSeconds(trial.point) / 3600;
    const order = this.orderOf(trial);
    const early = this.foresight?.take(trial, onCost);
    if (early != null) return { outcome: this.keep(trial, place, early.outcome), leastCost: early.leastCost };
    const make = () => this.keep(trial, place, this.experiment(order, { onCost }));
    return {
      outcome: this.host.kept === undefined ? make() : this.resume(trial, place.dispatch, make),
      leastCost: setUpCost(order.workload),
    };
  }

  /** The outcome that was kept of an earlier run, or a new one. */
  private async resume(trial: Trial, dispatch: number, make: () => Promise<Outcome>): Promise<Outcome> {
    const kept = await this.host.kept!(dispatch);
    if (kept === undefined) return make();
    const { key, observation, cost } = kept;
    if (key !== trialKey(trial) || cost === undefined) throw diverged(dispatch);
    return { observation, cost };
  }

  private orderOf({ point, length, settings }: Trial): ExperimentOrder {
    const { seed, timeScale, unlimited = false } = this.plan;
    const { baseline } = this.state;
    return { workload: workloadOf(point, { length, settings, timeScale }), seed, baseline, unlimited };
  }

  private async experiment(order: ExperimentOrder, options: ExperimentOptions): Promise<Outcome> {
    const { host } = this;
    try {
      return await host.experiment(order, options);
    } catch (error) {
      if (host.signal?.aborted === true) throw new Interrupted();
      throw error;
    }
  }

  /** The search learns of an outcome when it was kept. */
  private async keep(
    trial: Trial,
    { dispatch, begin }: { dispatch: number; begin: number },
    made: Promise<Outcome>,
  ): Promise<Outcome> {
    this.making++;
    const outcome = await made;
    this.making--;
    this.foresight?.land(trial, outcome);
    await this.host.keep?.({ ...recordOf(trial, outcome), dispatch, end: begin + outcome.cost });
    return outcome;
  }

  private consume(trial: Trial, outcome: Outcome): void {
    const record = { index: this.records.length, ...recordOf(trial, outcome) };
    this.foresight?.taken(trial);
    this.records.push(record);
    this.state.record(trial, outcome.observation);
    this.host.onExperiment?.(record, this.state);
  }

  private isSpent(): boolean {
    return this.budgetLeft() <= 0;
  }

  /** The share of the budget that is left. */
  private budgetLeft(): number {
    const { kind, amount } = this.plan.budget;
    const spent = {
      experiments: () => this.dispatched,
      hours: () => this.hours,
      wall: () => (this.host.wallClock?.() ?? 0) - this.startSeconds,
    }[kind]();
    return 1 - spent / amount;
  }

  /** The longest look at a find's point. */
  private observationOf({ point }: Find): Observation {
    const seen = (length: ExperimentLength) =>
      this.state.known.get(trialKey({ point, length, purpose: 'confirm' }));
    return seen('long') ?? seen('full') ?? seen('short')!;
  }
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

function diverged(dispatch: number): KelpieError {
  return new KelpieError('HUNT_DIVERGED', 'the kept experiments are of another search', {
    field: 'experiment',
    given: dispatch,
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
