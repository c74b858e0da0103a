import type { FaultEffect, FaultPlace, Host, HostWay, Settings } from '../../profiles/index.js';
import { type HostLinkModel, type LinkFaults, NO_FAULTS } from './host-link.js';

/** What the configuration space of a part of a host says; a setting that the part does not have is absent. */
export interface PartSettings {
  /** A link, for the ports at its ends, or an RNIC. */
  readonly part: string;
  /** LnkSta of a PCIe link. */
  readonly lanes?: number;
  readonly generation?: number;
  /** Packets of a PCIe link that were sent again so far (AER). */
  readonly replays?: number;
  /** ACSCtl of the switch ports at a link. */
  readonly acs?: Settings['acs'];
  /** ATSCtl of an RNIC. */
  readonly ats?: Settings['ats'];
  /** DevCtl of an RNIC. */
  readonly maxPayloadBytes?: number;
  readonly maxReadRequestBytes?: number;
  readonly ordering?: Settings['ordering'];
  /** Whether programs that choose no socket run on that of an RNIC (its local cores against their mask). */
  readonly affinity?: 'local' | 'remote';
  /** Channels of a memory that have a module (DIMM list), and its DDIO. */
  readonly channels?: number;
  readonly ddio?: Settings['ddio'];
  /** Of the processors: the exit latency of the idle states that are allowed, and the share of the clock. */
  readonly coreWakeNs?: number;
  readonly coreClock?: number;
  /** Whether an IOMMU translates what devices address (kernel options, IOMMU groups). */
  readonly iommu?: 'passthrough' | 'translating';
  /** Whether RNICs can register memory of GPUs. */
  readonly peerMemory?: 'available' | 'unavailable';
}

/** The part that settings of a whole host belong to. */
export const WHOLE_HOST = 'host';

/** A fault that is there now. */
interface ActiveFault {
  readonly place: FaultPlace;
  readonly effect: FaultEffect;
}

/**
 * How the ports, links and memories of a host are set up, with the faults that are there now over that: the last one that
 * says something about a place wins, and shares of a rate multiply.
 */
export class HostSettings {
  private readonly host: Host;
  private readonly faults: ActiveFault[] = [];
  /** By node, for RNICs that have a setting of their own. */
  private readonly ats = new Map<number, Settings['ats']>();

  constructor(host: Host) {
    this.host = host;
  }

  setAts(node: number, ats: Settings['ats']): void {
    this.ats.set(node, ats);
  }

  /** A fault begins. Returns what ends it. */
  inject(place: FaultPlace, effect: FaultEffect): () => void {
    const fault = { place, effect };
    this.faults.push(fault);
    return () => {
      const index = this.faults.indexOf(fault);
      if (index >= 0) this.faults.splice(index, 1);
    };
  }

  /** What faults do to a link, all together. */
  faultsOf(link: number): LinkFaults {
    return this.faults.reduce<LinkFaults>((sum, { place, effect }) => {
      if (place.kind !== 'link' || place.link !== link) return sum;
      return {
        rateShare: sum.rateShare * (effect.rate ?? 1),
        addedLatencyNs: sum.addedLatencyNs + (effect.latencyNs ?? 0),
        generation: Math.min(sum.generation, effect.generation ?? sum.generation),
        lanes: Math.min(sum.lanes, effect.lanes ?? sum.lanes),
        replay: 1 - (1 - sum.replay) * (1 - (effect.replay ?? 0)),
        load: 1 - (1 - sum.load) * (1 - (effect.load ?? 0)),
      };
    }, NO_FAULTS);
  }

  /** What faults leave of the slowest channel of a memory. */
  slowestChannel(node: number): number {
    const shares = new Map<number, number>();
    for (const { place, effect } of this.faults) {
      if (place.kind !== 'channel' || place.node !== node) continue;
      shares.set(place.channel, (shares.get(place.channel) ?? 1) * (effect.rate ?? 1));
    }
    return Math.min(1, ...shares.values());
  }

  /** Channels of a memory that have no module. */
  missingChannels(node: number): number {
    const missing = this.faults.flatMap(({ place, effect }) =>
      place.kind === 'channel' && place.node === node && effect.presence === 'missing' ? [place.channel] : [],
    );
    return new Set(missing).size;
  }

  /** Why the memory of a node cannot be registered; null where it can. */
  whyUnusable(node: number): string | null {
    if (this.host.nodes[node].kind !== 'gpu') return null;
    const isThere = (place: FaultPlace) => place.kind === 'node' && place.node === node;
    if (this.last('presence', isThere) === 'missing') return 'the device does not answer';
    return this.last('peerMemory', () => false) === undefined ? null : 'no driver shares memory of GPUs';
  }

  /** Whether threads that choose no socket run on another one than an RNIC's. */
  isMisbound(rnic: number): boolean {
    return this.last('affinity', (place) => place.kind === 'node' && place.node === rnic) === 'remote';
  }

