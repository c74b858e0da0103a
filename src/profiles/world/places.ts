import { nearest } from '../../schema/index.js';
import type { Report } from '../consistency.js';
import type { Host } from '../resolve.js';
import { isPcie } from '../topology.js';
import type { FaultDescription } from './description.js';
import { durationNs } from './duration.js';
import type { FaultEffect, FaultPlace, WorldFault, WorldGraph } from './graph.js';

/** The parts of a graph that places are looked up in. */
export type Places = Pick<WorldGraph, 'hosts' | 'links'>;

/** Looks the place of a fault up and reads its schedule; reports what is wrong with it at `field`. */
export function resolveFault(
  graph: Places,
  description: FaultDescription,
  field: string,
  report: Report,
): WorldFault | undefined {
  const { at, from = 0, for: lasts, every, ...effect } = description;
  const places = placesOf(graph, at);
  if (places.length === 0) {
    const known = placeNames(graph);
    report('PROFILE_UNKNOWN_REFERENCE', `${field}.at`, {
      problem: 'no such place',
      given: at,
      meant: nearest(at, known),
      allowed: known.length > 60 ? `${known.slice(0, 60).join(', ')}, ...` : known.join(', '),
    });
    return undefined;
  }
  checkEffect(graph, places[0], effect, field, report);
  const forNs = lasts === undefined ? Number.POSITIVE_INFINITY : (durationNs(lasts) ?? 0);
  const everyNs = every === undefined ? 0 : (durationNs(every) ?? 0);
  if (every !== undefined && !(everyNs > forNs && forNs > 0))
    report('PROFILE_INCONSISTENT', `${field}.every`, {
      problem: 'a fault that comes again must end before',
      given: every,
      allowed: 'longer than `for`, which must be above 0',
    });
  return { at, places, effect, fromNs: durationNs(from) ?? 0, forNs, everyNs };
}

/** What a fault can do at each kind of place. */
function effectsOf({ hosts }: Places, place: FaultPlace): readonly (keyof FaultEffect)[] {
  switch (place.kind) {
    case 'cable':
      return ['rate', 'latencyNs', 'loss', 'burst', 'towards', 'lossOf'];
    case 'channel':
      return ['rate', 'presence'];
    case 'host':
      return [
        ...(['acs', 'ats', 'ordering', 'interSocket', 'ddio'] as const),
        ...(['peerMemory', 'affinity', 'coreWakeNs', 'coreClock', 'iommuWalkNs'] as const),
      ];
    case 'link': {
      const { host } = hosts[place.host];
      const { kind, ends } = host.links[place.link];
      const ofSwitch = ends.some((end) => host.nodes[end].kind === 'switch');
      return [
        ...(['rate', 'latencyNs', 'load'] as const),
        ...(isPcie(kind) ? (['lanes', 'generation', 'replay'] as const) : []),
        ...(ofSwitch ? (['acs'] as const) : []),
        ...(kind === 'inter-socket' ? (['interSocket'] as const) : []),
      ];
    }
    case 'node':
      switch (hosts[place.host].host.nodes[place.node].kind) {
        case 'rnic':
          return [
            ...(['ats', 'ordering', 'maxPayloadBytes', 'maxReadRequestBytes', 'affinity'] as const),
            ...(['transmitWindowPackets', 'slowStartGbps', 'receiveBuffer'] as const),
          ];
        case 'gpu':
          return ['presence'];
        case 'switch':
          return ['acs'];
        case 'memory':
          return ['ddio'];
        default:
          return [];
      }
  }
}

function checkEffect(
  graph: Places,
  place: FaultPlace,
  effect: FaultEffect,
  field: string,
  report: Report,
): void {
  const allowed = effectsOf(graph, place);
  const given = Object.keys(effect) as (keyof FaultEffect)[];
  const allowedInWords =
    allowed.length === 0 ? 'nothing; a link has a rate and a latency' : allowed.join(', ');
  if (given.length === 0)
    report('PROFILE_MISSING_FIELD', field, { problem: 'a fault that does nothing', allowed: allowedInWords });
  for (const name of given) {
    if (allowed.includes(name)) continue;
    report('PROFILE_INCONSISTENT', `${field}.${name}`, {
      problem: 'has no meaning at such a place',
      given: effect[name],
      allowed: allowedInWords,
    });
  }
  if (place.kind === 'cable') checkLoss(graph.links[place.link].ends, effect, field, report);
  if (effect.interSocket !== 'weak' || place.kind === 'cable') return;
  if (graph.hosts[place.host].host.constants.interSocketSharedGbps > 0) return;
  report('PROFILE_INCONSISTENT', `${field}.interSocket`, {
    problem: 'the host has no interSocketSharedGbps to be weak with',
    given: 'weak',
    allowed: 'healthy',
  });
}

