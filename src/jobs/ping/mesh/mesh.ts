import { median, medianDeviation } from '../reading.js';

/** Times of the probes of one pair, small and large ones, in the order of the rounds. */
export interface MeshCell {
  readonly smallNs: readonly number[];
  readonly largeNs: readonly number[];
  /** Why there are none. */
  readonly failure?: string;
}

/**
 * Processes of a machine, or machines, and what each takes to each: by the one that probes, then by the one that is written
 * to. A pair that was not probed has neither times nor a failure, and nothing is said of it.
 */
export interface Mesh {
  readonly names: readonly string[];
  readonly cells: readonly (readonly MeshCell[])[];
}

/** Something that stands out in a mesh. */
export interface MeshFinding {
  readonly kind: 'unreachable' | 'slow-process' | 'slow-pair';
  /** The process, or the one that probes and the one that is written to. */
  readonly processes: readonly string[];
  readonly evidence: readonly string[];
  readonly advice: string;
}

/** Times of a small and a large probe. */
export interface PairTimes {
  readonly smallNs: number;
  readonly largeNs: number;
}

/** What stands in for the time of a probe that failed: longer than any that did not. */
const FAILED_NS = 1e9;
/** What a cell says where the process that should probe gives no answer. */
export const SILENT = 'the process does not answer';
/** Rounds that are thrown away: connections are made in them, and programs compiled. */
export const WARM_UP = 2;

/**
 * Processes of one machine should be equal. One is told from the others where its ways take twice as long, one pair where
 * it takes three times as long: closer than that the scheduler of a machine that does other things looks like a fault.
 */
const PROCESS_APART = 2;
const PAIR_APART = 3;
/** And by as many standard errors of the difference of the medians: no verdict of what scatters. */
const ERRORS_APART = 4;
/** The scatter of fewer samples is hardly known: that of the others counts too, in logarithms, as times have long tails. */
const FEW_SAMPLES = 11;
/** Standard error of a median over its median absolute deviation and the root of the count, for what is normal. */
const MEDIAN_ERROR = 1.4826 * 1.2533;

const ADVICE = {
  unreachable: 'Look whether the process lives, is stopped, or blocks its event loop.',
  'slow-process': 'Look at what the process does besides: a busy event loop, a throttled core, its cgroup.',
  'slow-pair': 'Look at what lies between the two alone: filters, tc rules, packets that are sent again.',
} as const;

/**
 * Probes every process from every process, itself included, one pair after the other, in rounds: what the machine does
 * besides meets all pairs alike. A pair that failed is not probed again, nor is anything by a process that was silent.
 */
export async function sweepMesh(
  names: readonly string[],
  repetitions: number,
  probe: (from: number, to: number) => Promise<PairTimes | string>,
): Promise<Mesh> {
  const cells = names.map(() =>
    names.map((): { smallNs: number[]; largeNs: number[]; failure?: string } => ({
      smallNs: [],
      largeNs: [],
    })),
  );
  for (let round = 0; round < WARM_UP + repetitions; round++) {
    for (let from = 0; from < names.length; from++) {
      for (let turn = 0; turn < names.length; turn++) {
        // A process that has slept is slow to wake; whom it probes first then changes from round to round.
        const to = (round + turn) % names.length;
        const cell = cells[from][to];
        if (cell.failure !== undefined) continue;
        const silent = cells[from].some(({ failure }) => failure === SILENT);
        const times = silent ? SILENT : await probe(from, to);
        if (typeof times === 'string') cell.failure = times;
        else if (round >= WARM_UP) {
          cell.smallNs.push(times.smallNs);
          cell.largeNs.push(times.largeNs);
        }
      }
    }
  }
  return { names, cells };
}

type Pair = readonly [number, number];

/**
 * Says which processes, or pairs of them, stand out. There is no baseline: every way is held against the others, so that
 * what slows all of them alike is not seen.
 */
