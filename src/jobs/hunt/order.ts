import { KelpieError } from '../../error.js';
import { resolveSubsystem, type Subsystem } from '../../profiles/index.js';
import { findProvider, libraryOf, listProviders, opensWorld, subsystemName } from '../../testbeds/index.js';
import { tableColumn } from './answer/collie-rows.js';
import { parseBudget } from './budget.js';
import type { CounterKind } from './counters.js';
import type { HuntTestbed } from './experiments/task.js';
import { planFor, spaceOf } from './plan.js';
import type { KnownSet } from './reduce/known-finds.js';
import type { Budget, HuntPlan, Strategy } from './run-plan.js';
import { collieSpace, type Space } from './space/space.js';
import { narrowSpace } from './space/space-file.js';

/** What is hunted on unless set: every anomaly of Table 2's first thirteen rows exists there. */
export const HUNTED_SUBSYSTEM = 'collie-f-as-tested';
/** Collie §7.2 searches subsystem F for ten hours. */
const USUAL_BUDGET = '10h';
/** It names no hours for H, where #14 takes longer to come upon: it needs about a thousand queue pairs. */
const LONGER_BUDGET = '20h';
/** An ideal device needs no time for anything: once all queue pairs have begun, a short measurement is as good as any. */
const IDEAL_TIME_SCALE = 0.3;

/** What anyone can ask of a hunt; nothing needs to be said. */
export interface HuntRequest {
  /** What to hunt on; the simulated {@link HUNTED_SUBSYSTEM} unless set. */
  testbed?: HuntTestbed;
  /** With the vendors' fixes applied. */
  fixed?: boolean;
  /** Bounds of an application, as a file has them. */
  space?: { text: string; file: string };
  /** How long to search: `600` experiments, `10h` of hardware, `90s` or `5m` of wall time; 10 or 20 hours unless set. */
  budget?: Budget | string;
  strategy?: Strategy;
  /** What guides the search; all counters unless set. */
  counters?: CounterKind;
  /** Whether minimal feature sets are found and known anomalies skipped; yes by default. */
  mfs?: boolean;
  /** Whether changes that clear what was found are looked for; yes by default. */
  advice?: boolean;
  seed?: number;
  /** What other hunts have found: it is skipped and not reported. */
  known?: readonly KnownSet[];
}

/** A hunt that is ready to be run: plain data that decides its outcome. */
export interface HuntOrder {
  /** The name of what is hunted on. */
  subsystem: string;
  testbed: HuntTestbed;
  plan: HuntPlan;
}

/**
 * Makes a whole order of a request.
 *
 * @example
 * const order = orderHunt({ testbed: { subsystem: 'collie-h' }, budget: '5h', seed: 7 });
 */
export function orderHunt(request: HuntRequest = {}): HuntOrder {
  const target = targetOf(request.testbed ?? {}, request.fixed === true);
  const { space: file, budget = defaultBudget(target.subsystem) } = request;
  const space = file === undefined ? target.space : narrowSpace(target.space, file.text, file.file);
  return {
    subsystem: target.subsystem,
    testbed: target.testbed,
    plan: planFor(space, typeof budget === 'string' ? parseBudget(budget) : budget, {
      seed: request.seed ?? 1,
      ...(request.strategy === undefined ? {} : { strategy: request.strategy }),
      ...(request.counters === undefined ? {} : { counters: [request.counters] }),
      mfs: request.mfs !== false,
      ...(request.advice === undefined ? {} : { advice: request.advice }),
      ...(request.known === undefined ? {} : { known: request.known }),
      ...target.choices,
    }),
  };
}

function defaultBudget(subsystem: string): string {
  return tableColumn(subsystem) === 'H' ? LONGER_BUDGET : USUAL_BUDGET;
}

/** What is hunted on. */
interface Target extends Omit<HuntOrder, 'plan'> {
  /** All that programs can ask of it. */
  space: Space;
  choices: Pick<HuntPlan, 'repairs' | 'timeScale' | 'unlimited'>;
}

function targetOf(testbed: HuntTestbed, fixed: boolean): Target {
  if (opensWorld(testbed))
    throw new KelpieError('HUNT_INVALID', 'a hunt needs a subsystem: identical hosts with one device each', {
      field: 'testbed',
      given: testbed.profiles?.map(({ file }) => file).join(', '),
      allowed: 'a subsystem, or profiles with one',
    });
  const { name, takesProfiles } = findProvider(testbed.provider ?? listProviders()[0].name);
  if (!takesProfiles) {
    if (fixed) throw nothingFixed(`${name} devices`);
    const ideal = name === 'ideal' ? { unlimited: true } : {};
    const choices = { repairs: {}, timeScale: IDEAL_TIME_SCALE, ...ideal };
    return { subsystem: name, testbed: { ...testbed, provider: name }, space: collieSpace(['']), choices };
  }
  return subsystemTarget({ ...testbed, provider: name }, fixed);
}

function subsystemTarget(testbed: HuntTestbed, fixed: boolean): Target {
  const library = libraryOf(testbed);
  const name = subsystemName(testbed, HUNTED_SUBSYSTEM);
  const found = library.find('subsystem', name);
  const shipped = resolveSubsystem(found, { library });
  const repaired =
    found.fixed === undefined
      ? shipped
      : resolveSubsystem(library.find('subsystem', found.fixed), { library });
  // Collie A.1: #3 was fixed by an MTU of 4200 in the network, 4096 for RDMA; that column's subsystems have it.
  const mtu = fixed && tableColumn(name) === 'F' ? 4096 : null;
  if (fixed && found.fixed === undefined && mtu === null) throw nothingFixed(name);
  const subsystem = fixed ? repaired : shipped;
  const space = spaceOf(subsystem);
  return {
    subsystem: subsystem.name,
    testbed: { ...testbed, subsystem: subsystem.name },
    space: mtu === null ? space : withMtu(space, mtu),
    choices: { repairs: fixed ? {} : repairsOf(shipped, repaired), timeScale: 1 },
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
  return new KelpieError('HUNT_INVALID', `no fix is known for ${name}`, {
    field: 'fixed',
    given: true,
    allowed: 'left out',
  });
}
