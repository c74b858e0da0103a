import type { RunRequest } from '../desk/backend.js';
import { CHOICES, FIRST_SETUP, type Setup, SLIDERS } from './setup.js';

/** What a link asks for: a position of the sliders, or a run of a workload as somebody wrote it. */
export type Linked =
  | { readonly kind: 'setup'; readonly setup: Setup }
  | { readonly kind: 'workload'; readonly request: RunRequest };

/** A link with the version that it was made with. */
export interface SetupLink {
  readonly linked: Linked;
  readonly version: string | null;
}

/** What a link cannot be made of, in words. */
export class LinkFault extends Error {}

/** Browsers and chats take this much. */
const MOST_CHARACTERS = 30_000;
const MOST_NAME = 200;

/** The part of a link behind its `#/run?`. */
export function linkText(linked: Linked, version: string): string {
  const values = new URLSearchParams();
  if (linked.kind === 'workload') {
    const { subsystem, seed, workload } = linked.request;
    values.set('on', subsystem);
    values.set('seed', String(seed));
    values.set('workload', workload);
  } else {
    const { setup } = linked;
    values.set('on', setup.subsystem);
    for (const { field } of [...SLIDERS, ...CHOICES]) values.set(field, String(setup[field]));
    if (setup.memoryA !== '') values.set('memoryA', setup.memoryA);
    if (setup.memoryB !== '') values.set('memoryB', setup.memoryB);
    for (const [name, value] of Object.entries(setup.settings)) values.set(`settings.${name}`, value);
    values.set('seed', String(setup.seed));
  }
  values.set('version', version);
  return values.toString();
}

/** Reads a link; whatever is wrong with it is said as a {@link LinkFault}. Names in it are names: nobody trusts them. */
export function readLink(text: string): SetupLink {
  if (text.length > MOST_CHARACTERS) throw new LinkFault('The link is too long.');
  const values = new URLSearchParams(text);
  const version = values.get('version');
  const subsystem = name(values, 'on') ?? FIRST_SETUP.subsystem;
  const seed = wholeNumber(values, 'seed', 0, Number.MAX_SAFE_INTEGER) ?? 1;
  const workload = values.get('workload');
  if (workload !== null)
    return { version, linked: { kind: 'workload', request: { job: 'run', subsystem, seed, workload } } };
  const setup: Record<string, unknown> = { ...FIRST_SETUP, subsystem, seed };
  for (const { field, values: ladder } of SLIDERS) {
    const value = wholeNumber(values, field, ladder[0], ladder[ladder.length - 1]);
    if (value !== null && !ladder.includes(value))
      throw new LinkFault(`${field} is ${value} in the link; it can be ${ladder.join(', ')}.`);
    setup[field] = value ?? FIRST_SETUP[field];
  }
  for (const { field, values: words } of CHOICES) {
    const value = values.get(field);
    if (value !== null && !words.includes(value))
      throw new LinkFault(
        `${field} is '${value.slice(0, MOST_NAME)}' in the link; it can be ${words.join(', ')}.`,
      );
    setup[field] = value ?? FIRST_SETUP[field];
  }
  // A link that says where the run is, and not where its memory lies, leaves that to the subsystem.
  const usual = values.has('on') ? '' : FIRST_SETUP.memoryB;
  setup['memoryA'] = name(values, 'memoryA') ?? '';
  setup['memoryB'] = name(values, 'memoryB') ?? usual;
  const settings: Record<string, string> = {};
  for (const key of values.keys())
    if (/^settings\.\w{1,40}$/.test(key)) settings[key.slice('settings.'.length)] = name(values, key) ?? '';
  setup['settings'] = settings;
  return { version, linked: { kind: 'setup', setup: setup as unknown as Setup } };
}

function name(values: URLSearchParams, field: string): string | null {
  const value = values.get(field);
  if (value !== null && value.length > MOST_NAME) throw new LinkFault(`${field} is too long in the link.`);
  return value;
}

function wholeNumber(values: URLSearchParams, field: string, min: number, max: number): number | null {
  const text = values.get(field);
  if (text === null) return null;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new LinkFault(`${field} is '${text.slice(0, MOST_NAME)}' in the link; it can be ${min} to ${max}.`);
}