export function diagnoseMesh(mesh: Mesh): MeshFinding[] {
  const { names, cells } = mesh;
  const places = names.map((_, place) => place);
  const all = places.flatMap((from) =>
    places.flatMap((to): Pair[] => (to !== from && isKnown(cells[from][to]) ? [[from, to]] : [])),
  );
  const pairsOf = (some: readonly number[]) => {
    const within = new Set(some);
    return all.filter(([from, to]) => within.has(from) && within.has(to));
  };
  const failuresOf = (place: number) =>
    all.filter(([, to]) => to === place).map(([from, to]) => cells[from][to].failure);
  const dead = places.filter((place) => {
    const failures = failuresOf(place);
    return failures.length > 0 && !failures.includes(undefined);
  });
  const found: MeshFinding[] = dead.map((place) => ({
    kind: 'unreachable',
    processes: [names[place]],
    evidence: [`no other reaches it: ${failuresOf(place)[0]}`],
    advice: ADVICE.unreachable,
  }));
  let left = places.filter((place) => !dead.includes(place));
  // The worst first: its ways are in the rows of the others, which without them may be as all are.
  while (left.length > 1) {
    const pairs = pairsOf(left);
    const [worst, next] = left
      .map((place) => ({ place, ...processSlowdown(mesh, pairs, place) }))
      .sort((a, b) => b.times - a.times);
    if (!(worst.times > PROCESS_APART)) break;
    // Two alone have no other pair to be held against.
    const who = left.length === 2 ? [worst.place, next.place] : [worst.place];
    const processes = who.map((place) => names[place]);
    found.push({
      kind: 'slow-process',
      processes,
      evidence: worst.said,
      advice: ADVICE['slow-process'],
    });
    left = left.filter((place) => place !== worst.place);
  }
  const usual = pairsOf(left);
  for (const pair of usual) {
    const others = usual.filter((each) => each !== pair);
    if (others.length < 2) continue;
    const { times, said } = slowdown(mesh, [pair], others);
    if (!(times > PAIR_APART)) continue;
    const failure = cells[pair[0]][pair[1]].failure;
    found.push({
      kind: 'slow-pair',
      processes: pair.map((place) => names[place]),
      evidence: failure === undefined ? [said] : [said, failure],
      advice: ADVICE['slow-pair'],
    });
  }
  return found;
}

/** Whether a pair was probed. */
function isKnown({ failure, smallNs }: MeshCell): boolean {
  return failure !== undefined || smallNs.length > 0;
}

/** How much slower a process is than the pairs without it, in what it sends and in what is sent to it. */
function processSlowdown(mesh: Mesh, pairs: readonly Pair[], place: number) {
  const others = pairs.filter(([from, to]) => from !== place && to !== place);
  const sent = pairs.filter(([from]) => from === place);
  const received = pairs.filter(([, to]) => to === place);
  const [out, back] = [slowdown(mesh, sent, others), slowdown(mesh, received, others)];
  // Both ways count; what blocks a process may show more in one of them.
  return { times: Math.sqrt(out.times * back.times), said: [`sends: ${out.said}`, `is sent: ${back.said}`] };
}

/** How many times as long probes of some pairs take as those of others, small or large ones, whichever is more. */
function slowdown({ cells }: Mesh, some: readonly Pair[], others: readonly Pair[]) {
  const most = [...some, ...others].reduce(
    (count, [from, to]) => Math.max(count, cells[from][to].smallNs.length),
    1,
  );
  const samples = (pairs: readonly Pair[], key: 'smallNs' | 'largeNs') =>
    pairs.flatMap(([from, to]) => {
      const { failure, [key]: times } = cells[from][to];
      // As many as the others have, so that a failure weighs as much as a reading.
      return failure === undefined ? times : new Array<number>(most).fill(FAILED_NS);
    });
  const compared = (['smallNs', 'largeNs'] as const).map((key) =>
    compare(samples(some, key), samples(others, key)),
  );
  const [small, large] = compared;
  return {
    times: Math.max(...compared.map(({ times }) => times)),
    said: `small probes ${inUs(small.medianNs)}, elsewhere ${inUs(small.usualNs)}; large ones ${inUs(large.medianNs)}, elsewhere ${inUs(large.usualNs)}`,
  };
}

/** How many times as long the median of some is as that of others; 1 where that may be chance. */
function compare(some: readonly number[], others: readonly number[]) {
  const [medianNs, usualNs] = [median(some), median(others)];
  const error = (values: readonly number[]) =>
    (MEDIAN_ERROR * medianDeviation(values)) / Math.sqrt(values.length);
  const scatter = (values: readonly number[]) => medianDeviation(values.map(Math.log));
  const isApart =
    some.length < FEW_SAMPLES
      ? Math.log(medianNs / usualNs) * Math.sqrt(some.length) >
        ERRORS_APART * MEDIAN_ERROR * Math.max(scatter(some), scatter(others))
      : medianNs - usualNs > ERRORS_APART * Math.hypot(error(some), error(others));
  return { medianNs, usualNs, times: isApart ? medianNs / usualNs : 1 };
}

function inUs(ns: number): string {
  return `${(ns / 1000).toFixed(0)} us`;
}
