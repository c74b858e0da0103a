import { KelpieError } from '../../error.js';
import { type Mechanism, mechanisms } from '../../models/index.js';
import { settings as settingTable } from '../../profiles/index.js';
import { libraryOf, type ProfileSource, type TestbedDescription } from '../../testbeds/index.js';

/** What is changed, by name: `device.NAME`, `host.NAME`, `fabric.NAME`, `settings.NAME`, `loss`, `backLoss`, `ablate`. */
export type Changes = Readonly<Record<string, number | string>>;

/** A subsystem with changes: plain data, so that it can go to another thread. */
export interface ChangedSubsystem {
  readonly subsystem: string;
  readonly profiles: readonly ProfileSource[];
  /** Probability that a packet is lost on its way to the second host, and on its way to the first. */
  readonly loss: number;
  readonly backLoss: number;
  readonly ablate: readonly Mechanism[];
}

/** The name of the subsystem that carries changes. */
const CHANGED = 'changed';
const KINDS = ['device', 'host', 'fabric'] as const;
type Kind = (typeof KINDS)[number];

/** What can be changed, for people. */
export const CHANGES_IN_WORDS =
  'device.CONSTANT, host.CONSTANT or fabric.CONSTANT; device.architecture; device, host or fabric with the name of a profile; settings.NAME; loss; backLoss; ablate';

/** Whether a name is that of a change rather than of a field of the workload. */
export function isChange(name: string): boolean {
  const [head] = name.split('.');
  return ['loss', 'backLoss', 'ablate', 'settings', ...KINDS].includes(head);
}

/**
 * A subsystem with some of its parts changed. Constants, settings and profiles become a profile that extends the given
 * one, so that a name or a value is checked as in a file.
 *
 * @example
 * const { profiles } = changeSubsystem('srnic', { 'device.contextCacheEntries': 65536 });
 */
export function changeSubsystem(
  subsystem: string,
  changes: Changes,
  profiles: readonly ProfileSource[] = [],
): ChangedSubsystem {
  const base = libraryOf({ profiles }).find('subsystem', subsystem);
  const parts = new Map<Kind, Record<string, unknown>>();
  const named: Record<string, unknown> = {};
  const settings: Record<string, unknown> = {};
  const ablate: Mechanism[] = [];
  const losses = { loss: 0, backLoss: 0 };
  for (const [name, value] of Object.entries(changes)) {
    const [head, ...rest] = name.split('.');
    const kind = KINDS.find((each) => each === head);
    const inner = rest.join('.');
    if (name === 'loss' || name === 'backLoss') losses[name] = probability(name, value);
    else if (name === 'ablate') ablate.push(...String(value).split('+').map(mechanism));
    else if (head === 'settings' && inner !== '') settings[inner] = settingOf(inner, value);
    else if (kind === undefined) throw unknownChange(name);
    else if (inner === '') named[kind] = String(value);
    else parts.set(kind, { ...parts.get(kind), [inner]: value });
  }
  const added: ProfileSource[] = [];
  for (const [kind, fields] of parts) {
    const from = (named[kind] as string | undefined) ?? base[kind];
    named[kind] = `${from}-${CHANGED}`;
    added.push(source({ ...partOf(kind, fields), profile: kind, name: named[kind], extends: from }));
  }
  if (Object.keys(named).length === 0 && Object.keys(settings).length === 0)
    return { subsystem, profiles, ...losses, ablate };
  const name = `${subsystem}-${CHANGED}`;
  const fields = { ...named, ...(Object.keys(settings).length === 0 ? {} : { settings }) };
  added.push(source({ profile: 'subsystem', name, extends: subsystem, title: name, ...fields }));
  return { subsystem: name, profiles: [...profiles, ...added], ...losses, ablate };
}

/** The part of a profile that is changed; everything but an architecture is a constant. */
function partOf(kind: Kind, { architecture, ...constants }: Record<string, unknown>): object {
  const provenance = { evidence: 'calibrated', source: 'set for a comparison' };
  const numbers = Object.entries(constants).map(([name, value]) => [
    name,
    { value: numberOf(`${kind}.${name}`, value), ...provenance },
  ]);
  return {
    title: `a ${kind} with changes`,
    ...(architecture === undefined ? {} : { architecture: String(architecture) }),
    ...(numbers.length === 0 ? {} : { constants: Object.fromEntries(numbers) }),
  };
}

function source(profile: object): ProfileSource {
  return { text: JSON.stringify(profile), file: 'changes' };
}

/** Losses on the way to the second host, which carries the data of one tenant, and on the way back. */
export function lossesOf({
  loss,
  backLoss,
}: Pick<ChangedSubsystem, 'loss' | 'backLoss'>): NonNullable<TestbedDescription['impairments']> {
  return {
    ...(loss === 0 ? {} : { h1: { loss } }),
    ...(backLoss === 0 ? {} : { h0: { loss: backLoss } }),
  };
}

function numberOf(field: string, given: unknown): number {
  const value = typeof given === 'number' ? given : Number(String(given).trim() === '' ? Number.NaN : given);
  if (Number.isFinite(value)) return value;
  throw new KelpieError('COMPARE_BAD_VALUE', 'a constant is a number', { field, given, allowed: 'a number' });
}

function probability(field: string, given: number | string): number {
  const value = numberOf(field, given);
  if (value >= 0 && value <= 1) return value;
  throw new KelpieError('COMPARE_BAD_VALUE', 'this is not a probability', {
    field,
    given,
    allowed: '0 to 1',
  });
}

function mechanism(given: number | string): Mechanism {
  if (Object.hasOwn(mechanisms, given)) return given as Mechanism;
  throw new KelpieError('COMPARE_BAD_VALUE', 'no such mechanism', {
    field: 'ablate',
    given,
    allowed: Object.keys(mechanisms).join(', '),
  });
}

function settingOf(name: string, given: number | string): string {
  const known: Readonly<Record<string, { values: readonly string[] }>> = settingTable;
  if (!Object.hasOwn(known, name)) throw unknownChange(`settings.${name}`);
  if (known[name].values.includes(String(given))) return String(given);
  const allowed = known[name].values.join(', ');
  throw new KelpieError('COMPARE_BAD_VALUE', 'no such setting', {
    field: `settings.${name}`,
    given,
    allowed,
  });
}

function unknownChange(given: string): KelpieError {
  return new KelpieError('COMPARE_UNKNOWN_CHANGE', 'this cannot be changed', {
    field: 'set',
    given,
    allowed: CHANGES_IN_WORDS,
  });
}
