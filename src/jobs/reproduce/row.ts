import type { Bench } from './bench.js';
import type { Target } from './targets/target.js';

/** One number, words, or several of them by name. */
export type Value = number | string | Readonly<Record<string, number | string>>;

/** What of a row came out; null for what its source does not give. */
export interface Marks {
  /** The symptom is there, or the trend holds. */
  trend: boolean | null;
  /** The numbers are near those of the source. */
  magnitude: boolean | null;
}

/** What came of a row. */
export interface RowOutcome {
  simulated: Value;
  /** All of it came out. */
  ok: boolean;
  /** By its target unless set: a number has a magnitude, words are a trend. */
  marks?: Marks;
  /** Set where only a part of the row was run: what is missing. A row is not green by a part. */
  partly?: string;
  /** Why it is red. */
  reason?: string;
}

/** One row of a paper, ready to be run. */
export interface Row {
  id: string;
  paper: string;
  setting: string;
  metric: string;
  unit: string;
  /** What the paper says: numbers, or a trend in words. */
  expected: Value;
  /** As it is printed: `±10 %`, or `trend`. */
  tolerance: string;
  /** What was chosen where the paper is silent, and why. */
  facts: readonly string[];
  /** Whether its target is a number, with a magnitude, or words, a trend. */
  numeric: boolean;
  /** Set where a setting or a constant says the outcome and no mechanism yields it: which. */
  encoded?: string;
  run(bench: Bench): Promise<RowOutcome>;
}

/** The part of a row that its paper does not give. */
export interface RowSpec {
  unit?: string;
  facts?: readonly string[];
  encoded?: string;
  /** What the numbers of a list are of, where the metric does not say. */
  names?: readonly string[];
  run(bench: Bench, target: Target): Promise<RowOutcome>;
}

/** Joins the targets of a paper with the code that runs them; every one of `specs` must have its target. */
export function rowsOf(
  paper: string,
  targets: readonly Target[],
  specs: Readonly<Record<string, RowSpec>>,
): Row[] {
  return Object.entries(specs).map(([id, spec]) => {
    const target = targets.find((each) => each.id === id);
    if (target === undefined) throw new RangeError(`${paper} has no target ${id}`);
    return {
      id,
      paper,
      setting: target.setting,
      metric: [target.metric].flat().join(', '),
      unit: spec.unit ?? [target.unit ?? ''].flat().join(', '),
      expected: expectedOf(target, spec.names),
      tolerance: toleranceOf(target),
      facts: [...(target.source === undefined ? [] : [`source: ${target.source}`]), ...(spec.facts ?? [])],
      numeric: target.value !== undefined || target.ratio !== undefined,
      ...(spec.encoded === undefined ? {} : { encoded: spec.encoded }),
      run: (bench) => spec.run(bench, target),
    };
  });
}

function expectedOf(target: Target, given?: readonly string[]): Value {
  const { value, ratio, trend, metric } = target;
  if (ratio !== undefined) return ratio;
  if (value === undefined) return trend ?? '';
  if (!Array.isArray(value)) return value as Value;
  const names = given ?? [metric].flat();
  return Object.fromEntries(value.map((each, index) => [names[index] ?? String(index), each]));
}

function toleranceOf({ tolerance }: Target): string {
  if (tolerance === undefined) return 'trend';
  return tolerance === 0 ? 'exact' : `±${Math.round(tolerance * 100)} %`;
}

/** The number that a row aims at; several by name. */
export function paperNumber(target: Target, name?: string): number {
  if (target.ratio !== undefined) return target.ratio;
  const expected = expectedOf(target);
  const found = name !== undefined && typeof expected === 'object' ? expected[name] : expected;
  const number = typeof found === 'number' ? found : Number.parseFloat(String(found).replace(/^>/, ''));
  if (!Number.isFinite(number)) throw new RangeError(`${target.id} has no number ${name ?? ''}`);
  return number;
}
