import { KelpieError } from '../../error.js';
import {
  ARP_BYTES,
  ArpView,
  ETHERNET_BYTES,
  ETHERTYPE_ARP,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  EthernetView,
  emitArp,
  emitEthernet,
  emitIpv4,
  emitIpv6,
  emitNeighbour,
  emitUdp,
  formatGid,
  formatMac,
  gidToIpv4,
  ICRC_BYTES,
  IPV4_BYTES,
  IPV6_BYTES,
  isRefusal,
  multicastMac,
  NEIGHBOUR_BYTES,
  NeighbourView,
  PROTOCOL_UDP,
  parseArp,
  parseNeighbour,
  ROCE_PORT,
  RocePacketView,
  sameGid,
  solicitedNodeAddress,
  UDP_BYTES,
} from '../../wire/index.js';
import { DatagramBatch } from '../datagram-batch.js';
import { isMapped } from '../icrc-flow.js';
import { type Link, type LinkAbilities, type LinkListener, SENT_FRAGMENT_WORD } from '../link.js';
import type { Schedule } from '../middleware/index.js';
import { NeighbourTable } from './neighbour-table.js';

/** What carries Ethernet frames, without their check sequence. */
export interface FrameCarrier {
  /** Sends a frame, or loses it. The bytes are the caller's again at the return. */
  sendFrame(frame: Uint8Array): void;
  /** Whether the port takes more frames now. */
  hasRoom(): boolean;
  close(): Promise<void>;
}

/** Who the station is. */
export interface EthernetOptions {
  name: string;
  /** 48 bits. */
  mac: number;
  /** Its addresses as GIDs, IPv4 as `::ffff:a.b.c.d`. All neighbours are reached directly: there is no router. */
  gids: readonly Uint8Array[];
  /** The largest IP packet of the network. */
  mtuBytes: number;
  sourcePort?: number;
}

const BROADCAST = 0xffff_ffff_ffff;
const DEFAULT_SOURCE_PORT = 0xc000;
const TIME_TO_LIVE = 64;
const ASK_EVERY_NS = 1e9;
const ASK_TIMES = 5;
const GID_BYTES = 16;
const IPV4_IN_GID = 12;
const MAPPED_PREFIX = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

/**
 * A link that is a station on an Ethernet: it answers ARP and neighbour solicitations, resolves its peers, and builds
 * and checks Ethernet, IPv4, IPv6 and UDP headers by itself. Every field that an ICRC covers is seen, so ICRCs are
 * verified in full.
 *
 * @example
 * const link = new EthernetLink(port, { name: 'tap', mac: parseMac('02:00:00:00:77:01'), gids, mtuBytes: 4500 }, schedule);
 * socket.on('message', (frame) => link.onFrame(frame));
 */
export class EthernetLink implements Link {
  readonly name: string;
  readonly abilities: LinkAbilities;
  readonly gids: readonly Uint8Array[];
  readonly sourcePort: number;
  readonly port = ROCE_PORT;
  private readonly frames: FrameCarrier;
  private readonly mac: number;
  private readonly schedule: Schedule;
  private readonly neighbours = new NeighbourTable();
  private readonly packet = new RocePacketView();
  private readonly ethernet = new EthernetView();
  private readonly arp = new ArpView();
  private readonly neighbour = new NeighbourView();
  private readonly batch: DatagramBatch;
  private readonly frame: Uint8Array;
  private readonly source = new Uint8Array(GID_BYTES);
  private readonly sourceWords = new Uint32Array(this.source.buffer);
  private listener: LinkListener | null = null;
  private closed = false;
  private readonly counts = {
    link_tx_datagrams: 0,
    link_tx_bytes: 0,
    link_tx_errors: 0,
    link_rx_datagrams: 0,
    link_rx_bytes: 0,
    link_rx_refused: 0,
    link_rx_resolution: 0,
  };

