import type { JobPool } from '../../../jobs/index.js';
import {
  COLUMNS,
  type Column,
  type ExperimentResult,
  ISOLATED_SUBSYSTEM,
  type IsolateOrder,
  type MatrixResult,
  isolate as measure,
  orderIsolation,
  type PairResult,
  TABLE3_SCHEMES,
} from '../../../jobs/isolate/index.js';
import { writeTextFile } from '../../../node/index.js';
import { isolatePage } from '../../../report/pages/isolate.js';
import { schemes } from '../../../schemes/index.js';
import { assertFlag, checkFlags, reportChecks } from '../../checks/check-files.js';
import { checkFigures, figureTable, parseFigureThresholds } from '../../checks/job-figures.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { asFlags, numberFlag, seedFlag } from '../../flag-value.js';
import { isolateFigureNames, isolateFigures } from '../../isolate/figures.js';
import { predicateOf } from '../../isolate/holds.js';
import { formatMatrix, formatPair, formatTable3, table3Rows } from '../../isolate/report.js';
import { withPool } from '../../job-pool.js';
import type { OptionSpec } from '../../option.js';
import { ProgressLine } from '../../progress.js';
import { chooseProvider, providerFlagsOn, requireSubsystem, requireVirtualTime } from '../../providers.js';
import { workersFlag } from '../../workers-flag.js';

/** Husky §5.1. */
const DEFAULT_ALPHA = 0.25;

const flags = [
  {
    flags: '--scheme <name>',
    description: `isolation scheme: ${schemes.map(({ name }) => name).join(', ')}, or several joined by +`,
    default: 'none',
  },
  { flags: '--all-schemes', description: "every scheme of Husky's Table 3 and ours, column by column" },
  {
    flags: '--attacker <names>',
    description: 'names or prefixes with * (Cache-*), separated by commas',
    default: 'all',
  },
  { flags: '--victim <names>', description: 'as --attacker', default: 'all' },
  { flags: '--alpha <share>', description: 'tolerance of the guarantee', default: String(DEFAULT_ALPHA) },
  {
    flags: '--guarantee <gbps>',
    description: 'what each tenant is guaranteed; default: half of the line rate',
  },
  {
    flags: '--holds <predicate>',
    description: "your own predicate, such as 'share>=0.8 and messageShare>=0.8'",
  },
  {
    flags: '--in-bits',
    description: 'also judge schemes that guarantee a share of the device by the guarantee in Gb/s',
  },
  { flags: '--bypass', description: "the attacker bypasses the scheme's library" },
  { flags: '--workers <number>', description: 'threads; default: number of processors' },
  { flags: '--html <file>', description: 'write a page with the heat map' },
  ...providerFlagsOn(ISOLATED_SUBSYSTEM),
  assertFlag(
    "what must hold, such as 'violated<=300', 'leastShare>=0.5' or 'sr-iov.columns>=1'; decides the exit code; may be repeated",
  ),
  ...checkFlags,
  { flags: '--json', description: 'print the result as JSON' },
] as const satisfies readonly OptionSpec[];

type IsolateInvocation = InvocationOf<typeof flags>;

/** `kelpie isolate`: what one tenant can do to another, with one scheme or with all. */
export const isolate = defineCommand({
  options: flags,
  examples: [
    'kelpie isolate --scheme sr-iov',
    'kelpie isolate --scheme sr-iov+hw-tc --attacker "PU-*" --victim small_tput_write,large_bw_write',
    'kelpie isolate --attacker PU-RNR_UC-RNR --victim large_bw_write',
    'kelpie isolate --all-schemes --json',
    'kelpie isolate --scheme justitia --bypass',
    "kelpie isolate --scheme harmonic --assert 'violated==0' --junit isolate.xml",
  ],
  run,
});

