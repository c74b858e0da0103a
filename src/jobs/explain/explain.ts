import type { Subsystem } from '../../profiles/index.js';
import {
  type Measurement,
  type RunOptions,
  runWorkload,
  type Testbed,
  type Workload,
} from '../../workload/index.js';
import { type Mechanisms, type WhatIf, whatIfs } from './what-if.js';

/** What a run with something changed did, beside the run itself. */
export interface WhatIfOutcome {
  name: string;
  /** Mechanisms that were switched off. */
  ablate: readonly string[];
  /** It relieves a part of the kind that was named as the limit. */
  ofLimit: boolean;
  goodputGbps: number;
  messagesPerSecond: number;
  /** Greatest of all NICs; null where nobody counts it. */
  pauseRatio: number | null;
  symptom: Measurement['verdict']['symptom'];
  /** How many times as fast it is as the run itself. */
  faster: number;
  /** The run itself was an anomaly, and this one is none. */
  clears: boolean;
  /** Whether it made a difference: it is notably faster, or the anomaly is gone. */
  matters: boolean;
  /** What limited it instead. */
  limitedBy: string;
}

/** What limited a run, and the runs that prove it. */
export interface Explanation {
  /** In a sentence. */
  conclusion: string;
  /** The change that made the greatest difference; null where none did. */
  cause: WhatIfOutcome | null;
  /** In the order in which they were tried. */
  outcomes: WhatIfOutcome[];
}

/** What an explanation runs on. */
export interface ExplainBench {
  subsystem: Subsystem;
  /** Every mechanism that can be switched off, with what its absence means. */
  mechanisms: Mechanisms;
  /** Opens a testbed for a workload; with `lossless` nothing is lost on the way that else is. */
  open(
    workload: Workload,
    subsystem: Subsystem,
    ablate: readonly string[],
    lossless: boolean,
  ): Promise<Testbed>;
  run?: Pick<RunOptions, 'signal' | 'onSlice'>;
  /** Told before each run. */
  onWhatIf?(name: string, done: number, all: number): void;
}

/** More than this, relatively, is a difference. */
const NOTABLE = 0.05;

/**
 * Proves what limited a run by running it again with the suspected part off or twice as fast, all else equal. Where none
 * of the suspects makes a difference, or none clears an anomaly, every mechanism that the models have is tried.
 *
 * @example
 * const { conclusion } = await explain(measurement, bench);
 */
export async function explain(measurement: Measurement, bench: ExplainBench): Promise<Explanation> {
  const outcomes: WhatIfOutcome[] = [];
  const tried = new Set<string>();
  for (const all of [false, true]) {
    const wanted = whatIfs(measurement, bench.mechanisms, all).filter(({ name }) => !tried.has(name));
    for (const [index, whatIf] of wanted.entries()) {
      if (bench.run?.signal?.aborted === true) return conclude(measurement, outcomes);
      bench.onWhatIf?.(whatIf.name, index, wanted.length);
      tried.add(whatIf.name);
      outcomes.push(await tryOut(measurement, whatIf, bench));
    }
    if (outcomes.some(({ clears, matters }) => (measurement.verdict.anomaly ? clears : matters))) break;
  }
  return conclude(measurement, outcomes);
}

async function tryOut(measurement: Measurement, whatIf: WhatIf, bench: ExplainBench): Promise<WhatIfOutcome> {
  const workload = whatIf.workload?.(measurement.workload) ?? measurement.workload;
  const subsystem = whatIf.subsystem?.(bench.subsystem) ?? bench.subsystem;
  const testbed = await bench.open(workload, subsystem, whatIf.ablate ?? [], whatIf.lossless === true);
  try {
    const { seed } = measurement;
    const changed = await runWorkload(workload, testbed, { seed, ...bench.run });
    const faster = timesAsFast(measurement, changed);
    const clears = measurement.verdict.anomaly && !changed.verdict.anomaly;
    return {
      name: whatIf.name,
      ablate: whatIf.ablate ?? [],
      ofLimit: measurement.limits.part !== null && whatIf.relieves.includes(measurement.limits.part.kind),
      goodputGbps: changed.total.goodputGbps,
      messagesPerSecond: changed.total.messagesPerSecond,
      pauseRatio: changed.pauseRatio,
      symptom: changed.verdict.symptom,
      faster,
      clears,
      matters: clears || faster > 1 + NOTABLE,
      limitedBy: changed.limits.by,
    };
  } finally {
    await testbed.close();
  }
}

/**
 * Messages per second of the changed run over those of the run itself. Tenants may send messages of very different
 * sizes, so with several it is the tenant that gained most; where one gains at the cost of another, nothing became
 * faster but the bits in all.
 */
function timesAsFast(before: Measurement, after: Measurement): number {
  const gains = before.tenants.map((tenant, index) =>
    ratio(after.tenants[index].messagesPerSecond, tenant.messagesPerSecond),
  );
  if (gains.every((gain) => gain >= 1 - NOTABLE)) return Math.max(...gains);
  return before.total.goodputGbps > 0 && gains.length > 1
    ? after.total.goodputGbps / before.total.goodputGbps
    : ratio(after.total.messagesPerSecond, before.total.messagesPerSecond);
}

function ratio(after: number, before: number): number {
  return after === before ? 1 : after / before;
}

function conclude(measurement: Measurement, outcomes: WhatIfOutcome[]): Explanation {
  const mattering = outcomes.filter(({ matters }) => matters);
  const [cause = null] = mattering.sort(
    (one, other) => Number(other.clears) - Number(one.clears) || other.faster - one.faster,
  );
  const { by, part } = measurement.limits;
  if (cause === null) {
    const conclusion = `nothing of what was tried (${outcomes.length} runs) makes a difference, so this is not proved: ${by}`;
    return { conclusion, cause, outcomes };
  }
  const found = `if ${cause.name}, ${effectOf(cause)}`;
  const named = mattering.find(({ ofLimit }) => ofLimit);
  return { conclusion: `${found}${agreement(cause, named, part)}: ${by}`, cause, outcomes };
}

function effectOf({ clears, faster }: WhatIfOutcome): string {
  if (clears) return 'the anomaly is gone';
  return faster === Number.POSITIVE_INFINITY
    ? 'messages arrive, as none does else'
    : `it is ${faster.toFixed(2)} times as fast`;
}

/** Whether the run that made most difference is one of the part that was named, and why not. */
function agreement(
  cause: WhatIfOutcome,
  named: WhatIfOutcome | undefined,
  part: Measurement['limits']['part'],
): string {
  if (part === null) return '';
  if (cause.ofLimit) return '; this proves what was named';
  if (named !== undefined) return `; what was named matters too (if ${named.name}, ${effectOf(named)})`;
  return `; what was named is busy but makes no difference by itself`;
}
