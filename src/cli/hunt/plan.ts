import { readFileSync } from 'node:fs';
import { KelpieError } from '../../error.js';
import {
  type Budget,
  type CounterKind,
  collieSpace,
  type HuntPlan,
  narrowSpace,
  planFor,
  type Space,
  type Strategy,
  spaceOf,
  tableColumn,
} from '../../jobs/hunt/index.js';
import { resolveSubsystem, type Subsystem } from '../../profiles/index.js';
import { libraryOf, subsystemName } from '../../testbeds/index.js';
import { seedFlag } from '../flag-value.js';
import { type ChosenTestbed, chooseProvider, requireSubsystem, requireVirtualTime } from '../providers.js';

/** What is hunted on unless told: every anomaly of Table 2's first thirteen rows exists there. */
export const HUNTED_SUBSYSTEM = 'collie-f-as-tested';
/** Collie §7.2 searches subsystem F for ten hours. */
const USUAL_BUDGET = '10h';
/** It names no hours for H, where #14 takes longer to come upon: it needs about a thousand queue pairs. */
const LONGER_BUDGET = '20h';

const MAX_AMOUNT = { experiments: 1e6, hours: 1e4, wall: 1e6 };

type Options = Readonly<Record<string, unknown>>;

/** A hunt that was asked for. */
export interface Asked {
  subsystem: string;
  bench: ChosenTestbed;
  plan: HuntPlan;
}

/** What a command line asks for. */
export function planOf(options: Options): Asked {
  const seed = seedFlag(options);
  const { entry, chosen } = chooseProvider(options);
  requireSubsystem(chosen, 'a hunt');
  requireVirtualTime(entry, 'a hunt');
  const target = targetOf(entry.takesProfiles, chosen, options['fixed'] === true);
  const counters = options['counters'] as CounterKind | undefined;
  const file = options['space'] as string | undefined;
  const whole = target.mtu === null ? target.space : withMtu(target.space, target.mtu);
  const space = file === undefined ? whole : narrowSpace(whole, readSpace(file), file);
  const budget = parseBudget((options['budget'] as string | undefined) ?? defaultBudget(target.name));
  return {
    subsystem: target.name,
    bench: target.bench,
    plan: planFor(space, budget, {
      seed,
      ...(options['strategy'] === undefined ? {} : { strategy: options['strategy'] as Strategy }),
      ...(counters === undefined ? {} : { counters: [counters] }),
      mfs: options['withoutMfs'] !== true,
      // An ideal device does everything in no time: a little of it is as good as much, once all queue pairs have begun.
      timeScale: entry.takesProfiles ? 1 : 0.3,
      ...(entry.name === 'ideal' ? { unlimited: true } : {}),
      repairs: target.repairs,
    }),
  };
}

function defaultBudget(subsystem: string): string {
  return tableColumn(subsystem) === 'H' ? LONGER_BUDGET : USUAL_BUDGET;
}

/**
 * `600` experiments, `10h` hours of hardware, `90s` or `5m` of wall time.
 *
 * @example
 * parseBudget('10h'); // { kind: 'hours', amount: 10 }
 */
export function parseBudget(text: string): Budget {
  const parts = /^(\d+(?:\.\d+)?)\s*(|experiments?|h|hours?|s|seconds?|m|minutes?)$/.exec(text.trim());
  const unit = parts?.[2][0] ?? 'e';
  const kind = unit === 'h' ? 'hours' : unit === 's' || unit === 'm' ? 'wall' : 'experiments';
  const amount = Number(parts?.[1]) * (unit === 'm' ? 60 : 1);
  const good =
    amount > 0 && amount <= MAX_AMOUNT[kind] && (kind !== 'experiments' || Number.isInteger(amount));
  if (parts === null || !good)
    throw new KelpieError('BAD_FLAG', 'this is no budget', {
      field: '--budget',
      given: text,
      allowed: '600 (experiments), 10h (hours of real machines), 90s or 5m (wall time)',
    });
  return { kind, amount };
}

/** What is hunted on. */
interface Target {
  name: string;
  bench: ChosenTestbed;
  /** All that programs can ask of it. */
  space: Space;
  repairs: Record<string, string>;
  /** The MTU that is enforced. */
  mtu: number | null;
}

function targetOf(takesProfiles: boolean, chosen: ChosenTestbed, fixed: boolean): Target {
  if (!takesProfiles) {
    if (fixed) throw nothingFixed('ideal devices');
    return { name: 'ideal', bench: chosen, space: collieSpace(['']), repairs: {}, mtu: null };
  }
  const library = libraryOf(chosen);
  const name = subsystemName(chosen, HUNTED_SUBSYSTEM);
  const found = library.find('subsystem', name);
  const shipped = resolveSubsystem(found, { library });
  // Collie A.1: #3 was fixed by an MTU of 4200 in the network, 4096 for RDMA; that column's subsystems have it.
  const mtu = fixed && tableColumn(name) === 'F' ? 4096 : null;
  if (fixed && found.fixed === undefined && mtu === null) throw nothingFixed(name);
  const subsystem =
    fixed && found.fixed !== undefined
      ? resolveSubsystem(library.find('subsystem', found.fixed), { library })
      : shipped;
  const repaired =
    found.fixed === undefined
      ? shipped
      : resolveSubsystem(library.find('subsystem', found.fixed), { library });
  return {
    name: subsystem.name,
    bench: { ...chosen, subsystem: subsystem.name },
    space: spaceOf(subsystem),
    repairs: fixed ? {} : repairsOf(shipped, repaired),
    mtu,
  };
}

/** Settings in which a repaired subsystem differs; another device is `registers: fixed`. */
function repairsOf(broken: Subsystem, repaired: Subsystem): Record<string, string> {
  const changed = Object.entries(repaired.settings).filter(
    ([name, value]) => broken.settings[name as keyof Subsystem['settings']] !== value,
  );
  const repairs: Record<string, string> = Object.fromEntries(changed);
  if (broken.device.name !== repaired.device.name) repairs['registers'] = 'fixed';
  return repairs;
}

function withMtu(space: Space, mtu: number): Space {
  return { ...space, choices: { ...space.choices, mtu: { ...space.choices.mtu, values: [mtu] } } };
}

function nothingFixed(name: string): KelpieError {
  return new KelpieError('BAD_FLAG', `no fix is known for ${name}`, {
    field: '--fixed',
    given: true,
    allowed: 'leave it out',
  });
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