  constructor(frames: FrameCarrier, options: EthernetOptions, schedule: Schedule) {
    if (options.gids.length === 0) {
      throw new KelpieError('LINK_NO_ADDRESS', 'a station needs an address', {
        field: 'gids',
        given: 0,
        allowed: 'one and more',
      });
    }
    this.frames = frames;
    this.schedule = schedule;
    this.name = `${options.name} ${formatMac(options.mac)}`;
    this.mac = options.mac;
    this.gids = options.gids;
    this.sourcePort = options.sourcePort ?? DEFAULT_SOURCE_PORT;
    this.frame = new Uint8Array(ETHERNET_BYTES + options.mtuBytes + NEIGHBOUR_BYTES);
    this.batch = new DatagramBatch(1, new Uint8Array(65536));
    this.abilities = {
      ecnRead: true,
      ecnSet: true,
      icrc: { ipv4: 'full', ipv6: 'full' },
      icrcSent: { ipv4: true, ipv6: true },
      maxDatagramBytes: options.mtuBytes - IPV6_BYTES - UDP_BYTES,
      batching: 'single',
      limits: ['one frame a call', 'no router: peers must be on the same Ethernet'],
    };
  }

  createBatch(capacity: number, bytes: number): DatagramBatch {
    return new DatagramBatch(capacity, new Uint8Array(bytes));
  }

  start(listener: LinkListener): void {
    this.listener = listener;
  }

  send(batch: DatagramBatch, from: number): number {
    for (let index = from; index < batch.count; index++) {
      if (!this.frames.hasRoom()) return index;
      this.sendOne(batch, index);
    }
    return batch.count;
  }

  poll(): boolean {
    return false;
  }

  counters(): Readonly<Record<string, number>> {
    return { ...this.counts };
  }

  async close(): Promise<void> {
    this.closed = true;
    this.listener = null;
    await this.frames.close();
  }

  /** The port has room again. */
  writable(): void {
    if (!this.closed) this.listener?.writable();
  }

  /** The port failed for good. */
  failed(error: Error): void {
    this.listener?.failed(error);
  }

  /** A frame arrived. Never throws for what it contains. */
  onFrame(bytes: Uint8Array): void {
    if (this.closed || this.ethernet.wrap(bytes, 0, bytes.length) !== null) return;
    const { destination, etherType, headerBytes } = this.ethernet;
    this.ethernet.release();
    const multicast = Math.floor(destination / 2 ** 40) % 2 === 1;
    if (destination !== this.mac && !multicast) return;
    if (etherType === ETHERTYPE_ARP) this.onArp(bytes, headerBytes);
    else if (etherType === ETHERTYPE_IPV6 && bytes[headerBytes + 6] !== PROTOCOL_UDP)
      this.onNeighbour(bytes, headerBytes);
    else if (!multicast && (etherType === ETHERTYPE_IPV4 || etherType === ETHERTYPE_IPV6))
      this.onPacket(bytes);
  }

  private onPacket(bytes: Uint8Array): void {
    const { packet, source } = this;
    if (packet.wrapFrame(bytes, 0, bytes.length) !== null) {
      this.counts.link_rx_refused++;
      return;
    }
    const { ipOffset, ipVersion, udp } = packet;
    const addresses = ipVersion === 4 ? ipOffset + 12 : ipOffset + 8;
    const addressBytes = ipVersion === 4 ? 4 : GID_BYTES;
    const row = this.rowOf(bytes, addresses + addressBytes, ipVersion === 4);
    if (row < 0 || this.listener === null) {
      this.counts.link_rx_refused++;
      packet.release();
      return;
    }
    if (ipVersion === 4) {
      source.set(MAPPED_PREFIX);
      source.set(bytes.subarray(addresses, addresses + 4), IPV4_IN_GID);
    } else {
      source.set(bytes.subarray(addresses, addresses + GID_BYTES));
    }
    const { batch } = this;
    const from = ipOffset + (ipVersion === 4 ? IPV4_BYTES : IPV6_BYTES) + UDP_BYTES;
    const end = packet.datagram.icrcOffset + ICRC_BYTES;
    batch.clear();
    const at = batch.open(end - from);
    batch.bytes.set(bytes.subarray(from, end), at);
    const index = batch.commit(at + end - from, this.sourceWords, 0);
    batch.gidIndex[index] = row;
    batch.sourcePort[index] = udp.sourcePort;
    batch.trafficClass[index] = ipVersion === 4 ? packet.ipv4.typeOfService : packet.ipv6.trafficClass;
    if (ipVersion === 4) {
      const { identification, flagsAndFragment } = packet.ipv4;
      batch.fragmentWord[index] = ((identification << 16) | flagsAndFragment) >>> 0;
    }
    packet.release();
    this.counts.link_rx_datagrams++;
    this.counts.link_rx_bytes += end - from;
    this.listener.received(batch);
  }