/** Which packets are lost means something only where some are, and a direction is an end of the cable. */
function checkLoss(ends: readonly string[], effect: FaultEffect, field: string, report: Report): void {
  const { loss, burst, towards, lossOf } = effect;
  if (loss === undefined && burst === undefined) {
    for (const name of ['towards', 'lossOf'] as const)
      if (effect[name] !== undefined)
        report('PROFILE_INCONSISTENT', `${field}.${name}`, {
          problem: 'no packet is lost',
          given: effect[name],
          allowed: 'beside loss or burst',
        });
    return;
  }
  if (towards !== undefined && !ends.some((end) => isEndOf(end, towards)))
    report('PROFILE_UNKNOWN_REFERENCE', `${field}.towards`, {
      problem: 'the cable does not end there',
      given: towards,
      allowed: ends.join(', '),
    });
  if (lossOf?.length === 0)
    report('PROFILE_INCONSISTENT', `${field}.lossOf`, {
      problem: 'a loss of nothing',
      given: lossOf,
      allowed: 'one kind or more',
    });
}

/** Whether an end of a cable has this name, or is on the host of this name. */
export function isEndOf(end: string, name: string): boolean {
  return end === name || end.split('/')[0] === name;
}

/** Every place of that name; none: there is no such place. */
function placesOf({ hosts, links }: Places, at: string): FaultPlace[] {
  const cable = links.findIndex(({ name }) => name === at);
  if (cable >= 0) return [{ kind: 'cable', link: cable }];
  const slash = at.indexOf('/');
  const named = hosts.findIndex(({ name }) => name === (slash < 0 ? at : at.slice(0, slash)));
  if (named >= 0 && slash < 0) return [{ kind: 'host', host: named }];
  const candidates = named >= 0 ? [named] : hosts.keys();
  const rest = named >= 0 ? at.slice(slash + 1) : at;
  return [...candidates].flatMap((host) => placeInHost(hosts[host].host, host, rest) ?? []);
}

function placeInHost(graph: Host, host: number, at: string): FaultPlace | undefined {
  const link = linkOf(graph, at);
  if (link >= 0) return { kind: 'link', host, link };
  const node = graph.nodes.findIndex(({ name }) => name === at);
  if (node >= 0) return { kind: 'node', host, node };
  const channel = /^([^/]+)\/channel(\d{1,3})$/.exec(at);
  if (channel === null) return undefined;
  const memory = graph.nodes.findIndex(({ name, kind }) => name === channel[1] && kind === 'memory');
  const channels = graph.links.find(({ ends, kind }) => kind === 'memory' && ends.includes(memory))?.channels;
  const number = Number(channel[2]);
  return channels !== undefined && number < channels
    ? { kind: 'channel', host, node: memory, channel: number }
    : undefined;
}

/** The link of a name, which may also be its two ends with a hyphen, in either order; -1: there is none. */
function linkOf({ nodes, links }: Host, at: string): number {
  const named = links.findIndex(({ name }) => name === at);
  if (named >= 0) return named;
  return links.findIndex(({ ends: [a, b] }) => {
    const [left, right] = [nodes[a].name, nodes[b].name];
    return at === `${left}-${right}` || at === `${right}-${left}`;
  });
}

/** The names of all places but memory channels. */
export function placeNames({ hosts, links }: Places): readonly string[] {
  return [
    ...links.map(({ name }) => name),
    ...hosts.flatMap(({ name, host }) => [
      name,
      ...host.links.map((link) => `${name}/${link.name}`),
      ...host.nodes.filter(({ kind }) => kind !== 'socket').map((node) => `${name}/${node.name}`),
    ]),
  ];
}
