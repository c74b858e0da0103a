import { KelpieError } from '../../../error.js';
import {
  asComparison,
  type Grid,
  type GridPoint,
  type GridRequest,
  parseSweep,
  planGrid,
  sweep as runSweep,
} from '../../../jobs/compare/index.js';
import { readTextFile, writeTextFile } from '../../../node/index.js';
import { figures } from '../../../report/figures.js';
import { comparePage } from '../../../report/pages/compare.js';
import { DEFAULT_SUBSYSTEM, subsystemName } from '../../../testbeds/index.js';
import { METRICS_IN_WORDS, parseWorkloadInput } from '../../../workload/index.js';
import { checkFlags, reportChecks } from '../../checks/check-files.js';
import { checkPoints, parseThreshold, type Threshold } from '../../checks/threshold.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { absentCounters, csvLines, pointProgress } from '../../compare/report.js';
import { ExitCode } from '../../exit-code.js';
import { asFlags, seedFlag } from '../../flag-value.js';
import { withPool } from '../../job-pool.js';
import type { OptionSpec } from '../../option.js';
import { ProgressLine } from '../../progress.js';
import { chooseProvider, providerFlags, requireSubsystem } from '../../providers.js';
import { SweepJournal } from '../../sweep/journal.js';
import { formatTable } from '../../terminal.js';
import { workersFlag } from '../../workers-flag.js';

const DEFAULT_METRICS = 'goodputGbps,messagesPerSecond,latencyNs.p50,latencyNs.p99,pauseRatio';

const [, ...placeFlags] = providerFlags;

const flags = [
  {
    flags: '--vary <values>',
    description:
      'a field and its values, such as qps=1..64, tenants.rpc.sizes[0]=64,4096, device.contextCacheEntries=64..4096 or settings.pfc=enabled,disabled; repeat it for every combination',
    repeats: true,
  },
  {
    flags: '--metric <names>',
    description: 'metrics of each point, separated by commas, named as for --assert',
    default: DEFAULT_METRICS,
  },
  {
    flags: '--assert <threshold>',
    description: "what must hold at every point, such as 'goodputGbps>=90'; may be repeated",
    repeats: true,
  },
  ...placeFlags,
  { flags: '--workers <number>', description: 'threads; default: number of processors' },
  {
    flags: '--resume <file>',
    description: 'keep each point in this file, and continue after those already in it',
  },
  { flags: '--html <file>', description: 'write a page with plots and tables' },
  { flags: '--csv <file>', description: 'write a line per point' },
  ...checkFlags,
  { flags: '--json', description: 'print the sweep as JSON' },
] as const satisfies readonly OptionSpec[];

type SweepInvocation = InvocationOf<typeof flags>;

/** `kelpie sweep WORKLOAD`: a workload over every combination of values of some fields. */
export const sweep = defineCommand({
  options: flags,
  examples: [
    'kelpie sweep workload.yaml --vary qps=1..1024 --html qps.html --csv qps.csv',
    'kelpie sweep workload.yaml --vary qps=1..64 --vary device.contextCacheEntries=64,1024 --profile my-lab',
    "kelpie sweep workload.yaml --vary size=64..65536 --assert 'pauseRatio<=0.001' --junit sweep.xml",
    'kelpie sweep workload.yaml --vary loss=0.0001..0.01 --resume loss.jsonl',
  ],
  run,
});

