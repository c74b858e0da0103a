import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { KelpieError } from '../../error.js';
import {
  attackers,
  COLUMNS,
  type Column,
  choose,
  type ExperimentResult,
  type MatrixResult,
  measureMatrix,
  requireAlpha,
  TABLE3_SCHEMES,
  victims,
} from '../../jobs/isolate/index.js';
import { findScheme, schemes } from '../../schemes/index.js';
import { boundsOf } from '../../testbeds/index.js';
import type { CommandSpec, Invocation } from '../command.js';
import { ExitCode } from '../exit-code.js';
import { numberFlag, seedFlag } from '../flag-value.js';
import { chosenSubsystem, DEFAULT_SUBSYSTEM } from '../isolate/bench.js';
import { predicateOf } from '../isolate/holds.js';
import { isolatePage } from '../isolate/page.js';
import { MatrixProgress } from '../isolate/progress.js';
import { formatMatrix, formatPair, formatTable3 } from '../isolate/report.js';
import { type IsolateRunner, startRunner } from '../isolate/runner.js';
import {
  type ChosenTestbed,
  chooseProvider,
  providerFlags,
  requireSubsystem,
  requireVirtualTime,
} from '../providers.js';

const MAX_WORKERS = 256;
/** Husky §5.1. */
const DEFAULT_ALPHA = 0.25;
/** Two tenants, an equal share each. */
const TENANTS = 2;
/** What a provider without a line rate is judged by. */
const NO_LINE_GBPS = 100;

/** `kelpie isolate`: what one tenant can do to another, with one scheme or with all. */
export const isolate: CommandSpec = {
  options: [
    {
      flags: '--scheme <name>',
      description: `how tenants are kept apart: ${schemes.map(({ name }) => name).join(', ')}, or several joined by +`,
      default: 'none',
    },
    { flags: '--all-schemes', description: "every scheme of Husky's Table 3 and ours, column by column" },
    {
      flags: '--attacker <names>',
      description: 'names, or beginnings with * (Cache-*), joined by commas',
      default: 'all',
    },
    { flags: '--victim <names>', description: 'as --attacker', default: 'all' },
    { flags: '--alpha <share>', description: 'tolerance of the guarantee', default: String(DEFAULT_ALPHA) },
    {
      flags: '--guarantee <gbps>',
      description: 'what each tenant is promised; half of the line where left out',
    },
    {
      flags: '--holds <predicate>',
      description: "your own predicate, such as 'share>=0.8 and messageShare>=0.8'",
    },
    {
      flags: '--in-bits',
      description: 'hold a scheme that promises a share of the device to the guarantee in bits all the same',
    },
    { flags: '--bypass', description: "the attacker calls the device past the scheme's library" },
    { flags: '--workers <number>', description: 'threads; as many as there are processors where left out' },
    { flags: '--html <file>', description: 'write a page with the heat map' },
    ...providerFlags.map((flag) =>
      flag.flags.startsWith('--subsystem')
        ? { ...flag, description: `a shipped subsystem profile; ${DEFAULT_SUBSYSTEM} where left out` }
        : flag,
    ),
    { flags: '--json', description: 'print the result as JSON' },
  ],
  examples: [
    'kelpie isolate --scheme sr-iov',
    'kelpie isolate --scheme sr-iov+hw-tc --attacker "PU-*" --victim small_tput_write,large_bw_write',
    'kelpie isolate --attacker PU-RNR_UC-RNR --victim large_bw_write',
    'kelpie isolate --all-schemes --json',
    'kelpie isolate --scheme justitia --bypass',
  ],
  run,
};

/** What the flags ask for. */
interface Asked {
  chosen: ChosenTestbed;
  subsystem: string;
  attackers: typeof attackers;
  victims: typeof victims;
  alpha: number;
  guaranteeGbps: number;
  bypass: boolean;
  seed: number;
  workers: number;
}

