import { KelpieError } from '../../error.js';
import {
  type FaultEffect,
  type FaultPlace,
  type Host,
  type HostWay,
  isPcie,
  nearestNode,
  shortestWay,
} from '../../profiles/index.js';
import { DmaPath, type DmaPathOptions, SharedLink } from '../pcie/dma-path.js';
import { Changes } from '../resource/changes.js';
import { HostLinkModel } from './host-link.js';
import { HostSettings, type PartSettings } from './host-settings.js';
import { Iommu } from './iommu.js';
import { LinkLabels, type LinkReading, readLinks } from './link-reading.js';
import { MemoryChannels } from './memory-channels.js';

/** A path with the way that it takes now. */
interface Route {
  readonly rnic: string;
  readonly from: number;
  readonly to: number;
  readonly path: DmaPath;
  way: HostWay;
  /** The links on the way. */
  models: readonly HostLinkModel[];
}

/**
 * A host's graph as paths: where a DMA of an RNIC goes to reach a memory or a GPU, given the settings of ports, devices
 * and links, and what it costs. Every link that DMA can wait for is a server in each direction, which all devices of the
 * host share.
 */
export class HostModel {
  readonly host: Host;
  readonly links: readonly HostLinkModel[];
  /** The places that memory can have: memories and GPUs. */
  readonly placements: readonly string[];
  /** Faults that come and go while a run goes on. */
  readonly changes = new Changes();
  /** Another number whenever settings or faults have changed. */
  version = 0;
  private readonly settings: HostSettings;
  private readonly routes = new Map<string, Route>();
  private readonly memories = new Map<string, MemoryChannels>();
  /** By RNIC. */
  private readonly iommus = new Map<string, Iommu>();
  private readonly weakLinks = new Map<number, SharedLink>();
  private readonly peerTurns = new Map<number, SharedLink>();
  private readonly ablated: ReadonlySet<string>;
  private labels: LinkLabels | null = null;