  /** Which of our addresses stands there; -1 where it is none. */
  private rowOf(bytes: Uint8Array, at: number, version4: boolean): number {
    return this.gids.findIndex((gid) => {
      if (isMapped(gid) !== version4) return false;
      const from = version4 ? IPV4_IN_GID : 0;
      for (let byte = from; byte < GID_BYTES; byte++) if (gid[byte] !== bytes[at + byte - from]) return false;
      return true;
    });
  }

  private sendOne(batch: DatagramBatch, index: number): void {
    const bytes = batch.end[index] - batch.offset[index];
    const peer = batch.addressBytes.slice(GID_BYTES * index, GID_BYTES * (index + 1));
    const own = this.gids[batch.gidIndex[index]];
    if (own === undefined || isMapped(own) !== isMapped(peer) || bytes > this.abilities.maxDatagramBytes) {
      this.counts.link_tx_errors++;
      return;
    }
    const address = formatGid(peer);
    const mac = this.neighbours.macOf(address);
    const frame = this.frameOf(batch, index, own, peer, mac ?? 0);
    this.counts.link_tx_datagrams++;
    this.counts.link_tx_bytes += bytes;
    if (mac !== null) {
      this.frames.sendFrame(frame);
      return;
    }
    const held = this.neighbours.hold(address, frame.slice());
    if (held === 'full') this.counts.link_tx_errors++;
    else if (held === 'first') this.ask(address, own, peer, ASK_TIMES);
  }

  private frameOf(
    batch: DatagramBatch,
    index: number,
    own: Uint8Array,
    peer: Uint8Array,
    destination: number,
  ): Uint8Array {
    const { frame, mac } = this;
    const from = batch.offset[index];
    const datagramBytes = batch.end[index] - from;
    const trafficClass = batch.trafficClass[index];
    const [dscp, ecn] = [trafficClass >>> 2, trafficClass & 3];
    const payloadBytes = UDP_BYTES + datagramBytes;
    const version4 = isMapped(own);
    const etherType = version4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6;
    let at = emitEthernet({ source: mac, destination, tag: null, etherType }, frame, 0);
    at += version4
      ? emitIpv4(
          {
            version: 4,
            source: gidToIpv4(own) as number,
            destination: gidToIpv4(peer) as number,
            dscp,
            ecn,
            identification: SENT_FRAGMENT_WORD >>> 16,
            dontFragment: true,
            timeToLive: TIME_TO_LIVE,
            protocol: PROTOCOL_UDP,
            payloadBytes,
          },
          frame,
          at,
        )
      : emitIpv6(
          {
            version: 6,
            source: own,
            destination: peer,
            dscp,
            ecn,
            flowLabel: 0,
            hopLimit: TIME_TO_LIVE,
            nextHeader: PROTOCOL_UDP,
            payloadBytes,
          },
          frame,
          at,
        );
    // RoCEv2 has the ICRC and sends no UDP checksum, over IPv6 neither.
    const { sourcePort, port: destinationPort } = this;
    at += emitUdp({ sourcePort, destinationPort, payloadBytes: datagramBytes, checksum: 0 }, frame, at);
    frame.set(batch.bytes.subarray(from, batch.end[index]), at);
    return frame.subarray(0, at + datagramBytes);
  }