async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, signal } = invocation;
  const asked = askedOf(options);
  const holds = predicateOf(options['holds'] as string | undefined);
  const all = options['allSchemes'] === true;
  const names = all ? allSchemes() : [findScheme(String(options['scheme'] ?? 'none')).name];
  const runner = startRunner(asked.chosen, asked.workers, signal);
  const stop = () => void runner.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const matrices: MatrixResult[] = [];
    for (const scheme of names) {
      if (signal.aborted) break;
      const progress = new MatrixProgress(invocation.terminal, scheme, performance.now());
      matrices.push(
        await measureMatrix({
          ...asked,
          scheme,
          holds,
          strictBandwidth: options['inBits'] === true,
          run: (task) => runner.run(task),
          concurrency: asked.workers,
          signal,
          untilViolated: all,
          onPair: (pair, done, of) => progress.update(pair, done, of, performance.now()),
        }),
      );
      progress.end();
    }
    const lines = all || matrices[0]?.pairs.length !== 1 ? null : await timeLines(runner, asked, matrices[0]);
    print(matrices, lines, all, invocation);
    const broken = matrices.some(({ pairs }) => pairs.some(({ outcome }) => outcome === 'violated'));
    return broken ? ExitCode.FOUND : ExitCode.GOOD;
  } finally {
    signal.removeEventListener('abort', stop);
    await runner.close();
  }
}

function print(
  matrices: readonly MatrixResult[],
  lines: readonly ExperimentResult[] | null,
  all: boolean,
  { options, terminal }: Invocation,
): void {
  const html = options['html'] as string | undefined;
  if (html !== undefined) writePage(html, matrices);
  if (options['json'] === true) {
    const answer = all
      ? { partial: matrices.some(({ partial }) => partial), table3: table3Of(matrices) }
      : lines === null
        ? matrices[0]
        : { ...matrices[0], timeLines: { alone: timeLineOf(lines[0]), beside: timeLineOf(lines[1]) } };
    terminal.out(`${JSON.stringify(answer)}\n`);
    return;
  }
  if (all)
    terminal.out(
      formatTable3(matrices.map(({ scheme, partial, summary }) => ({ scheme, partial, columns: summary }))),
    );
  else if (lines !== null) terminal.out(formatPair(matrices[0].pairs[0], lines[0], lines[1]));
  else terminal.out(formatMatrix(matrices[0]));
}

/** Both runs of a pair once more, with their time lines. */
async function timeLines(
  runner: IsolateRunner,
  asked: Asked,
  { scheme, pairs: [pair] }: MatrixResult,
): Promise<ExperimentResult[]> {
  const { guaranteeGbps, bypass, seed } = asked;
  const task = { scheme, victim: pair.victim, guaranteeGbps, bypass, seed, series: true };
  return Promise.all([
    runner.run({ ...task, attacker: null }),
    runner.run({ ...task, attacker: pair.attacker }),
  ]);
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

function askedOf(options: Readonly<Record<string, unknown>>): Asked {
  const seed = seedFlag(options);
  const { entry, chosen } = chooseProvider(options);
  requireSubsystem(chosen, 'isolate');
  requireVirtualTime(entry, 'isolate');
  const subsystem = chosenSubsystem(chosen);
  const line = subsystem === null ? NO_LINE_GBPS : boundsOf(subsystem).lineRateGbps;
  return {
    chosen,
    subsystem: subsystem?.name ?? entry.name,
    attackers: choose(attackers, String(options['attacker'] ?? 'all'), '--attacker'),
    victims: choose(victims, String(options['victim'] ?? 'all'), '--victim'),
    alpha: requireAlpha(
      numberFlag(options, 'alpha', '--alpha', { min: 0, max: 1, fraction: true }) ?? DEFAULT_ALPHA,
    ),
    guaranteeGbps:
      numberFlag(options, 'guarantee', '--guarantee', { min: 0, max: 1e5, fraction: true }) ?? line / TENANTS,
    bypass: options['bypass'] === true,
    seed,
    workers:
      numberFlag(options, 'workers', '--workers', { min: 1, max: MAX_WORKERS }) ?? availableParallelism(),
  };
}

function writePage(file: string, matrices: readonly MatrixResult[]): void {
  try {
    writeFileSync(file, isolatePage(matrices));
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', 'the page cannot be written', {
      field: '--html',
      given: file,
      allowed: 'a path in a folder that exists',
      cause,
    });
  }
}
