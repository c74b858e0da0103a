import { KelpieError } from '../../error.js';
import { type Host, type HostLink, type PcieTraining, shortestWay } from '../../profiles/index.js';

/** Where in a host a link is: what its failure is called. */
export type LinkPlace = 'rnic' | 'gpu' | 'root-port' | 'switch' | 'memory' | 'inter-socket';

/** A link of a host as ping names it. */
export interface PlanLink {
  /** As the host's profile names it: `switch0-up`, `gpu1-up`, `socket0-socket1`. */
  readonly name: string;
  readonly place: LinkPlace;
  readonly ends: readonly [string, string];
  /** The rate that the profile gives it. */
  readonly gbps: number;
  /** What a PCIe link can do; null for another link. */
  readonly pcie: PcieTraining | null;
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
  const paths = rnics.flatMap((rnic) =>
    endpoints.map((endpoint): ProbePath => {
      const way = shortestWay(host, index.get(rnic)!, index.get(endpoint)!);
      return {
        rnic,
        endpoint,
        endpointKind: host.nodes[index.get(endpoint)!].kind === 'gpu' ? 'gpu' : 'memory',
        links: way.links.map((link) => host.links.indexOf(link)),
        throughRoot: way.nodes.some((node) => host.nodes[node].kind === 'socket'),
        crossesSockets: way.links.some(({ kind }) => kind === 'inter-socket'),
      };
    }),
  );
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

function planLink({ nodes }: Host, { name, kind, ends, gbps, pcie }: HostLink): PlanLink {
  const [a, b] = ends.map((end) => nodes[end]);
  return { name, place: placeOf(kind, a.kind, b.kind), ends: [a.name, b.name], gbps, pcie };
}

function placeOf(kind: HostLink['kind'], a: string, b: string): LinkPlace {
  if (kind === 'memory' || kind === 'inter-socket') return kind;
  if (a === 'rnic' || b === 'rnic') return 'rnic';
  if (a === 'gpu' || b === 'gpu') return 'gpu';
  return a === 'socket' || b === 'socket' ? 'root-port' : 'switch';
}
