import { HUNTED_SUBSYSTEM, type HuntOrder, orderHunt } from '../../jobs/hunt/index.js';
import { readTextFile } from '../../node/index.js';
import { asFlags, seedFlag } from '../flag-value.js';
import type { OptionSpec, OptionsOf } from '../option.js';
import { chooseProvider, providerFlagsOn, requireSubsystem, requireVirtualTime } from '../providers.js';

/** The flags that decide the outcome of a hunt. */
export const orderFlags = [
  ...providerFlagsOn(HUNTED_SUBSYSTEM),
  { flags: '--fixed', description: "with the vendors' fixes applied" },
  { flags: '--space <file>', description: 'bounds of your application, YAML or JSON' },
  {
    flags: '--strategy <name>',
    description: 'how to search',
    default: 'annealing',
    choices: ['annealing', 'random', 'bayesian'],
  },
  {
    flags: '--counters <kind>',
    description: 'what guides the search; default: both',
    choices: ['performance', 'diagnostic'],
  },
  {
    flags: '--without-mfs',
    description: 'search without minimal feature sets: nothing is reduced or skipped',
  },
  {
    flags: '--budget <amount>',
    description:
      'experiments (600), hours on real machines (10h) or wall time (90s, 5m); default: 10h, or 20h on collie-h',
  },
] as const satisfies readonly OptionSpec[];

const SPACE_FILE = { field: '--space', code: 'SPACE_UNREADABLE', allowed: 'a YAML or JSON file' };

/** The hunt that a command line asks for. */
export function orderFrom(options: Partial<OptionsOf<typeof orderFlags>>): HuntOrder {
  const { entry, chosen } = chooseProvider(options);
  requireSubsystem(chosen, 'a hunt');
  requireVirtualTime(entry, 'a hunt');
  const { world: _, ...testbed } = chosen;
  const { space: file, budget, strategy, counters } = options;
  const space = file === undefined ? {} : { space: { text: readTextFile(file, SPACE_FILE), file } };
  return asFlags({ budget: '--budget', fixed: '--fixed' }, 'BAD_FLAG', () =>
    orderHunt({
      testbed,
      fixed: options.fixed === true,
      ...space,
      ...(budget === undefined ? {} : { budget }),
      ...(strategy === undefined ? {} : { strategy }),
      ...(counters === undefined ? {} : { counters }),
      mfs: options.withoutMfs !== true,
      seed: seedFlag(options),
    }),
  );
}
