import { KelpieError } from '../../../error.js';
import { readTextFile } from '../../../node/index.js';
import {
  type Difference,
  diffResults,
  type Figure,
  figuresOf,
  percentOf,
  type ResultDiff,
} from '../../../report/difference.js';
import { figures as digits } from '../../../report/figures.js';
import { noSuch } from '../../../schema/index.js';
import { type Check, checkFlags, reportChecks } from '../../checks/check-files.js';
import { parseThreshold, type Threshold } from '../../checks/threshold.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { numberFlag } from '../../flag-value.js';
import type { OptionSpec } from '../../option.js';
import { formatTable } from '../../terminal.js';

const flags = [
  {
    flags: '--tolerance <percent>',
    description: 'figures that moved by no more than this count as equal',
    default: '0.1',
  },
  {
    flags: '--assert <threshold>',
    description: "how a figure may change, in per cent: 'total.goodputGbps>=-2'; may be repeated",
    repeats: true,
  },
  { flags: '--rows <number>', description: 'figures to print', default: '40' },
  ...checkFlags,
  { flags: '--json', description: 'print every difference as JSON' },
] as const satisfies readonly OptionSpec[];

type DiffInvocation = InvocationOf<typeof flags>;

/** `kelpie diff A B`: two results, what was changed and what it did. */
export const diff = defineCommand({
  options: flags,
  examples: [
    'kelpie diff before.json after.json',
    "kelpie diff main.json branch.json --assert 'total.goodputGbps>=-2' --assert 'tenants[rpc].latencyNs.p99<=5'",
  ],
  async run({ options, arguments: [first, second], terminal }: DiffInvocation) {
    const tolerance = numberFlag(options, '--tolerance', { min: 0, max: 1e6, fraction: true });
    const rows = numberFlag(options, '--rows', { min: 1, max: 1e6 });
    const thresholds = (options.assert ?? []).map((text) =>
      parseThreshold(text, 'the paths that --json prints'),
    );
    const [before, after] = [readResult(first, 'before'), readResult(second, 'after')];
    const difference = diffResults(before, after, tolerance);
    // Nothing that is compared with nothing is no result that holds.
    if (difference.compared === 0)
      throw new KelpieError('RESULT_UNREADABLE', 'there are no figures to compare', {
        ...{ field: 'before', given: first, allowed: 'what a command printed with --json' },
      });
    const checks = thresholds.map((threshold) => checkOf(threshold, figuresOf(before), figuresOf(after)));
    terminal.out(options.json === true ? `${JSON.stringify(difference)}\n` : textOf(difference, rows));
    const table = [HEAD, ...difference.figures.slice(0, rows).map(cells)];
    const outcome = outcomeOf(difference);
    const hold = reportChecks({ title: `${first} and ${second}`, checks, outcome, table }, options, terminal);
    // Asserted changes decide where there are any; else any change is a finding, as it is for diff(1).
    const good = checks.length > 0 ? hold : difference.figures.length === 0;
    return good ? ExitCode.GOOD : ExitCode.FOUND;
  },
});

function readResult(file: string, field: string): unknown {
  const names = { field, code: 'RESULT_UNREADABLE', allowed: 'what a command printed with --json' };
  const text = readTextFile(file, names);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KelpieError('RESULT_UNREADABLE', 'not JSON', {
      ...{ field, given: file, allowed: names.allowed, cause },
    });
  }
}

function checkOf(
  { text, metric, holds }: Threshold,
  before: ReadonlyMap<string, Figure>,
  after: ReadonlyMap<string, Figure>,
): Check {
  if (!before.has(metric) && !after.has(metric))
    throw noSuch('BAD_FLAG', 'figure', metric, [...before.keys()], {
      field: '--assert',
      allowed: 'a path that --json prints',
    });
  const [from, to] = [before.get(metric), after.get(metric)];
  const percent = percentOf(from, to);
  const change = percent === null ? 'no change in per cent' : `${percent.toFixed(2)} %`;
  return { name: text, passed: holds(percent), found: `${shown(from)} to ${shown(to)}, ${change}` };
}

/** Longer words are cut in the table. */
const MOST_LETTERS = 40;
const HEAD = ['figure', 'before', 'after', 'change'];

function textOf(difference: ResultDiff, rows: number): string {
  const { inputs, figures } = difference;
  const changed =
    inputs.length === 0
      ? 'nothing was changed in what was asked for\n'
      : `changed:\n${formatTable([HEAD, ...inputs.slice(0, rows).map(cells)])}`;
  const moved =
    figures.length === 0 ? '' : `\n${formatTable([HEAD, ...figures.slice(0, rows).map(cells)], [1, 2, 3])}`;
  const more = figures.length > rows ? `and ${figures.length - rows} more: --rows, or --json\n` : '';
  return `${changed}${moved}${more}\n${outcomeOf(difference)}\n`;
}

function outcomeOf({ inputs, figures, compared }: ResultDiff): string {
  const what =
    inputs.length === 0 ? '' : inputs.length === 1 ? '1 input differs; ' : `${inputs.length} inputs differ; `;
  return `${what}${figures.length} of ${compared} figures differ`;
}

function cells({ path, before, after, percent }: Difference): string[] {
  const change = percent === null ? '' : `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`;
  return [path, shown(before), shown(after), change];
}

function shown(figure: Figure | undefined): string {
  if (figure === undefined) return '-';
  if (typeof figure === 'number') return digits(figure);
  const text = String(figure);
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}
