import { KelpieError } from '../../error.js';
import type { Host, HostLink } from '../../profiles/index.js';
import { DmaPath, LinkServers, SharedLink } from '../pcie/dma-path.js';
import { MemoryChannels } from './memory-channels.js';

/** A way through the graph of a host. */
interface Way {
  links: HostLink[];
  /** Indices of the nodes, first to last. */
  nodes: number[];
  latencyNs: number;
}

/**
 * A host's graph as paths: where a DMA of an RNIC goes to reach a memory or a GPU, given the host's settings (ACS,
 * ATS, a weak inter-socket link), and what it costs.
 */
export class HostModel {
  readonly host: Host;
  private readonly paths = new Map<string, DmaPath>();
  private readonly servers = new Map<HostLink, LinkServers>();
  private readonly memories = new Map<string, MemoryChannels>();
  private readonly ablated: ReadonlySet<string>;
  private readonly weakLink: SharedLink | null;
  private readonly peerTurn: SharedLink | null;

  constructor(host: Host, ablated: ReadonlySet<string> = new Set()) {
    this.host = host;
    this.ablated = ablated;
    const { constants, settings } = host;
    const weak =
      settings.interSocket === 'weak' &&
      constants.interSocketSharedGbps > 0 &&
      !ablated.has('cross-socket-link');
    this.weakLink = weak ? new SharedLink(constants.interSocketSharedGbps) : null;
    const cacheBytes =
      settings.ddio === 'enabled'
        ? (constants.lastLevelCacheBytes * constants.ddioWays) / constants.lastLevelCacheWays
        : 0;
    for (const { kind, ends, gbps } of host.links) {
      const memory = ends.map((end) => host.nodes[end]).find((node) => node.kind === 'memory');
      if (kind === 'memory' && memory !== undefined)
        this.memories.set(memory.name, new MemoryChannels(gbps, cacheBytes));
    }
    this.peerTurn = constants.peerSharedGbps > 0 ? new SharedLink(constants.peerSharedGbps) : null;
  }

  /** The places that memory can have: memories and GPUs. */
  get placements(): readonly string[] {
    return this.host.nodes.filter(({ kind }) => kind === 'memory' || kind === 'gpu').map(({ name }) => name);
  }

  /** The RNICs of the host. */
  get rnics(): readonly string[] {
    return this.host.nodes.filter(({ kind }) => kind === 'rnic').map(({ name }) => name);
  }

  /** Rate of the first link of an RNIC. */
  slotGbps(rnic: string): number {
    const index = this.nodeIndex(rnic);
    const link = this.host.links.find(({ ends }) => ends.includes(index));
    if (link === undefined)
      throw new KelpieError('HOST_GRAPH', `${rnic} hangs nowhere in ${this.host.name}`, {
        field: 'rnic',
        given: rnic,
      });
    return link.gbps;
  }

  /** The channels of a memory; null for another part of the host. */
  memoryOf(placement: string): MemoryChannels | null {
    return this.memories.get(placement) ?? null;
  }

  /** Bytes of DMA that went to DRAM, all memories together. */
  get memoryBytes(): number {
    let total = 0;
    for (const { bytes } of this.memories.values()) total += bytes;
    return total;
  }

  /** The path between an RNIC and a placement. */
  path(rnic: string, placement: string): DmaPath {
    const key = `${rnic} ${placement}`;
    let path = this.paths.get(key);
    if (path === undefined) {
      path = this.build(rnic, placement);
      this.paths.set(key, path);
    }
    return path;
  }

