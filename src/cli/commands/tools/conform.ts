import { KelpieError } from '../../../error.js';
import { openTestbed } from '../../../testbeds/index.js';
import { planContract, runCase } from '../../../verbs/contract/index.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { seedFlag } from '../../flag-value.js';
import type { OptionSpec } from '../../option.js';
import { ProgressLine } from '../../progress.js';
import { chooseProvider, providerFlags } from '../../providers.js';

/** What came of a case, as `--json` prints it. */
interface CaseReport {
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  reason?: string;
}

const flags = [
  ...providerFlags,
  { flags: '--only <text>', description: 'only the cases whose name contains this' },
  { flags: '--json', description: 'print the report as JSON' },
] as const satisfies readonly OptionSpec[];

type ConformInvocation = InvocationOf<typeof flags>;

/** Runs the contract suite of the verbs against a provider: does it do what the API promises? */
export const conform = defineCommand({
  options: flags,
  examples: ['kelpie conform', 'kelpie conform --provider simulated --only "RC goes from"'],
  run,
});

async function run({ options, terminal, signal }: ConformInvocation): Promise<ExitCode> {
  const { entry, chosen } = chooseProvider(options);
  const seed = seedFlag(options);
  const only = options.only?.toLowerCase();
  const open = async () => {
    const testbed = await openTestbed({ ...chosen, hosts: 2, seed });
    const [left, right] = testbed.hosts;
    return { left: left.context, right: right.context, lossless: true, close: () => testbed.close() };
  };
  const planned = planContract({}).filter(
    ({ case: { name } }) => only === undefined || name.toLowerCase().includes(only),
  );
  if (planned.length === 0)
    throw new KelpieError('BAD_FLAG', 'no case has this in its name', {
      field: '--only',
      given: options.only,
      allowed: 'a part of a name that kelpie conform --json lists',
    });
  const cases: CaseReport[] = [];
  const progress = new ProgressLine(terminal, performance.now());
  for (const each of planned) {
    if (signal.aborted) break;
    const { name } = each.case;
    try {
      const outcome = await runCase(each, { name: entry.name, open });
      cases.push(
        outcome.kind === 'passed'
          ? { name, outcome: 'passed' }
          : { name, outcome: 'skipped', reason: outcome.reason },
      );
    } catch (error) {
      cases.push({ name, outcome: 'failed', reason: error instanceof Error ? error.message : String(error) });
    }
    const text = () => `${cases.length} of ${planned.length} cases`;
    progress.estimate(cases.length / planned.length, performance.now(), text);
  }
  progress.end();
  const count = (outcome: CaseReport['outcome']) => cases.filter((each) => each.outcome === outcome).length;
  const summary = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
  const partial = cases.length < planned.length;
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ provider: entry.name, partial, ...summary, cases }, null, 2)}\n`);
  } else {
    for (const { name, outcome, reason } of cases)
      if (outcome !== 'passed') terminal.out(`${outcome}: ${name}: ${reason}\n`);
    if (partial) terminal.out(`interrupted after ${cases.length} of ${planned.length} cases\n`);
    terminal.out(
      `${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped on ${entry.name}\n`,
    );
  }
  return summary.failed > 0 ? ExitCode.FOUND : ExitCode.GOOD;
}
