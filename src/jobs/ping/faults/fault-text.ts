import { KelpieError } from '../../../error.js';
import { WHOLE_HOST } from '../../../models/index.js';
import { type FaultDescription, nearest } from '../../../profiles/index.js';
import type { Plan } from '../plan.js';
import { faultKinds, findFault } from './catalogue.js';
import type { FaultKind, FaultPlaceKind } from './fault-kind.js';

/** A fault as a person asks for it. */
export interface AskedFault {
  readonly kind: FaultKind;
  /** A link, an RNIC, a PCIe switch or the host, by name. */
  readonly place: string;
  readonly severity: number;
  readonly description: FaultDescription;
}

const SCHEDULES = ['from', 'for', 'every'] as const;

/**
 * Reads `ID@PLACE[:SEVERITY][:from=1ms][:for=1ms][:every=5ms]`. A link may be named by its lower end alone
 * (`pcie-width@rnic0` is the link up from rnic0).
 */
export function parseFault(text: string, plan: Plan): AskedFault {
  const [, id, place, rest] = /^([a-z-]+)@([^:]+)((?::[^:]+)*)$/.exec(text) ?? [];
  if (id === undefined)
    throw refusal(text, 'ID@PLACE, ID@PLACE:SEVERITY, with :from=, :for= and :every= for a schedule');
  const kind = findFault(id);
  if (kind === undefined) {
    const ids = faultKinds.map((each) => each.id);
    const meant = nearest(id, ids);
    throw refusal(id, meant === undefined ? ids.join(', ') : `${meant}, perhaps; all: ${ids.join(', ')}`);
  }
  const allowed = placesOf(kind, plan);
  const known = allowed.includes(place) ? place : allowed.find((name) => name === `${place}-up`);
  if (known === undefined) throw refusal(place, `for ${id}: ${allowed.join(', ')}`);
  let severity = kind.severities[Math.floor(kind.severities.length / 2)] ?? 1;
  const schedule: Partial<Record<(typeof SCHEDULES)[number], string>> = {};
  for (const part of rest.split(':').filter((each) => each !== '')) {
    const [name, value] = part.split('=');
    if (value === undefined) {
      severity = Number(part);
      if (!(severity > 0))
        throw refusal(part, `a number above 0: ${kind.meaning || 'this fault has no severity'}`);
    } else if ((SCHEDULES as readonly string[]).includes(name)) schedule[name as 'from'] = value;
    else throw refusal(part, 'from=, for= or every= with a time such as 1ms');
  }
  return {
    kind,
    place: known,
    severity,
    description: { ...faultAt(kind, plan, known, severity), ...schedule },
  };
}

/** A kind of fault at a place of the one host that is pinged. */
export function faultAt(kind: FaultKind, plan: Plan, place: string, severity: number): FaultDescription {
  const link = plan.links.find(({ name }) => name === place);
  const at = place === WHOLE_HOST ? 'h0' : `h0/${place}`;
  return kind.inject(at, severity, link?.pcie ?? null);
}

/** The places that a kind of fault can have on a host. */
export function placesOf({ places, needs }: FaultKind, plan: Plan): string[] {
  const has = (place: FaultPlaceKind) => places.includes(place);
  const endpoints = (kind: 'memory' | 'gpu') => [
    ...new Set(
      plan.paths.filter(({ endpointKind }) => endpointKind === kind).map(({ endpoint }) => endpoint),
    ),
  ];
  if (needs === 'sockets' && plan.links.every(({ place }) => place !== 'inter-socket')) return [];
  if (needs === 'gpus' && endpoints('gpu').length === 0) return [];
  return [
    ...plan.links.filter(({ place }) => has(place)).map(({ name }) => name),
    ...(has('rnic-device') ? plan.rnics : []),
    ...(has('gpu-device') ? endpoints('gpu') : []),
    ...(has('pcie-switch') ? switchesOf(plan) : []),
    ...(has('memory-node') ? endpoints('memory') : []),
    ...(has('host') ? [WHOLE_HOST] : []),
  ];
}

/** PCIe switches that have both an RNIC and a GPU below them: others turn no peer traffic. */
function switchesOf(plan: Plan): string[] {
  const peers = plan.paths.filter(({ endpointKind, throughRoot }) => endpointKind === 'gpu' && !throughRoot);
  const names = peers.flatMap(({ links }) => links.flatMap((link) => plan.links[link].ends));
  const devices = new Set([...plan.rnics, ...plan.endpoints]);
  return [...new Set(names)].filter((name) => !devices.has(name));
}

function refusal(given: string, allowed: string): KelpieError {
  return new KelpieError('BAD_FLAG', 'no such fault on this host', { field: '--fault', given, allowed });
}