  constructor(host: Host, ablated: ReadonlySet<string> = new Set()) {
    this.host = host;
    this.ablated = ablated;
    this.placements = host.nodes
      .filter(({ kind }) => kind === 'memory' || kind === 'gpu')
      .map(({ name }) => name);
    this.settings = new HostSettings(host);
    // The ablation that doubles a device's PCIe port doubles what lies behind it.
    const speedUp = ablated.has('pcie-up-link') ? 2 : 1;
    this.links = host.links.map((link) => new HostLinkModel(link, isPcie(link.kind) ? speedUp : 1));
    for (const rnic of this.rnics) this.iommus.set(rnic, new Iommu(host.constants.iotlbEntries));
    for (const { kind, ends, gbps } of host.links) {
      const memory = ends.find((end) => host.nodes[end].kind === 'memory');
      if (kind === 'memory' && memory !== undefined)
        this.memories.set(
          host.nodes[memory].name,
          new MemoryChannels(gbps, this.settings.cacheBytes(memory)),
        );
    }
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
      throw new KelpieError('HOST_GRAPH', `${rnic} is not connected to anything in ${this.host.name}`, {
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
    return (this.routes.get(key) ?? this.build(key, rnic, placement)).path;
  }

  /** The path of a core's stores to an RNIC, from the socket that it hangs on. */
  storePath(rnic: string): DmaPath {
    return this.path(rnic, this.host.nodes[this.socketOf(rnic)].name);
  }

  /** The names of the links between an RNIC and a placement, nearest first. */
  linksBetween(rnic: string, placement: string): readonly string[] {
    this.path(rnic, placement);
    return this.routes.get(`${rnic} ${placement}`)!.way.links.map(({ name }) => name);
  }

  /** The socket that an RNIC, a memory or a GPU hangs on, by its place among the sockets. */
  socketNumber(node: string): number {
    const socket = this.socketOf(node);
    return this.host.nodes.filter(({ kind }, index) => kind === 'socket' && index < socket).length;
  }

  /**
   * How much longer than usual it takes from a socket, by its place among the sockets, to a node: what lies between them
   * beyond the way from the node's own socket, and what faults add. One way.
   */
  detourNs(socketNumber: number, node: string): number {
    const to = this.nodeIndex(node);
    const sockets = this.host.nodes.flatMap(({ kind }, index) => (kind === 'socket' ? [index] : []));
    const from = sockets[socketNumber];
    if (from === undefined)
      throw new KelpieError('UNKNOWN_PLACEMENT', `${this.host.name} has no such socket`, {
        field: 'socket',
        given: socketNumber,
        allowed: `0 to ${sockets.length - 1}`,
      });
    const usual = shortestWay(this.host, this.socketOf(node), to);
    return this.wayNs(shortestWay(this.host, from, to)) - usual.latencyNs;
  }

  /** Why memory of a placement cannot be registered now; null where it can. */
  whyUnusable(placement: string): string | null {
    return this.settings.whyUnusable(this.nodeIndex(placement));
  }

  /** The socket that threads of an RNIC's programs run on if they choose none, by its place among the sockets. */
  threadSocket(rnic: string): number {
    const own = this.socketNumber(rnic);
    const { sockets } = this.host.constants;
    return this.settings.isMisbound(this.nodeIndex(rnic)) ? (own + 1) % sockets : own;
  }

  /** How long a core that slept takes to wake, and at which share of their clock cores run. */
  get cores(): { wakeNs: number; clock: number } {
    return this.settings.cores;
  }

  /** Whether an RNIC has address translations of its own (ATS). */
  setAts(rnic: string, ats: Host['settings']['ats']): void {
    this.settings.setAts(this.nodeIndex(rnic), ats);
    this.refresh();
  }

  /** A fault begins at one of this host's places. Returns what ends it. */
  inject(place: FaultPlace, effect: FaultEffect): () => void {
    const end = this.settings.inject(place, effect);
    this.refresh();
    return () => {
      end();
      this.refresh();
    };
  }

  /** Adds what each link has carried so far, and what it is now; their names begin with `prefix`. */
  readLinks(readings: LinkReading[], nowPs: number, prefix = ''): void {
    this.changes.advance(nowPs);
    this.countBytes();
    if (this.labels?.prefix !== prefix) this.labels = new LinkLabels(this.host, prefix);
    readLinks(readings, this.labels, this.links, this.memories, this.weakLinks, this.peerTurns, nowPs);
  }

  /** The settings of the ports and RNICs as they are now, which a program on the host could read. */
  readSettings(nowPs: number): PartSettings[] {
    this.changes.advance(nowPs);
    this.countBytes();
    return this.settings.read(this.links);
  }

  private build(key: string, rnic: string, placement: string): Route {
    const from = this.nodeIndex(rnic);
    const to = this.nodeIndex(placement);
    const way = this.wayOf(from, to);
    const path = new DmaPath({ name: `${rnic} to ${placement}`, readLatencyPs: 0, ...this.endsOf(rnic, to) });
    const route: Route = { rnic, from, to, path, way, models: this.modelsOn(way) };
    this.routes.set(key, route);
    this.use(route);
    // A link that one more device uses may have to be served on the paths of the others, too.
    for (const each of this.routes.values()) each.path.become(this.costs(each));
    return route;
  }

  /** What a path has for good, by the nodes at its ends. */
  private endsOf(rnic: string, to: number): Partial<DmaPathOptions> {
    const { kind, name } = this.host.nodes[to];
    const iommu = this.iommus.get(rnic) ?? null;
    return { ordered: kind !== 'gpu', memory: this.memoryOf(name), iommu, changes: this.changes };
  }

  private costs({ rnic, to, path, way }: Route): DmaPathOptions {
    const { constants, nodes } = this.host;
    const turn = this.turnOf(way, to);
    const oneWayNs = this.wayNs(way) + (turn >= 0 ? constants.peerTurnNs : 0);
    const servers = way.links.flatMap((link, index) => {
      const model = this.modelOf(link);
      return model.served && link.kind !== 'memory' ? [[model, way.nodes[index]] as const] : [];
    });
    const usesCredits = turn >= 0 && constants.peerPostedBytes > 0;
    return {
      name: `${rnic} to ${nodes[to].name}`,
      readLatencyPs: Math.round(2 * oneWayNs * 1000),
      outward: servers.map(([model, node]) => model.awayFrom(node)),
      inward: servers.map(([model, node]) => model.towards(node)).reverse(),
      ordered: path.ordered,
      shared: turn >= 0 ? this.peerTurn(turn) : this.weakLinkOn(way),
      postedBytes: usesCredits ? constants.peerPostedBytes : constants.postedBytes,
      // What turns in a root complex queues there beside the traffic of others: its credits come back irregularly.
      creditReturnPs: turn >= 0 ? 0 : Math.round(constants.interSocketWriteNs * 1000),
      creditQueuePs: turn >= 0 ? Math.round(oneWayNs * 1000) : 0,
    };
  }

  /** The socket in which peer traffic turns round; -1 for other traffic, and for what never comes to a socket. */
  private turnOf(way: HostWay, to: number): number {
    const { nodes } = this.host;
    return nodes[to].kind === 'gpu' ? (way.nodes.find((node) => nodes[node].kind === 'socket') ?? -1) : -1;
  }

  private peerTurn(socket: number): SharedLink | null {
    const { peerSharedGbps } = this.host.constants;
    return peerSharedGbps > 0 ? kept(this.peerTurns, socket, () => new SharedLink(peerSharedGbps)) : null;
  }

  private weakLinkOn(way: HostWay): SharedLink | null {
    const { interSocketSharedGbps } = this.host.constants;
    if (interSocketSharedGbps === 0 || this.ablated.has('cross-socket-link')) return null;
    const weak = way.links.find((link) => this.settings.isWeak(this.host.links.indexOf(link)));
    if (weak === undefined) return null;
    return kept(this.weakLinks, this.host.links.indexOf(weak), () => new SharedLink(interSocketSharedGbps));
  }

  /** The way between two nodes; peer traffic under one switch goes up to the root complex where a port sends it there. */
  private wayOf(from: number, to: number): HostWay {
    const { host } = this;
    const straight = shortestWay(host, from, to);
    if (host.nodes[to].kind !== 'gpu' || this.ablated.has('acs-redirect')) return straight;
    if (straight.nodes.some((node) => host.nodes[node].kind === 'socket')) return straight;
    if (!this.settings.redirects(straight, from)) return straight;
    const socket = nearestNode(host, from, 'socket');
    const up = shortestWay(host, from, socket);
    const down = shortestWay(host, socket, to);
    return {
      links: [...up.links, ...down.links],
      nodes: [...up.nodes, ...down.nodes.slice(1)],
      latencyNs: up.latencyNs + down.latencyNs,
    };
  }

  /** Latency of a way with what faults add. */
  private wayNs(way: HostWay): number {
    return way.links.reduce((sum, link) => sum + this.modelOf(link).addedLatencyNs, way.latencyNs);
  }

  /** Notes who uses the links of a path, and which of them must be served. */
  private use({ rnic, way }: Route): void {
    // The RNIC's own link is the device's port: what is no slower, and used by that device alone, never makes DMA wait.
    const portGbps = way.links[0]?.gbps ?? 0;
    for (const link of way.links) {
      const model = this.modelOf(link);
      model.users.add(rnic);
      if (model.users.size > 1 || link.gbps < portGbps) model.served = true;
    }
  }

  /** Settings or faults have changed: paths may lead elsewhere, or cost something else. */
  private refresh(): void {
    const { nowPs } = this.changes;
    this.version++;
    this.countBytes();
    this.links.forEach((model, index) => {
      model.suffer(this.settings.faultsOf(index), nowPs);
    });
    for (const [name, memory] of this.memories) {
      const node = this.nodeIndex(name);
      const link = this.host.links.findIndex(({ kind, ends }) => kind === 'memory' && ends.includes(node));
      const { rateShare, load } = this.settings.faultsOf(link);
      const present = 1 - this.settings.missingChannels(node) / this.host.links[link].channels;
      memory.degrade(rateShare, this.settings.slowestChannel(node), present);
      memory.setLoad(load, nowPs);
      memory.setCache(this.settings.cacheBytes(node));
    }
    for (const iommu of this.iommus.values()) iommu.walkPs = Math.round(1000 * this.settings.iommuWalkNs);
    for (const route of this.routes.values()) {
      route.way = this.wayOf(route.from, route.to);
      route.models = this.modelsOn(route.way);
      this.use(route);
    }
    for (const route of this.routes.values()) route.path.become(this.costs(route));
  }

  /** Gives the links on each path's way what that carried since the last time. */
  private countBytes(): void {
    for (const { path, way, models } of this.routes.values()) {
      for (let index = 0; index < models.length; index++) {
        const model = models[index];
        const near = way.nodes[index];
        model.awayFrom(near).carried(path.outBytes, path.outHeaderBytes, model.served);
        model.towards(near).carried(path.inBytes, path.inHeaderBytes, model.served);
        model.sentAgain(path.outPackets + path.inPackets);
      }
      path.clearCounts();
    }
  }

  private modelsOn(way: HostWay): readonly HostLinkModel[] {
    return way.links.map((link) => this.modelOf(link));
  }

  private modelOf(link: Host['links'][number]): HostLinkModel {
    return this.links[this.host.links.indexOf(link)];
  }

  /** The socket that a node hangs on. */
  private socketOf(name: string): number {
    return nearestNode(this.host, this.nodeIndex(name), 'socket');
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
}

function kept<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
