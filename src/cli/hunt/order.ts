import { readFileSync } from 'node:fs';
import { KelpieError } from '../../error.js';
import { HUNTED_SUBSYSTEM, type HuntOrder, orderHunt } from '../../jobs/hunt/index.js';
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
      'experiments (600), hours of real machines (10h) or wall time (90s, 5m); default: 10h, or 20h on collie-h',
  },
] as const satisfies readonly OptionSpec[];

/** The hunt that a command line asks for. */
export function orderFrom(options: Partial<OptionsOf<typeof orderFlags>>): HuntOrder {
  const { entry, chosen } = chooseProvider(options);
  requireSubsystem(chosen, 'a hunt');
  requireVirtualTime(entry, 'a hunt');
  const { world: _, ...testbed } = chosen;
  const { space: file, budget, strategy, counters } = options;
  const space = file === undefined ? {} : { space: { text: readSpace(file), file } };
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

function readSpace(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new KelpieError('SPACE_UNREADABLE', 'the space file cannot be read', {
      field: '--space',
      given: file,
      allowed: 'a YAML or JSON file',
      cause,
    });
  }
}
