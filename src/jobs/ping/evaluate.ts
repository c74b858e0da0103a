import { Random } from '../../engine/index.js';
import type { ServerChoice } from '../../testbeds/index.js';
import { InProcessPool, type Pool } from '../pool/index.js';
import {
  type EvaluatedPair,
  type EvaluatedServer,
  type HealthySweeps,
  type PingAnswer,
  type PingTask,
  type PlacedFault,
  runPingTask,
  twinOf,
} from './evaluate-task.js';
import { faultKinds } from './faults/catalogue.js';
import type { FaultKind } from './faults/fault-kind.js';
import { placesOf } from './faults/fault-text.js';
import type { EvaluatedFault } from './judge-fault.js';
import type { Plan } from './plan.js';
import type { ProbeOptions } from './probe.js';

/** Who evaluates, and watches it. */
export interface EvaluationHost {
  /** Runs the steps; here, one at a time, unless set. Stays open. The answer does not depend on it. */
  readonly pool?: Pool<PingTask, PingAnswer>;
  readonly onProgress?: (done: number, of: number) => void;
  readonly signal?: AbortSignal;
}

/** What is evaluated: every fault at every place of these hosts, at each severity, and healthy sweeps between. */
export interface EvaluationOptions extends EvaluationHost {
  readonly hosts: readonly string[];
  readonly device: string;
  /** Profiles of a user, which hosts or the device may be among. */
  readonly profiles?: ServerChoice['profiles'];
  readonly seed: number;
  readonly probes: ProbeOptions;
  /** Sweeps of each host without any fault. */
  readonly healthySweeps: number;
  /** Each fault also on a host with service traffic, and healthy sweeps of such hosts; no by default. */
  readonly busy?: boolean;
  /** Whether settings are read; they are by default. */
  readonly settings?: boolean;
  /** The faults to be injected; all by default. */
  readonly faults?: readonly FaultKind[];
  /** A place of each fault and host that this refuses is left out; none by default. */
  readonly wanted?: (fault: string, place: string, severity: number) => boolean;
}

/** What came of an evaluation. */
export interface Evaluation {
  readonly seed: number;
  readonly faults: readonly EvaluatedFault[];
  readonly healthy: readonly HealthySweeps[];
  /** Set where it was stopped before its end. */
  readonly partial: boolean;
}

/**
 * Injects every fault at every place, one at a time, into hosts whose probes jitter, and counts what is found: idle hosts,
 * and busy ones if that is asked.
 */
export async function evaluate(options: EvaluationOptions): Promise<Evaluation> {
  const { hosts, device, profiles = [], seed, healthySweeps, busy = false, settings = true } = options;
  const { jitterNs: _, ...probes } = options.probes;
  const servers = hosts.map(
    (host): EvaluatedServer => ({ choice: { host, device, seed, profiles }, probes, settings }),
  );
  const tasks: PingTask[] = [];
  for (const server of servers)
    for (const task of casesOf((await twinOf(server)).plan, options)) tasks.push({ ...task, server });
  const faults = tasks.length;
  for (const server of servers)
    for (const busyRnic of busy ? [null, (await twinOf(server)).plan.rnics[0]] : [null])
      if (healthySweeps > 0)
        tasks.push({ job: 'ping', kind: 'healthy', sweeps: healthySweeps, busyRnic, server });
  const answers = await runAll(tasks, options);
  return {
    seed,
    faults: answers.slice(0, faults).filter((each) => each !== null) as EvaluatedFault[],
    healthy: answers.slice(faults).filter((each) => each !== null) as HealthySweeps[],
    partial: options.signal?.aborted === true,
  };
}

/** What is evaluated: every pair of kinds of faults on a host, at places that a seed draws. */
export interface PairOptions extends EvaluationHost {
  readonly choice: ServerChoice;
  readonly probes: ProbeOptions;
  /** The kinds to be paired; all by default. */
  readonly faults?: readonly FaultKind[];
}