  /** Asks who has an address, again and again, and gives up in the end. */
  private ask(address: string, own: Uint8Array, peer: Uint8Array, times: number): void {
    if (this.closed || !this.neighbours.isAwaited(address)) return;
    if (times === 0) {
      this.counts.link_tx_errors += this.neighbours.giveUp(address);
      return;
    }
    const ipv4 = gidToIpv4(peer);
    if (ipv4 === null) this.sendNeighbour('solicitation', own, solicitedNodeAddress(peer), peer, null);
    else this.sendArp('request', gidToIpv4(own) as number, ipv4, BROADCAST);
    this.schedule(ASK_EVERY_NS, () => this.ask(address, own, peer, times - 1));
  }

  private learn(gid: Uint8Array, mac: number): void {
    for (const frame of this.neighbours.learn(formatGid(gid), mac)) {
      emitEthernet(
        {
          source: this.mac,
          destination: mac,
          tag: null,
          etherType: isMapped(gid) ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6,
        },
        frame,
        0,
      );
      this.frames.sendFrame(frame);
    }
  }

  private onArp(bytes: Uint8Array, offset: number): void {
    if (this.arp.wrap(bytes, offset, bytes.length) !== null) return;
    const message = parseArp(this.arp);
    this.arp.release();
    if (isRefusal(message)) return;
    const own = this.gids.find((gid) => isMapped(gid) && gidToIpv4(gid) === message.targetAddress);
    if (own === undefined) return;
    this.counts.link_rx_resolution++;
    const sender = new Uint8Array(GID_BYTES);
    sender.set(MAPPED_PREFIX);
    sender.set(bytes.subarray(offset + 14, offset + 18), IPV4_IN_GID);
    // Only who asks us, or whom we asked, is remembered: nobody can make us forget a neighbour by telling of many.
    const asked = message.operation === 'request' || this.neighbours.isAwaited(formatGid(sender));
    if (asked) this.learn(sender, message.senderMac);
    if (message.operation === 'request')
      this.sendArp('reply', message.targetAddress, message.senderAddress, message.senderMac);
  }

  private sendArp(operation: 'request' | 'reply', own: number, peer: number, mac: number): void {
    const frame = new Uint8Array(ETHERNET_BYTES + ARP_BYTES);
    emitEthernet({ source: this.mac, destination: mac, tag: null, etherType: ETHERTYPE_ARP }, frame, 0);
    emitArp(
      {
        operation,
        senderMac: this.mac,
        senderAddress: own,
        targetMac: operation === 'request' ? 0 : mac,
        targetAddress: peer,
      },
      frame,
      ETHERNET_BYTES,
    );
    this.frames.sendFrame(frame);
  }

  private onNeighbour(bytes: Uint8Array, offset: number): void {
    if (this.neighbour.wrap(bytes, offset, bytes.length) !== null) return;
    const message = parseNeighbour(this.neighbour);
    this.neighbour.release();
    if (isRefusal(message) || message.mac === null) return;
    if (message.kind === 'advertisement') {
      if (!this.neighbours.isAwaited(formatGid(message.target))) return;
      this.counts.link_rx_resolution++;
      this.learn(message.target, message.mac);
      return;
    }
    const own = this.gids.find((gid) => sameGid(gid, message.target));
    if (own === undefined) return;
    this.counts.link_rx_resolution++;
    this.learn(message.source, message.mac);
    this.sendNeighbour('advertisement', own, message.source, own, message.mac);
  }

  private sendNeighbour(
    kind: 'solicitation' | 'advertisement',
    own: Uint8Array,
    destination: Uint8Array,
    target: Uint8Array,
    mac: number | null,
  ): void {
    const frame = new Uint8Array(ETHERNET_BYTES + NEIGHBOUR_BYTES);
    const to = mac ?? multicastMac(destination);
    emitEthernet({ source: this.mac, destination: to, tag: null, etherType: ETHERTYPE_IPV6 }, frame, 0);
    const message = { kind, source: own, destination, target, mac: this.mac };
    const end = ETHERNET_BYTES + emitNeighbour(message, frame, ETHERNET_BYTES);
    this.frames.sendFrame(frame.subarray(0, end));
  }
}
