import { findScheme } from '../../schemes/index.js';
import type { ExperimentResult, ExperimentTask } from './experiment.js';
import { TWIN, workloadOf } from './experiment.js';
import { huskyHolds, type Predicate, thresholdGbps, type VictimFacts } from './predicate.js';
import { exhausted, type Resource } from './resources.js';
import { type AttackClass, type Attacker, COLUMNS, type Column, type Victim } from './suite/index.js';

/** What came of one pair. */
export interface PairResult {
  attacker: string;
  victim: string;
  attackClass: AttackClass;
  column: Column | null;
  /** `refused`: the scheme does not apply to one of the two, and says why. */
  outcome: 'holds' | 'violated' | 'refused';
  /** By Husky's predicate, where the scheme promises something else than bandwidth and `outcome` is about that. */
  outcomeInBits?: 'holds' | 'violated';
  /** How many times as long as usual it was watched, because the attacker had delivered nothing in less. */
  times?: number;
  reason?: string;
  /** Rates of the victim on the wire, and the least that it was to have. */
  aloneGbps: number | null;
  gbps: number | null;
  thresholdGbps: number | null;
  /** Of what it had alone. */
  share: number | null;
  attackerGbps: number | null;
  /** What the two exhausted, by counters. */
  resource: Resource | null;
}

/** What came of a column of Table 3. */
export interface ColumnSummary {
  /** Whether the scheme holds against every pair that was measured; a column of refusals alone does not hold. */
  holds: boolean;
  pairs: number;
  violated: number;
  refused: number;
}

/** A scheme against the suite. */
export interface MatrixResult {
  scheme: string;
  subsystem: string;
  alpha: number;
  guaranteeGbps: number;
  bypass: boolean;
  /** Some pairs were not measured: the run was interrupted. */
  partial: boolean;
  pairs: PairResult[];
  summary: Record<Column, ColumnSummary>;
  /** By Husky's predicate, where the scheme promises something else than bandwidth and `summary` is about that. */
  summaryInBits?: Record<Column, ColumnSummary>;
}

/** What a matrix is made from. */
export interface MatrixOptions {
  scheme: string;
  subsystem: string;
  attackers: readonly Attacker[];
  victims: readonly Victim[];
  alpha: number;
  guaranteeGbps: number;
  /** Whether a victim has what it was promised. */
  holds: Predicate;
  bypass: boolean;
  /** Holds a scheme that promises a share to the bandwidth all the same. */
  strictBandwidth?: boolean;
  seed: number;
  /** Runs one experiment. */
  run(task: ExperimentTask): Promise<ExperimentResult>;
  /** Experiments at a time. */
  concurrency: number;
  signal?: AbortSignal;
  /** A column that is violated needs no more pairs: for the summary alone. */
  untilViolated?: boolean;
  onPair?(pair: PairResult, done: number, all: number): void;
}

/**
 * Measures each victim alone and beside each attacker. Victims are measured alone once; pairs whose workloads are equal
 * are measured once.
 *
 * @example
 * const matrix = await measureMatrix({ scheme: 'sr-iov', attackers, victims, holds: huskyHolds, … });
 */