  private build(rnic: string, placement: string): DmaPath {
    const { constants, nodes } = this.host;
    const from = this.nodeIndex(rnic);
    const to = this.nodeIndex(placement);
    const isPeer = nodes[to].kind === 'gpu';
    let way = this.shortest(from, to);
    let turns = isPeer && way.nodes.some((node) => nodes[node].kind === 'socket');
    if (isPeer && !turns && this.redirected) {
      const socket = this.nearestSocket(from);
      const up = this.shortest(from, socket);
      const down = this.shortest(socket, to);
      way = {
        links: [...up.links, ...down.links],
        nodes: [...up.nodes, ...down.nodes.slice(1)],
        latencyNs: up.latencyNs + down.latencyNs,
      };
      turns = true;
    }
    const oneWayNs = way.latencyNs + (turns ? constants.peerTurnNs : 0);
    const crosses = way.links.some(({ kind }) => kind === 'inter-socket');
    const shared = turns ? this.peerTurn : crosses ? this.weakLink : null;
    // The RNIC's own link is the device's port, memory has its channels; the slowest of the others may be slower.
    const slowest = way.links
      .slice(1)
      .filter(({ kind }) => kind !== 'memory')
      .reduce<HostLink | null>(
        (least, link) => (least === null || link.gbps < least.gbps ? link : least),
        null,
      );
    const narrow = slowest !== null && slowest.gbps < way.links[0].gbps;
    return new DmaPath({
      name: `${rnic} to ${placement}`,
      readLatencyPs: Math.round(2 * oneWayNs * 1000),
      ordered: !isPeer,
      ...(narrow ? { link: this.serversOf(slowest), psPerByte: 8000 / slowest.gbps } : {}),
      ...(shared === null ? {} : { shared }),
      ...(isPeer ? {} : { memory: this.memoryOf(placement)! }),
      postedBytes: turns && constants.peerPostedBytes > 0 ? constants.peerPostedBytes : constants.postedBytes,
      creditReturnPs: Math.round((turns ? oneWayNs : constants.interSocketWriteNs) * 1000),
    });
  }

  /** Whether peer traffic under one switch is sent up to the root complex. */
  private get redirected(): boolean {
    const { settings } = this.host;
    return (settings.acs === 'redirect' || settings.ats === 'disabled') && !this.ablated.has('acs-redirect');
  }

  private serversOf(link: HostLink): LinkServers {
    let servers = this.servers.get(link);
    if (servers === undefined) {
      servers = new LinkServers();
      this.servers.set(link, servers);
    }
    return servers;
  }

  private nearestSocket(from: number): number {
    const sockets = this.host.nodes.flatMap(({ kind }, index) => (kind === 'socket' ? [index] : []));
    return sockets.reduce((best, socket) =>
      this.shortest(from, socket).latencyNs < this.shortest(from, best).latencyNs ? socket : best,
    );
  }

  private nodeIndex(name: string): number {
    const index = this.host.nodes.findIndex((node) => node.name === name);
    if (index >= 0) return index;
    const allowed = this.host.nodes.map((node) => node.name).join(', ');
    throw new KelpieError('UNKNOWN_PLACEMENT', `${this.host.name} has no such part`, {
      field: 'placement',
      given: name,
      allowed,
    });
  }

  /** Dijkstra over a graph of a few dozen nodes, once a pair. */
  private shortest(from: number, to: number): Way {
    const { nodes, links } = this.host;
    const best = new Map<number, Way>([[from, { links: [], nodes: [from], latencyNs: 0 }]]);
    const open = new Set([from]);
    while (open.size > 0) {
      const node = [...open].reduce((least, each) =>
        best.get(each)!.latencyNs < best.get(least)!.latencyNs ? each : least,
      );
      open.delete(node);
      const way = best.get(node)!;
      if (node === to) return way;
      // DMA passes through sockets and switches, never through another device.
      if (node !== from && nodes[node].kind !== 'socket' && nodes[node].kind !== 'switch') continue;
      for (const link of links) {
        if (!link.ends.includes(node)) continue;
        const next = link.ends[0] === node ? link.ends[1] : link.ends[0];
        const latencyNs = way.latencyNs + link.latencyNs;
        if (latencyNs >= (best.get(next)?.latencyNs ?? Number.POSITIVE_INFINITY)) continue;
        best.set(next, { links: [...way.links, link], nodes: [...way.nodes, next], latencyNs });
        open.add(next);
      }
    }
    throw new KelpieError(
      'HOST_GRAPH',
      `${nodes[from].name} and ${nodes[to].name} of ${this.host.name} are not joined`,
    );
  }
}
