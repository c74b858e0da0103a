/** A number or a word somewhere in a result. */
export type Figure = number | string | boolean | null;

/** Deeper and longer results are cut: nobody reads that far. */
const MOST_FIGURES = 200_000;
const MOST_DEPTH = 32;

/** What was asked for, in the results of every command: the rest is what came out. */
const INPUTS =
  /^(workload|plan|axes|values|variants|parameter|metrics|seed|provider|profile|subsystem|scheme|strategy|counters\[|format|kind|version|mfs)\b/;
/** Samples over time, times of the wall clock, sentences, and a host's only device say nothing that the figures do not. */
const IGNORED =
  /(^|\.)(series|timeLine|timeLines|wallSeconds|events|experimentsPerSecond|reason|evidence|why)\b|^hosts\[[^\]]*\]\.devices\b/;
/** Counters are many, and come after what they explain. */
const COUNTERS = /(^|\.)(counters|links|limits)\b/;

/** Every value in a result by its path; elements of lists go by their names where they have any. */
export function figuresOf(result: unknown): Map<string, Figure> {
  const found = new Map<string, Figure>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (found.size >= MOST_FIGURES || depth > MOST_DEPTH) return;
    if (typeof value !== 'object' || value === null) {
      if (!IGNORED.test(path)) found.set(path, value as Figure);
      return;
    }
    if (Array.isArray(value))
      for (const [index, item] of value.entries())
        visit(item, `${path}[${nameOf(item) ?? index}]`, depth + 1);
    else
      for (const [name, item] of Object.entries(value))
        visit(item, path === '' ? name : `${path}.${name}`, depth + 1);
  };
  visit(result, '', 0);
  return found;
}

/** What an element of a list calls itself. */
function nameOf(item: unknown): string | null {
  if (typeof item !== 'object' || item === null) return null;
  const { name, id, variant, value, values, attacker, victim } = item as Record<string, unknown>;
  if (Array.isArray(values)) return values.join(' ');
  if (typeof variant === 'string')
    return `${variant}${value === null || value === undefined ? '' : ` ${value}`}`;
  if (typeof attacker === 'string') return `${attacker} ${victim}`;
  if (typeof name === 'string') return name;
  return typeof id === 'string' ? id : null;
}

/** A figure that is not the same in two results. */
export interface Difference {
  readonly path: string;
  /** Undefined where one result has no such figure. */
  readonly before: Figure | undefined;
  readonly after: Figure | undefined;
  /** Change in per cent; null where there is none to speak of. */
  readonly percent: number | null;
}

/** What differs between two results. */
export interface ResultDiff {
  /** In what was asked for. */
  readonly inputs: readonly Difference[];
  /** In what came out, counters last, the largest change first. */
  readonly figures: readonly Difference[];
  /** Figures that both have. */
  readonly compared: number;
}

/** Compares two results; figures that moved by no more than this many per cent are the same. */
export function diffResults(before: unknown, after: unknown, tolerancePercent: number): ResultDiff {
  const [one, other] = [figuresOf(before), figuresOf(after)];
  const paths = [...new Set([...one.keys(), ...other.keys()])];
  const differences = paths.flatMap((path): Difference[] => {
    const [from, to] = [one.get(path), other.get(path)];
    if (Object.is(from, to)) return [];
    const percent = percentOf(from, to);
    if (!isInput(path) && percent !== null && Math.abs(percent) <= tolerancePercent) return [];
    return [{ path, before: from, after: to, percent }];
  });
  const size = ({ percent }: Difference) => (percent === null ? Number.POSITIVE_INFINITY : Math.abs(percent));
  const rank = ({ path }: Difference) => (COUNTERS.test(path) ? 1 : 0);
  return {
    inputs: differences.filter(({ path }) => isInput(path)),
    figures: differences
      .filter(({ path }) => !isInput(path))
      .sort((a, b) => rank(a) - rank(b) || size(b) - size(a)),
    compared: paths.filter((path) => one.has(path) && other.has(path)).length,
  };
}

/** Results of several runs are a list: `[0].workload` is an input as well. */
function isInput(path: string): boolean {
  return INPUTS.test(path.replace(/^\[[^\]]*\]\.?/, ''));
}

/** The change of a figure in per cent. */
export function percentOf(from: Figure | undefined, to: Figure | undefined): number | null {
  if (typeof from !== 'number' || typeof to !== 'number') return null;
  if (from === to) return 0;
  return from === 0 ? null : (100 * (to - from)) / Math.abs(from);
}
