import { KelpieError } from '../../error.js';
import {
  type Changes,
  type ComparePreset,
  type CompareRequest,
  comparePresets,
  fabricNics,
  parseSweep,
  type Variant,
} from '../../jobs/compare/index.js';
import { readTextFile } from '../../node/index.js';
import { parseWorkloadInput } from '../../workload/index.js';
import { asFlags, numberFlag, seedFlag } from '../flag-value.js';
import type { OptionSpec, OptionsOf } from '../option.js';
import { profileFlag, readOwnProfiles } from '../providers.js';

/** The flags that say what is compared. */
export const requestFlags = [
  {
    flags: '--preset <name>',
    description: 'a comparison of SRNIC (NSDI 2023); other flags change parts of it',
    choices: Object.keys(comparePresets) as ComparePreset[],
  },
  {
    flags: '--subsystems <names>',
    description: 'names that kelpie subsystems lists, or ones from --profile, separated by commas',
  },
  {
    flags: '--set <changes...>',
    description:
      'a variant of each subsystem with changes separated by commas, such as device.contextCacheEntries=64,settings.pfc=disabled',
  },
  profileFlag,
  { flags: '--workload <file>', description: 'the workload that every variant runs (YAML or JSON)' },
  {
    flags: '--sweep <values>',
    description: 'a field of the workload or a change over values: qps=1,16,256 or loss=0.00001..0.01',
  },
  {
    flags: '--metric <names>',
    description: 'metrics that the table and the page show, separated by commas',
  },
  { flags: '--ledger', description: 'compare memory on chip and in the host over connections' },
  { flags: '--fct', description: `completion times in fat trees of light NICs: ${fabricNics.join(', ')}` },
  { flags: '--load <share>', description: 'of a fat tree; default: 0.7' },
  { flags: '--duration <ms>', description: 'how long flows of a fat tree arrive; default: 4' },
  { flags: '--seed <number>', description: 'random seed', default: '1' },
] as const satisfies readonly OptionSpec[];

type RequestOptions = OptionsOf<typeof requestFlags>;

/** Points of `--ledger` and `--fct` unless swept. */
const CONNECTIONS = comparePresets.memory.sweep;
const SERVERS = comparePresets['fat-tree'].sweep;
const DEFAULT_SUBSYSTEM = 'srnic';

/** What the flags ask for. */
export function requestOf(options: RequestOptions): CompareRequest {
  const preset: CompareRequest | null = options.preset === undefined ? null : comparePresets[options.preset];
  const kind = kindOf(options, preset);
  const sweep =
    options.sweep === undefined
      ? (preset?.sweep ?? (kind === 'memory' ? CONNECTIONS : kind === 'fat-tree' ? SERVERS : undefined))
      : asFlags({ sweep: '--sweep' }, 'BAD_FLAG', () => parseSweep(options.sweep!));
  const workload =
    options.workload === undefined ? preset?.workload : readWorkloadInput(options.workload, '--workload');
  if (kind === 'workload' && workload === undefined)
    throw bad('--workload', 'none', 'a workload file, --preset, --ledger or --fct');
  const load = numberFlag(options, '--load', { min: 0.01, max: 2, fraction: true });
  const durationMs = numberFlag(options, '--duration', { min: 0.01, max: 1000, fraction: true });
  const metrics = options.metric?.split(',').map((each) => each.trim()) ?? preset?.metrics;
  return {
    kind,
    variants: variantsOf(options, preset, kind),
    ...(workload === undefined ? {} : { workload }),
    ...(sweep === undefined ? {} : { sweep }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(load === undefined ? {} : { load }),
    ...(durationMs === undefined ? {} : { durationNs: durationMs * 1e6 }),
    profiles: options.profile === undefined ? [] : readOwnProfiles(options.profile).profiles,
    seed: seedFlag(options),
  };
}

function kindOf(options: RequestOptions, preset: CompareRequest | null): NonNullable<CompareRequest['kind']> {
  if (options.ledger === true && options.fct === true) throw bad('--fct', 'with --ledger', 'one of the two');
  if (options.ledger === true) return 'memory';
  if (options.fct === true) return 'fat-tree';
  return preset?.kind ?? 'workload';
}

/** Every subsystem as it is, then with each set of changes. */
function variantsOf(
  options: RequestOptions,
  preset: CompareRequest | null,
  kind: CompareRequest['kind'],
): Variant[] {
  const named = options.subsystems
    ?.split(',')
    .map((each): Variant => ({ name: each.trim(), on: each.trim() }));
  const usual = kind === 'fat-tree' ? fabricNics : [DEFAULT_SUBSYSTEM];
  const bases: readonly Variant[] = named ?? preset?.variants ?? usual.map((name) => ({ name, on: name }));
  const sets = (options.set ?? []).map((text) => ({ text, changes: changesOf(text) }));
  return bases.flatMap((base) => [
    base,
    ...sets.map(({ text, changes }) => ({
      name: `${base.name} ${text}`,
      on: base.on,
      changes: { ...base.changes, ...changes },
    })),
  ]);
}

function changesOf(text: string): Changes {
  const pairs = text.split(',').map((each) => {
    const equals = each.indexOf('=');
    const [name, value] = [each.slice(0, equals).trim(), each.slice(equals + 1).trim()];
    if (equals <= 0 || name === '' || value === '')
      throw bad('--set', text, 'NAME=VALUE, several separated by commas');
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}

function readWorkloadInput(file: string, field: string): NonNullable<CompareRequest['workload']> {
  const text = readTextFile(file, { field, code: 'BAD_FLAG', allowed: 'a YAML or JSON file' });
  return parseWorkloadInput(text, file);
}

function bad(field: string, given: unknown, allowed: string): KelpieError {
  return new KelpieError('BAD_FLAG', 'this cannot be compared', { field, given, allowed });
}