async function run(invocation: IsolateInvocation): Promise<ExitCode> {
  const { options, signal } = invocation;
  const all = options.allSchemes === true;
  const names = all ? allSchemes() : [options.scheme];
  const orders = names.map((scheme) => orderOf(options, scheme));
  const thresholds = parseFigureThresholds(options.assert, isolateFigureNames, (name) =>
    names.some((scheme) => Object.keys(isolateFigureNames).some((each) => name === `${scheme}.${each}`)),
  );
  return withPool(workersFlag(options, '--workers'), signal, async (pool) => {
    const matrices: MatrixResult[] = [];
    for (const order of orders) {
      if (signal.aborted) break;
      const progress = new ProgressLine(invocation.terminal, performance.now()).keepGoing(
        `${order.scheme}: the first pairs`,
      );
      let violated = 0;
      const onPair = ({ outcome }: PairResult, done: number, of: number) => {
        if (outcome === 'violated') violated++;
        const text = () => `${order.scheme}: ${done} of ${of} pairs, ${violated} violated`;
        progress.estimate(done / of, performance.now(), text);
      };
      matrices.push(await measure(order, { pool, onPair, signal }).finally(() => progress.end()));
    }
    const single = !all && matrices[0]?.pairs.length === 1;
    const lines = single ? await timeLines(pool, orders[0], matrices[0]) : null;
    print(matrices, lines, all, invocation);
    const figures = isolateFigures(matrices);
    const checks = checkFigures(thresholds, figures);
    const report = {
      title: `isolation on ${matrices[0]?.subsystem ?? 'nothing'}: ${names.join(', ')}`,
      checks,
      outcome: `The guarantee is violated in ${figures['violated']} of ${figures['pairs']} pairs${signal.aborted ? ', interrupted' : ''}.`,
      table: figureTable(isolateFigureNames, figures),
    };
    const hold = reportChecks(report, options, invocation.terminal);
    // Assertions decide where there are any; else any violated pair is a finding.
    const good = checks.length > 0 ? hold : figures['violated'] === 0;
    return good ? ExitCode.GOOD : ExitCode.FOUND;
  });
}

/** What the flags ask for, under one scheme. */
function orderOf(options: IsolateInvocation['options'], scheme: string): IsolateOrder {
  const { entry, chosen } = chooseProvider(options);
  requireSubsystem(chosen, 'isolate');
  requireVirtualTime(entry, 'isolate');
  const { world: _, ...testbed } = chosen;
  const guaranteeGbps = numberFlag(options, '--guarantee', { min: 0, max: 1e5, fraction: true });
  const flags = { attackers: '--attacker', victims: '--victim', guaranteeGbps: '--guarantee' };
  return asFlags(flags, null, () =>
    orderIsolation({
      testbed,
      scheme,
      attackers: options.attacker,
      victims: options.victim,
      alpha: numberFlag(options, '--alpha', { min: 0, max: 1, fraction: true }) ?? DEFAULT_ALPHA,
      ...(guaranteeGbps === undefined ? {} : { guaranteeGbps }),
      holds: predicateOf(options.holds),
      strictBandwidth: options.inBits === true,
      bypass: options.bypass === true,
      untilViolated: options.allSchemes === true,
      seed: seedFlag(options),
    }),
  );
}

function print(
  matrices: readonly MatrixResult[],
  lines: readonly ExperimentResult[] | null,
  all: boolean,
  { options, terminal, line }: IsolateInvocation,
): void {
  const html = options.html;
  if (html !== undefined) writeTextFile(html, isolatePage(matrices, line), '--html');
  if (options.json === true) {
    const answer = all
      ? { partial: matrices.some(({ partial }) => partial), table3: table3Of(matrices) }
      : lines === null
        ? matrices[0]
        : { ...matrices[0], timeLines: { alone: timeLineOf(lines[0]), beside: timeLineOf(lines[1]) } };
    terminal.out(`${JSON.stringify(answer)}\n`);
    return;
  }
  if (all) terminal.out(formatTable3(matrices.flatMap(table3Rows)));
  else if (lines !== null) terminal.out(formatPair(matrices[0].pairs[0], lines[0], lines[1]));
  else terminal.out(formatMatrix(matrices[0]));
}

/** Both runs of a pair once more, with their time lines. */
async function timeLines(
  pool: JobPool,
  { testbed, guaranteeGbps, bypass, seed }: IsolateOrder,
  { scheme, pairs: [pair] }: MatrixResult,
): Promise<ExperimentResult[]> {
  const base = { scheme, victim: pair.victim, guaranteeGbps, bypass, seed, series: true };
  const task = { job: 'isolate' as const, testbed, ...base };
  return Promise.all([pool.run({ ...task, attacker: null }), pool.run({ ...task, attacker: pair.attacker })]);
}

function timeLineOf(result: ExperimentResult): object | null {
  return result.kind === 'measured' ? result.timeLine : null;
}

function table3Of(matrices: readonly MatrixResult[]): Record<string, Record<Column, boolean>> {
  return Object.fromEntries(
    matrices.map(({ scheme, summary }) => [
      scheme,
      Object.fromEntries(COLUMNS.map((column) => [column, summary[column].holds])) as Record<Column, boolean>,
    ]),
  );
}

/** None, those of Table 3, and whatever else there is by itself. */
function allSchemes(): string[] {
  const single = schemes.map(({ name }) => name);
  const known = (name: string) => name.split('+').every((part) => single.includes(part));
  return [...new Set(['none', ...TABLE3_SCHEMES.filter(known), ...single])];
}