export async function measureMatrix(options: MatrixOptions): Promise<MatrixResult> {
  const { attackers, victims, signal } = options;
  const cells = spread(victims.flatMap((victim) => attackers.map((attacker) => ({ attacker, victim }))));
  const found = new Map<string, PairResult>();
  const broken = new Set<Column>();
  const runner = new Runner(options);
  let next = 0;
  let skipped = 0;
  const work = async (): Promise<void> => {
    while (next < cells.length && signal?.aborted !== true) {
      const { attacker, victim } = cells[next++];
      if (options.untilViolated === true && (attacker.column === null || broken.has(attacker.column))) {
        skipped++;
        continue;
      }
      const pair = await runner.pair(attacker, victim).catch((error: unknown) => {
        if (signal?.aborted === true) return null;
        throw error;
      });
      if (pair === null) return;
      if (pair.outcome === 'violated' && pair.column !== null) broken.add(pair.column);
      found.set(keyOf(attacker, victim), pair);
      options.onPair?.(pair, found.size + skipped, cells.length);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  const pairs = victims.flatMap((victim) =>
    attackers.flatMap((attacker) => found.get(keyOf(attacker, victim)) ?? []),
  );
  return {
    scheme: options.scheme,
    subsystem: options.subsystem,
    alpha: options.alpha,
    guaranteeGbps: options.guaranteeGbps,
    bypass: options.bypass,
    partial: pairs.length + skipped < cells.length,
    pairs,
    summary: summarize(pairs),
    ...(pairs.some(({ outcomeInBits }) => outcomeInBits !== undefined)
      ? {
          summaryInBits: summarize(
            pairs.map((pair) => ({ ...pair, outcome: pair.outcomeInBits ?? pair.outcome })),
          ),
        }
      : {}),
  };
}

/** The six columns of Table 3. */
export function summarize(pairs: readonly PairResult[]): Record<Column, ColumnSummary> {
  const of = (column: Column): ColumnSummary => {
    const own = pairs.filter((pair) => pair.column === column);
    const violated = own.filter((pair) => pair.outcome === 'violated').length;
    const refused = own.filter((pair) => pair.outcome === 'refused').length;
    return { holds: violated === 0 && refused < own.length, pairs: own.length, violated, refused };
  };
  return Object.fromEntries(COLUMNS.map((column) => [column, of(column)])) as Record<Column, ColumnSummary>;
}

/** Runs what a matrix needs, each thing once. */
class Runner {
  private readonly options: MatrixOptions;
  private readonly results = new Map<string, Promise<ExperimentResult>>();

  constructor(options: MatrixOptions) {
    this.options = options;
  }

  async pair(attacker: Attacker, victim: Victim): Promise<PairResult> {
    const { alpha, holds } = this.options;
    const base = {
      attacker: attacker.name,
      victim: victim.name,
      attackClass: attacker.attackClass,
      column: attacker.column,
    };
    const alone = await this.run(victim.name, null);
    const [together, times] =
      alone.kind === 'refused' ? [alone, 1] : await this.untilDelivered(attacker, victim);
    if (alone.kind === 'refused' || together.kind === 'refused') {
      const reason = together.kind === 'refused' ? together.reason : '';
      return { ...base, outcome: 'refused', reason, ...NOTHING };
    }
    const guaranteeGbps = await this.guaranteeOf(victim);
    const facts: VictimFacts = {
      aloneGbps: alone.gbps,
      gbps: together.gbps,
      aloneMessagesPerSecond: alone.messagesPerSecond,
      messagesPerSecond: together.messagesPerSecond,
      guaranteeGbps,
      alpha,
    };
    const { guaranteeGbps: plainGbps } = this.options;
    const inBits = guaranteeGbps === plainGbps ? null : huskyHolds({ ...facts, guaranteeGbps: plainGbps });
    return {
      ...base,
      outcome: holds(facts) ? 'holds' : 'violated',
      ...(inBits === null ? {} : { outcomeInBits: inBits ? ('holds' as const) : ('violated' as const) }),
      ...(times === 1 ? {} : { times }),
      aloneGbps: alone.gbps,
      gbps: together.gbps,
      thresholdGbps: thresholdGbps(facts),
      share: alone.gbps === 0 ? null : together.gbps / alone.gbps,
      attackerGbps: together.attackerGbps,
      resource: exhausted(alone.use, together.use),
    };
  }

  /**
   * The pair, watched for longer while an attacker that could deliver something has delivered nothing: until then it has
   * attacked nobody, and that the victim holds is no evidence.
   */
  private async untilDelivered(
    attacker: Attacker,
    victim: Victim,
  ): Promise<[result: ExperimentResult, times: number]> {
    const delivers = attacker.tenant.receives !== 'none' && attacker.tenant.qps !== 0;
    let times = 1;
    let result = await this.run(victim.name, attacker.name);
    while (
      delivers &&
      times < MOST_TIMES &&
      result.kind === 'measured' &&
      result.attackerMessagesPerSecond === 0
    ) {
      times *= 4;
      result = await this.run(victim.name, attacker.name, times);
    }
    return [result, times];
  }

  /** The guarantee in bits; a scheme that promises a share is held to what the victim has beside its twin. */
  private async guaranteeOf(victim: Victim): Promise<number> {
    const { scheme, guaranteeGbps, strictBandwidth } = this.options;
    if (findScheme(scheme).promise !== 'share' || strictBandwidth === true) return guaranteeGbps;
    const twin = await this.run(victim.name, TWIN);
    return twin.kind === 'measured' ? twin.gbps : guaranteeGbps;
  }

  private run(victim: string, attacker: string | null, times = 1): Promise<ExperimentResult> {
    const { scheme, guaranteeGbps, bypass, seed } = this.options;
    const key = JSON.stringify([workloadOf({ victim, attacker }).tenants, times]);
    let result = this.results.get(key);
    if (result === undefined) {
      result = this.options.run({
        ...{ scheme, victim, attacker, guaranteeGbps, bypass, series: false, seed },
        ...(times === 1 ? {} : { times }),
      });
      this.results.set(key, result);
    }
    return result;
  }
}

/** A pair is watched at most this many times as long as usual. */
const MOST_TIMES = 16;

const NOTHING = {
  aloneGbps: null,
  gbps: null,
  thresholdGbps: null,
  share: null,
  attackerGbps: null,
  resource: null,
} as const;

function keyOf(attacker: Attacker, victim: Victim): string {
  return `${attacker.name}/${victim.name}`;
}

/** Cells in an order that goes about the whole matrix, so that an interrupted run has seen some of everything. */
function spread<T>(cells: readonly T[]): T[] {
  let stride = Math.max(1, Math.floor(cells.length * 0.382));
  while (cells.length > 1 && greatestCommonDivisor(stride, cells.length) > 1) stride++;
  return cells.map((_, index) => cells[(index * stride) % cells.length]);
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
