import { type Comparison, compare as measure, requireComparable } from '../../../jobs/compare/index.js';
import { writeTextFile } from '../../../node/index.js';
import { comparePage } from '../../../report/pages/compare.js';
import { checkFlags, reportChecks } from '../../checks/check-files.js';
import { checkPoints, parseThreshold } from '../../checks/threshold.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { csvOf, formatComparison, pointProgress } from '../../compare/report.js';
import { requestFlags, requestOf } from '../../compare/request.js';
import { ExitCode } from '../../exit-code.js';
import { asFlags } from '../../flag-value.js';
import { withPool } from '../../job-pool.js';
import type { OptionSpec } from '../../option.js';
import { ProgressLine } from '../../progress.js';
import { workersFlag } from '../../workers-flag.js';

const flags = [
  ...requestFlags,
  { flags: '--workers <number>', description: 'threads; default: number of processors' },
  { flags: '--html <file>', description: 'write a page with plots and tables' },
  {
    flags: '--assert <threshold>',
    description: "what must hold at every point, such as 'goodputGbps>=90'; may be repeated",
    repeats: true,
  },
  ...checkFlags,
  { flags: '--csv', description: 'print a line per point, a column per metric' },
  { flags: '--json', description: 'print the comparison as JSON' },
] as const satisfies readonly OptionSpec[];

type CompareInvocation = InvocationOf<typeof flags>;

/** `kelpie compare`: one workload or sweep over several subsystems, devices or settings. */
export const compare = defineCommand({
  options: flags,
  examples: [
    'kelpie compare --preset connections --html connections.html',
    'kelpie compare --subsystems srnic,husky --workload sends.yaml --sweep qps=1,16,256,4096',
    'kelpie compare --subsystems srnic --set device.contextCacheEntries=64 --workload sends.yaml --sweep qps=1..1024',
    'kelpie compare --preset loss --sweep loss=0.00001..0.01 --csv',
    'kelpie compare --ledger --subsystems srnic,husky',
    'kelpie compare --fct --sweep servers=16,64,256 --html fat-trees.html',
  ],
  run,
});

/** What an error of the job calls by its own names, as flags. */
const FLAGS_OF_FIELDS = {
  variants: '--subsystems',
  sweep: '--sweep',
  set: '--set',
  workload: '--workload',
  metric: '--metric',
  servers: '--sweep',
  connections: '--sweep',
};

async function run({ options, terminal, signal, line }: CompareInvocation): Promise<ExitCode> {
  const thresholds = (options.assert ?? []).map((text) => parseThreshold(text, 'those of --metric'));
  const request = requestOf(options);
  asFlags(FLAGS_OF_FIELDS, null, () => requireComparable(request));
  const workers = workersFlag(options, '--workers');
  const progress = new ProgressLine(terminal, performance.now()).keepGoing('the first points');
  const comparison = await withPool(workers, signal, async (pool) => {
    try {
      return await measure(request, {
        ...{ pool, signal },
        onPoint: (point, done, all) =>
          progress.estimate(done / all, performance.now(), () => pointProgress(point, done, all)),
      });
    } finally {
      progress.end();
    }
  });
  const shown = options.metric === undefined ? shownOf(comparison) : comparison.metrics;
  if (options.html !== undefined)
    writeTextFile(
      options.html,
      comparePage(titleOf(options), comparison, shown, { job: 'kelpie compare', line }),
      '--html',
    );
  if (options.json === true) terminal.out(`${JSON.stringify(comparison)}\n`);
  else terminal.out(options.csv === true ? csvOf(comparison) : formatComparison(comparison, shown));
  const points = comparison.points.map(({ variant, value, readings }) => {
    return { name: `${variant}${value === null ? '' : ` at ${value}`}`, readings };
  });
  const checks = thresholds.map((threshold) => checkPoints(threshold, points));
  const outcome = `${points.length} points${comparison.partial ? ', interrupted' : ''}.`;
  const hold = reportChecks({ title: titleOf(options), checks, outcome, table: [] }, options, terminal);
  const whole = comparison.points.every(({ refused }) => refused === undefined);
  return hold && whole ? ExitCode.GOOD : ExitCode.FOUND;
}

/** Of a sweep over a workload the first metric is for people; without a sweep, or of other kinds, all are shown. */
function shownOf({ kind, metrics, parameter }: Comparison): readonly string[] {
  return kind === 'workload' && parameter !== null ? metrics.slice(0, 1) : metrics;
}

function titleOf({ preset, workload, ledger, fct }: CompareInvocation['options']): string {
  if (ledger === true) return 'Memory of devices';
  if (fct === true) return 'Completion times in fat trees';
  return `Comparison: ${preset ?? workload ?? ''}`;
}