  /** How long a core that slept takes to wake, and at which share of their clock cores run. */
  get cores(): { wakeNs: number; clock: number } {
    const nowhere = () => false;
    return { wakeNs: this.last('coreWakeNs', nowhere) ?? 0, clock: this.last('coreClock', nowhere) ?? 1 };
  }

  /** How long the IOMMU takes for an address that it does not remember; 0: it translates none. */
  get iommuWalkNs(): number {
    return this.last('iommuWalkNs', () => false) ?? 0;
  }

  /** What DMA may fill of the last-level cache before a memory; 0 without DDIO. */
  cacheBytes(node: number): number {
    const { constants } = this.host;
    return this.ddioOf(node) === 'enabled'
      ? (constants.lastLevelCacheBytes * constants.ddioWays) / constants.lastLevelCacheWays
      : 0;
  }

  /** Whether a link between sockets carries DMA at the rate that both directions share. */
  isWeak(link: number): boolean {
    if (this.host.links[link].kind !== 'inter-socket') return false;
    const fault = this.last('interSocket', (place) => place.kind === 'link' && place.link === link);
    return (fault ?? this.host.settings.interSocket) === 'weak';
  }

  /**
   * Whether peer traffic of an RNIC on a way under one switch is sent up to the root complex: by ACS of a switch's port
   * on the way, or because its addresses are not translated.
   */
  redirects(way: HostWay, rnic: number): boolean {
    if (this.atsOf(rnic) === 'disabled') return true;
    return way.links.some((link, index) => {
      const ends = [way.nodes[index], way.nodes[index + 1]];
      const onSwitch = ends.filter((node) => this.host.nodes[node].kind === 'switch');
      return onSwitch.length > 0 && this.acsOf(this.host.links.indexOf(link), onSwitch) === 'redirect';
    });
  }

  /**
   * What can be read of the parts: state of every PCIe link, ACS of those at a switch, ATS of every RNIC, channels and
   * DDIO of every memory, and what belongs to the host as a whole.
   */
  read(models: readonly HostLinkModel[]): PartSettings[] {
    const { nodes, links } = this.host;
    const ports = links.flatMap(({ name, ends }, link): PartSettings[] => {
      const { training, replays } = models[link];
      if (training === null) return [];
      const switches = ends.filter((end) => nodes[end].kind === 'switch');
      const acs = switches.length === 0 ? {} : { acs: this.acsOf(link, switches) };
      return [{ part: name, ...training, replays: Math.round(replays), ...acs }];
    });
    const rnics = nodes.flatMap(({ name, kind }, node): PartSettings[] =>
      kind === 'rnic'
        ? [{ part: name, ats: this.atsOf(node), affinity: this.isMisbound(node) ? 'remote' : 'local' }]
        : [],
    );
    const memories = links.flatMap(({ kind, ends, channels }): PartSettings[] => {
      const memory = ends.find((end) => nodes[end].kind === 'memory');
      if (kind !== 'memory' || memory === undefined) return [];
      const present = channels - this.missingChannels(memory);
      return [{ part: nodes[memory].name, channels: present, ddio: this.ddioOf(memory) }];
    });
    const { wakeNs, clock } = this.cores;
    const peerMemory = this.last('peerMemory', () => false) ?? 'available';
    const iommu = this.iommuWalkNs > 0 ? 'translating' : 'passthrough';
    return [
      ...ports,
      ...rnics,
      ...memories,
      { part: WHOLE_HOST, coreWakeNs: wakeNs, coreClock: clock, iommu, peerMemory },
    ];
  }

  private ddioOf(node: number): Settings['ddio'] {
    const { settings } = this.host;
    return this.last('ddio', (place) => place.kind === 'node' && place.node === node) ?? settings.ddio;
  }

  private atsOf(rnic: number): Settings['ats'] {
    const fault = this.last('ats', (place) => place.kind === 'node' && place.node === rnic);
    return fault ?? this.ats.get(rnic) ?? this.host.settings.ats;
  }

  /** ACS of the ports of switches on a link. */
  private acsOf(link: number, switches: readonly number[]): Settings['acs'] {
    const fault = this.last(
      'acs',
      (place) =>
        (place.kind === 'link' && place.link === link) ||
        (place.kind === 'node' && switches.includes(place.node)),
    );
    return fault ?? this.host.links[link].acs ?? this.host.settings.acs;
  }

  /** What the last fault at a place, or at the host as a whole, says; undefined: none says anything. */
  private last<Name extends keyof FaultEffect>(
    name: Name,
    isThere: (place: FaultPlace) => boolean,
  ): FaultEffect[Name] | undefined {
    const found = this.faults.findLast(
      ({ place, effect }) => effect[name] !== undefined && (place.kind === 'host' || isThere(place)),
    );
    return found?.effect[name];
  }
}