async function run(invocation: SweepInvocation): Promise<ExitCode> {
  const { options, terminal, signal } = invocation;
  const thresholds = (options.assert ?? []).map((text) => parseThreshold(text, METRICS_IN_WORDS));
  const request = requestOf(invocation, thresholds);
  asFlags({ sweep: '--vary', set: '--vary', metric: '--metric' }, 'BAD_FLAG', () => planGrid(request));
  const journal = options.resume === undefined ? null : SweepJournal.open(options.resume, request);
  const workers = workersFlag(options, '--workers');
  const progress = new ProgressLine(terminal, performance.now()).keepGoing('the first points');
  const onPoint = (place: number, point: GridPoint, done: number, all: number) => {
    journal?.add(place, point);
    progress.estimate(done / all, performance.now(), () => pointProgress(asText(request, point), done, all));
  };
  const grid = await withPool(workers, signal, (pool) =>
    runSweep(request, { pool, signal, onPoint, ...(journal === null ? {} : { known: journal.known }) }),
  ).finally(() => progress.end());
  const shown = options.metric.split(',').map((each) => each.trim());
  const [file] = invocation.arguments;
  const title = `Sweep of ${file} on ${grid.subsystem}`;
  if (options.html !== undefined)
    writeTextFile(
      options.html,
      comparePage(title, asComparison(grid), shown, { job: 'kelpie sweep', line: invocation.line }),
      '--html',
    );
  if (options.csv !== undefined) writeTextFile(options.csv, csvLines(rowsOf(grid, true)), '--csv');
  const rows = rowsOf(grid, false);
  terminal.out(options.json === true ? `${JSON.stringify(grid)}\n` : textOf(grid, rows));
  const points = grid.points.map((point) => ({
    name: asText(grid, point).variant,
    readings: point.readings,
  }));
  const checks = thresholds.map((threshold) => checkPoints(threshold, points));
  const outcome = `${grid.points.length} points${grid.partial ? ', interrupted' : ''}.`;
  const hold = reportChecks({ title, checks, outcome, table: rows }, options, terminal);
  return hold && grid.points.every(({ refused }) => refused === undefined) ? ExitCode.GOOD : ExitCode.FOUND;
}

function requestOf(
  { options, arguments: [file] }: SweepInvocation,
  thresholds: readonly Threshold[],
): GridRequest {
  const { chosen } = chooseProvider(options);
  requireSubsystem(chosen, 'a sweep');
  if (options.vary === undefined)
    throw new KelpieError('BAD_FLAG', 'nothing is varied', { field: '--vary', allowed: 'FIELD=VALUES' });
  const names = { field: 'workload', code: 'WORKLOAD_UNREADABLE', allowed: 'a YAML or JSON file' };
  const metrics = options.metric.split(',').map((each) => each.trim());
  return {
    workload: parseWorkloadInput(readTextFile(file, names), file),
    on: subsystemName(chosen, DEFAULT_SUBSYSTEM),
    profiles: chosen.profiles ?? [],
    axes: options.vary.map((text) => asFlags({ sweep: '--vary' }, 'BAD_FLAG', () => parseSweep(text))),
    metrics: [...new Set([...metrics, ...thresholds.map(({ metric }) => metric)])],
    seed: seedFlag(options),
  };
}

/** The values and readings of every point, the first row as the heading. */
function rowsOf({ axes, metrics, points }: Grid, exactly: boolean): string[][] {
  const figure = (value: number | null | undefined) =>
    value === null || value === undefined ? (exactly ? '' : '-') : exactly ? String(value) : figures(value);
  const head = [...axes.map(({ parameter }) => parameter), ...metrics, 'refused'];
  const rows = points.map(({ values, readings, refused }) => [
    ...values.map(String),
    ...metrics.map((metric) => figure(readings?.[metric])),
    refused ?? '',
  ]);
  return [head, ...rows];
}

function textOf({ points, metrics, partial }: Grid, rows: readonly string[][]): string {
  const width = rows[0].length;
  const isRefused = points.some(({ refused }) => refused !== undefined);
  const shown = isRefused ? rows : rows.map((row) => row.slice(0, -1));
  const right = Array.from({ length: width - 1 }, (_, column) => column);
  const absent = absentCounters(points, metrics);
  return `${formatTable(shown, right)}${absent}${partial ? 'PARTIAL: interrupted\n' : ''}`;
}

function asText({ axes }: Pick<GridRequest, 'axes'>, { values, ...rest }: GridPoint) {
  const variant = axes.map(({ parameter }, index) => `${parameter} ${values[index]}`).join(', ');
  return { variant, value: null, ...rest };
}