/** Injects every pair of kinds of faults at once, each at its middle severity, into a host whose probes jitter. */
export async function evaluatePairs(options: PairOptions): Promise<EvaluatedPair[]> {
  const { choice, faults = faultKinds } = options;
  const { jitterNs: _, ...probes } = options.probes;
  const server = { choice, probes, settings: true };
  const { plan } = await twinOf(server);
  const random = new Random(choice.seed);
  const kinds = faults.filter((kind) => placesOf(kind, plan).length > 0);
  const drawn = (kind: FaultKind): PlacedFault => {
    const places = placesOf(kind, plan);
    const severity = kind.severities[Math.floor(kind.severities.length / 2)] ?? 1;
    return { fault: kind.id, place: places[random.nextUint32() % places.length], severity };
  };
  const tasks = kinds.flatMap((kind, place) =>
    kinds
      .slice(place + 1)
      .map((other): PingTask => ({ job: 'ping', kind: 'pair', faults: [drawn(kind), drawn(other)], server })),
  );
  const answers = await runAll(tasks, options);
  return answers.filter((each) => each !== null) as EvaluatedPair[];
}

/** How much a task is of a whole evaluation: a sweep of a healthy host is as long as one of a faulty one. */
function weightOf(task: PingTask): number {
  return task.kind === 'healthy' ? task.sweeps : 1;
}

/** The answers of tasks in their order; null for one that was not made any more. */
async function runAll(
  tasks: readonly PingTask[],
  { pool, signal, onProgress }: EvaluationHost,
): Promise<(PingAnswer | null)[]> {
  const runner =
    pool ??
    new InProcessPool((task: PingTask, options) => {
      signal?.throwIfAborted();
      return runPingTask(task, { ...options, ...(signal === undefined ? {} : { signal }) });
    });
  const all = tasks.reduce((sum, task) => sum + weightOf(task), 0);
  const done = new Array<number>(tasks.length).fill(0);
  let sum = 0;
  const stopped = () => signal?.aborted === true;
  const tell = (index: number, now: number) => {
    sum += now - done[index];
    done[index] = now;
    onProgress?.(sum, all);
  };
  return Promise.all(
    tasks.map(async (task, index) => {
      if (stopped()) return null;
      try {
        const answer = await runner.run(task, { onProgress: (now) => tell(index, now) });
        if (done[index] < weightOf(task) && !stopped()) tell(index, weightOf(task));
        return answer;
      } catch (cause) {
        // A pool that the signal closes refuses what it had not begun.
        if (stopped()) return null;
        throw cause;
      }
    }),
  );
}

/** A fault on an idle or a busy host of any type. */
type FaultCase = Omit<Extract<PingTask, { kind: 'fault' }>, 'server'>;

function casesOf(
  plan: Plan,
  { faults = faultKinds, wanted = () => true, busy = false }: EvaluationOptions,
): FaultCase[] {
  const cases = faults.flatMap((kind) =>
    placesOf(kind, plan).flatMap((place) =>
      (kind.severities.length === 0 ? [1] : kind.severities)
        .filter((severity) => wanted(kind.id, place, severity))
        .map((severity): FaultCase => {
          return { job: 'ping', kind: 'fault', fault: { fault: kind.id, place, severity }, busyRnic: null };
        }),
    ),
  );
  const inUse = cases.map(
    (each): FaultCase => ({ ...each, busyRnic: rnicUnderTest(plan, each.fault.place) }),
  );
  return busy ? [...cases, ...inUse] : cases;
}

/** The RNIC that is nearest to a place: the one with the fewest links on a path over it. */
function rnicUnderTest(plan: Plan, place: string): string {
  const over = plan.paths.filter(
    ({ rnic, endpoint, links }) =>
      rnic === place || endpoint === place || links.some((link) => plan.links[link].name === place),
  );
  const nearest = over.reduce(
    (least, path) => (path.links.length < least.links.length ? path : least),
    over[0],
  );
  return nearest?.rnic ?? plan.rnics[0];
}
