import { KelpieError } from '../../error.js';
import type { Host, HostLink } from '../../profiles/index.js';

/** Where in a host a link is: what its failure is called. */
export type LinkPlace = 'rnic' | 'gpu' | 'root-port' | 'switch' | 'memory' | 'inter-socket';

/** A link of a host as ping names it. */
export interface PlanLink {
  /** The names of its two ends, the one nearer to the processors first, joined by a dash: `switch0-gpu1`. */
  readonly name: string;
  readonly place: LinkPlace;
  readonly ends: readonly [string, string];
  /** The rate that the profile gives it. */
  readonly gbps: number;
}

/** A way from an RNIC to a memory endpoint. */
export interface ProbePath {
  readonly rnic: string;
  readonly endpoint: string;
  readonly endpointKind: 'memory' | 'gpu';
  /** Indices into the plan's links, from the RNIC outwards. */
  readonly links: readonly number[];
  /** Whether it passes a processor, and whether it passes from one to another. */
  readonly throughRoot: boolean;
  readonly crossesSockets: boolean;
}

/** What there is to probe on a host. */
export interface Plan {
  readonly host: string;
  readonly links: readonly PlanLink[];
  readonly rnics: readonly string[];
  readonly endpoints: readonly string[];
  /** Every RNIC to every endpoint: RNICs in order, then endpoints in order. */
  readonly paths: readonly ProbePath[];
}

/** The name of a path, for people and for keys. */
export function pathName({ rnic, endpoint }: Pick<ProbePath, 'rnic' | 'endpoint'>): string {
  return `${rnic} to ${endpoint}`;
}

/**
 * The full mesh of a host: every RNIC to every memory node and GPU, with the links that each way crosses.
 *
 * @example
 * const plan = planOf(resolveHost(findProfile('host', 'hostping')));
 * plan.paths.length; // 40: four RNICs, eight GPUs, two memories
 */
export function planOf(host: Host): Plan {
  const named = (kind: string) => host.nodes.filter((node) => node.kind === kind).map(({ name }) => name);
  const rnics = named('rnic');
  const endpoints = [...named('memory'), ...named('gpu')];
  if (rnics.length === 0 || endpoints.length === 0) {
    throw new KelpieError('PING_NOTHING_TO_PROBE', `${host.name} has no RNIC or no memory to probe`, {
      field: 'topology',
      given: host.name,
      allowed: 'a host with at least one RNIC and one memory node or GPU',
    });
  }
  const links = host.links.map((link) => planLink(host, link));
  const index = new Map(host.nodes.map(({ name }, place) => [name, place]));
  const paths = rnics.flatMap((rnic) => {
    const ways = waysFrom(host, index.get(rnic)!);
    return endpoints.map((endpoint): ProbePath => {
      const to = index.get(endpoint)!;
      const crossed = ways(to);
      if (crossed === null) {
        throw new KelpieError('HOST_GRAPH', `${rnic} and ${endpoint} of ${host.name} are not joined`);
      }
      const kinds = new Set(
        crossed.flatMap((link) => host.links[link].ends.map((end) => host.nodes[end].kind)),
      );
      return {
        rnic,
        endpoint,
        endpointKind: host.nodes[to].kind === 'gpu' ? 'gpu' : 'memory',
        links: crossed,
        throughRoot: kinds.has('socket'),
        crossesSockets: crossed.some((link) => host.links[link].kind === 'inter-socket'),
      };
    });
  });
  return { host: host.name, links, rnics, endpoints, paths };
}

/** Paths by link: which of the plan's paths cross each link, as indices. */
export function pathsByLink(plan: Plan): readonly (readonly number[])[] {
  const crossing = plan.links.map((): number[] => []);
  plan.paths.forEach(({ links }, path) => {
    for (const link of links) crossing[link].push(path);
  });
  return crossing;
}

const DEPTH = { socket: 0, switch: 1, memory: 2, gpu: 2, rnic: 2 } as const;

function planLink({ nodes }: Host, { kind, ends, gbps }: HostLink): PlanLink {
  const pair = ends.map((end) => nodes[end]);
  const [near, far] = DEPTH[pair[0].kind] <= DEPTH[pair[1].kind] ? pair : [pair[1], pair[0]];
  return {
    name: `${near.name}-${far.name}`,
    place: placeOf(kind, near.kind, far.kind),
    ends: [near.name, far.name],
    gbps,
  };
}

function placeOf(kind: HostLink['kind'], near: string, far: string): LinkPlace {
  if (kind === 'memory' || kind === 'inter-socket') return kind;
  if (far === 'rnic') return 'rnic';
  if (far === 'gpu') return 'gpu';
  return near === 'socket' ? 'root-port' : 'switch';
}

/** The ways of least latency from a node, as lists of links. DMA passes sockets and switches, never another device. */
function waysFrom(host: Host, from: number): (to: number) => readonly number[] | null {
  const { nodes, links } = host;
  const latencyNs = nodes.map(() => Number.POSITIVE_INFINITY);
  const last = nodes.map(() => -1);
  const done = nodes.map(() => false);
  latencyNs[from] = 0;
  for (;;) {
    let node = -1;
    for (let each = 0; each < nodes.length; each++)
      if (!done[each] && latencyNs[each] < (node < 0 ? Number.POSITIVE_INFINITY : latencyNs[node]))
        node = each;
    if (node < 0) break;
    done[node] = true;
    const passes = node === from || nodes[node].kind === 'socket' || nodes[node].kind === 'switch';
    if (!passes) continue;
    links.forEach(({ ends, latencyNs: hopNs }, link) => {
      if (ends[0] !== node && ends[1] !== node) return;
      const next = ends[0] === node ? ends[1] : ends[0];
      if (latencyNs[node] + hopNs >= latencyNs[next]) return;
      latencyNs[next] = latencyNs[node] + hopNs;
      last[next] = link;
    });
  }
  return (to) => {
    if (last[to] < 0) return null;
    const way: number[] = [];
    for (let node = to; node !== from; ) {
      const { ends } = links[last[node]];
      way.unshift(last[node]);
      node = ends[0] === node ? ends[1] : ends[0];
    }
    return way;
  };
}
