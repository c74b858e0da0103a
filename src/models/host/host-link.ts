import { type HostLink, type PcieTraining, pcieLinkGbps } from '../../profiles/index.js';

/** What faults do to a link. */
export interface LinkFaults {
  /** What they leave of its rate. */
  readonly rateShare: number;
  readonly addedLatencyNs: number;
  /** A PCIe link trains to no more than this; Infinity: to what it can. */
  readonly generation: number;
  readonly lanes: number;
  /** The probability that a packet is damaged and sent again. */
  readonly replay: number;
  /** The share of it that traffic of others takes, each direction. */
  readonly load: number;
}

/** A link without faults. */
export const NO_FAULTS: LinkFaults = {
  rateShare: 1,
  addedLatencyNs: 0,
  generation: Number.POSITIVE_INFINITY,
  lanes: Number.POSITIVE_INFINITY,
  replay: 0,
  load: 0,
};

/** What one direction of a link has carried. */
export interface DirectionReading {
  /** The node that it leads to. */
  readonly towards: string;
  readonly bytes: number;
  /** Time that it was busy. */
  readonly busyNs: number;
  /** Time that DMA waited for others before it, summed. */
  readonly waitedNs: number;
  /** Bytes that wait for it now; only cables have a queue that is counted. */
  readonly queuedBytes?: number;
}

/**
 * One direction of a link as a server with a queue. As a `FluidServer` it remembers how much work waits and not which
 * slots of time are taken; unlike one it passes the first byte on at once, as PCIe, UPI and switches do.
 */
export class LinkDirection {
  psPerByte: number;
  /** Whether the headers of PCIe packets take its time, 1 or 0: between sockets there are none. */
  readonly headerShare: number;
  /** Bytes that it carried, and time that it worked and that DMA waited. */
  bytes = 0;
  busyPs = 0;
  waitedPs = 0;
  /** The part of a service that is work for it, and not waiting beside traffic of others. */
  private ownShare = 1;
  private backlogPs = 0;
  private updatedPs = 0;

  constructor(psPerByte: number, headerShare: number) {
    this.psPerByte = psPerByte;
    this.headerShare = headerShare;
  }

  /** Books a transfer that is issued now and arrives then; returns when the link begins to carry it. */
  book(nowPs: number, arrivalPs: number, servicePs: number): number {
    const waiting = this.backlogPs - (nowPs - this.updatedPs);
    const backlogPs = waiting > 0 ? waiting : 0;
    this.updatedPs = nowPs;
    this.backlogPs = backlogPs + servicePs;
    this.busyPs += servicePs * this.ownShare;
    const free = nowPs + backlogPs;
    if (free <= arrivalPs) return arrivalPs;
    this.waitedPs += free - arrivalPs;
    return free;
  }

  /**
   * What waits from now on is carried at another rate, of which traffic of others takes a share; transfers that were
   * given a time keep it.
   */
  setRate(psPerByte: number, load: number): void {
    this.ownShare = 1 - load;
    this.backlogPs *= psPerByte / this.psPerByte;
    this.psPerByte = psPerByte;
  }

  /** Takes the time of a transfer that makes others wait and never waits itself: a read request, a doorbell. */
  take(nowPs: number, servicePs: number): void {
    const waiting = this.backlogPs - (nowPs - this.updatedPs);
    this.updatedPs = nowPs;
    this.backlogPs = (waiting > 0 ? waiting : 0) + servicePs;
    this.busyPs += servicePs * this.ownShare;
  }

  /** How long the link needs for this many bytes of payload and headers. */
  servicePs(payloadBytes: number, headerBytes: number): number {
    return (payloadBytes + headerBytes * this.headerShare) * this.psPerByte;
  }

  /** Counts what paths carried; of links that are not served, the time that it took as well. */
  carried(payloadBytes: number, headerBytes: number, served: boolean): void {
    const bytes = payloadBytes + headerBytes * this.headerShare;
    this.bytes += bytes;
    if (!served) this.busyPs += bytes * this.psPerByte * this.ownShare;
  }
}

/** A link of a host with its two directions, its faults and those who use it. */
export class HostLinkModel {
  readonly link: HostLink;
  /** From the first end to the second, and back. */
  readonly directions: readonly [LinkDirection, LinkDirection];
  /** Devices whose DMA crosses it. */
  readonly users = new Set<string>();
  /** Whether DMA is served here; else it is left out of paths, since nothing can wait here. */
  served = false;
  /** Packets that were sent again, both directions. */
  replays = 0;
  private faults = NO_FAULTS;
  /** Time that traffic of others took in each direction up to a time, and that time. */
  private loadedPs = 0;
  private countedPs = 0;
  private readonly speedUp: number;

  constructor(link: HostLink, speedUp: number) {
    this.link = link;
    this.speedUp = speedUp;
    const psPerByte = this.psPerByte;
    const headerShare = link.kind === 'inter-socket' ? 0 : 1;
    this.directions = [new LinkDirection(psPerByte, headerShare), new LinkDirection(psPerByte, headerShare)];
  }

  /** The width and speed that a PCIe link trained to (LnkSta); null for another link. */
  get training(): PcieTraining | null {
    const { pcie } = this.link;
    if (pcie === null) return null;
    const { generation, lanes } = this.faults;
    return { generation: Math.min(pcie.generation, generation), lanes: Math.min(pcie.lanes, lanes) };
  }

  /**
   * The rate that is left, each direction: that of its width and speed, less what packets that are sent again take. A
   * packet is sent 1 / (1 - replay) times on average; that a damaged one takes those behind it along is left out.
   */
  get gbpsNow(): number {
    const { training, faults } = this;
    const { gbps } = this.link;
    const trainedGbps = training === null ? gbps : pcieLinkGbps(training.generation, training.lanes);
    return Math.min(gbps, trainedGbps) * this.speedUp * faults.rateShare * (1 - faults.replay);
  }

  /** What faults add to its latency, one way. */
  get addedLatencyNs(): number {
    return this.faults.addedLatencyNs;
  }

  /** Faults have come or gone at this time: a link that they slow is served from now on. */
  suffer(faults: LinkFaults, nowPs: number): void {
    this.countLoad(nowPs);
    const before = this.psPerByte;
    this.faults = faults;
    if (this.psPerByte === before) return;
    for (const direction of this.directions) direction.setRate(this.psPerByte, faults.load);
    this.served = true;
  }

  /** What traffic of others carried in a direction, and how long that took. */
  background(nowPs: number): { bytes: number; busyPs: number } {
    this.countLoad(nowPs);
    return { bytes: (this.loadedPs * this.gbpsNow) / 8000, busyPs: this.loadedPs };
  }

  /** What traffic of others leaves: it is carried beside DMA, packet by packet, and never gives way. */
  private get psPerByte(): number {
    return 8000 / (this.gbpsNow * (1 - this.faults.load));
  }

  private countLoad(nowPs: number): void {
    if (nowPs > this.countedPs) this.loadedPs += (nowPs - this.countedPs) * this.faults.load;
    this.countedPs = nowPs;
  }

  /** Counts the packets that were sent again, out of this many that crossed it. */
  sentAgain(packets: number): void {
    const { replay } = this.faults;
    this.replays += (packets * replay) / (1 - replay);
  }

  /** The direction that leads away from a node. */
  awayFrom(node: number): LinkDirection {
    return this.directions[this.link.ends[0] === node ? 0 : 1];
  }

  /** The direction that leads to a node. */
  towards(node: number): LinkDirection {
    return this.directions[this.link.ends[0] === node ? 1 : 0];
  }
}
