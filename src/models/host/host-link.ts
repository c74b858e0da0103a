import type { HostLink } from '../../profiles/index.js';

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
    this.busyPs += servicePs;
    const free = nowPs + backlogPs;
    if (free <= arrivalPs) return arrivalPs;
    this.waitedPs += free - arrivalPs;
    return free;
  }

  /** What waits from now on is carried at another rate; transfers that were given a time keep it. */
  setRate(psPerByte: number): void {
    this.backlogPs *= psPerByte / this.psPerByte;
    this.psPerByte = psPerByte;
  }

  /** Takes the time of a transfer that makes others wait and never waits itself: a read request, a doorbell. */
  take(nowPs: number, servicePs: number): void {
    const waiting = this.backlogPs - (nowPs - this.updatedPs);
    this.updatedPs = nowPs;
    this.backlogPs = (waiting > 0 ? waiting : 0) + servicePs;
    this.busyPs += servicePs;
  }

  /** How long the link needs for so many bytes of payload and headers. */
  servicePs(payloadBytes: number, headerBytes: number): number {
    return (payloadBytes + headerBytes * this.headerShare) * this.psPerByte;
  }

  /** Counts what paths carried; of links that are not served, the time that it took as well. */
  carried(payloadBytes: number, headerBytes: number, served: boolean): void {
    const bytes = payloadBytes + headerBytes * this.headerShare;
    this.bytes += bytes;
    if (!served) this.busyPs += bytes * this.psPerByte;
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
  /** What faults leave of its rate, and add to its latency. */
  rateShare = 1;
  addedLatencyNs = 0;
  private readonly gbps: number;

  constructor(link: HostLink, speedUp: number) {
    this.link = link;
    this.gbps = link.gbps * speedUp;
    const psPerByte = 8000 / this.gbps;
    const headerShare = link.kind === 'inter-socket' ? 0 : 1;
    this.directions = [new LinkDirection(psPerByte, headerShare), new LinkDirection(psPerByte, headerShare)];
  }

  /** The rate that faults leave, each direction. */
  get gbpsNow(): number {
    return this.gbps * this.rateShare;
  }

  /** Latency with what faults add, one way. */
  get latencyNs(): number {
    return this.link.latencyNs + this.addedLatencyNs;
  }

  /** Takes a new share of the rate over into the directions. */
  applyRate(): void {
    for (const direction of this.directions) direction.setRate(8000 / this.gbpsNow);
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
