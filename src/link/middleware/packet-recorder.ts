import { pcapngInterface, pcapngPacket, pcapngSection } from '../../wire/capture/pcapng.js';
import { type Gid, gidToIpv4 } from '../../wire/ib/gid.js';
import { ETHERNET_BYTES, ETHERTYPE_IPV4, ETHERTYPE_IPV6, emitEthernet } from '../../wire/ip/ethernet.js';
import { emitIpv4, IPV4_BYTES, PROTOCOL_UDP } from '../../wire/ip/ipv4.js';
import { emitIpv6, IPV6_BYTES } from '../../wire/ip/ipv6.js';
import { emitUdp, UDP_BYTES } from '../../wire/ip/udp.js';

/** One end of a recorded packet. */
export interface RecordedEnd {
  gid: Gid;
  udpPort: number;
}

/** What is known of a packet besides its bytes. */
export interface RecordedPacket {
  timeNs: number | bigint;
  source: RecordedEnd;
  destination: RecordedEnd;
  trafficClass: number;
  /** IPv4's identification; 0 where it is not known. */
  identification: number;
}

/** Where a recorder saw a packet. */
export interface RecordedAt {
  /** As {@link PacketRecorder.addInterface} numbered it. */
  interfaceId: number;
  direction: 'inbound' | 'outbound';
}

/** A locally administered unicast address. */
const LOCAL_MAC = 0x02_00_00_00_00_00;
const HEAD_BYTES = ETHERNET_BYTES + IPV6_BYTES + UDP_BYTES;
const TIME_TO_LIVE = 64;

/**
 * Writes RoCEv2 datagrams as a pcapng capture. The datagram is the bytes that passed; the Ethernet, IP and UDP headers
 * around it are made from what is known of the packet, since links below the device need not have any.
 *
 * @example
 * const recorder = new PacketRecorder('udp 127.0.0.1:4791', (bytes) => file.write(bytes));
 */
export class PacketRecorder {
  packets = 0;
  private readonly name: string;
  private readonly mostPackets: number;
  private interfaces = 0;
  /** The interface of packets without one of their own; -1 before the first of them. */
  private common = -1;
  private readonly write: (bytes: Uint8Array) => void;
  private frame = new Uint8Array(HEAD_BYTES + 8192);

  /** Records up to `mostPackets` packets and lets the rest pass; `name` is the interface of all that has no other. */
  constructor(
    name: string,
    write: (bytes: Uint8Array) => void,
    mostPackets: number = Number.POSITIVE_INFINITY,
    application = 'kelpie',
  ) {
    this.name = name;
    this.write = write;
    this.mostPackets = mostPackets;
    write(pcapngSection({ application }));
  }

  /** Whether it has as many packets as it takes. */
  get isFull(): boolean {
    return this.packets >= this.mostPackets;
  }

  /** Describes an interface, such as the port of a host, and gives its number. */
  addInterface(name: string): number {
    this.write(pcapngInterface({ name }));
    return this.interfaces++;
  }

  /** Records the datagram `bytes[offset, end)`, from its BTH to its ICRC. */
  record(packet: RecordedPacket, bytes: Uint8Array, offset: number, end: number, at?: RecordedAt): void {
    const datagramBytes = end - offset;
    if (this.isFull) return;
    if (this.frame.length < HEAD_BYTES + datagramBytes)
      this.frame = new Uint8Array(HEAD_BYTES + datagramBytes);
    const headBytes = this.head(packet, datagramBytes);
    this.frame.set(bytes.subarray(offset, end), headBytes);
    this.recordFrame(packet.timeNs, this.frame.subarray(0, headBytes + datagramBytes), at);
  }

  /** Records a whole Ethernet frame without its check sequence. */
  recordFrame(timeNs: number | bigint, bytes: Uint8Array, at?: RecordedAt): void {
    if (this.isFull) return;
    if (at === undefined && this.common < 0) this.common = this.addInterface(this.name);
    this.packets++;
    this.write(pcapngPacket({ interfaceId: this.common, ...at, timeNs, bytes }).slice());
  }

  private head({ source, destination, ...packet }: RecordedPacket, datagramBytes: number): number {
    const { frame } = this;
    const from = gidToIpv4(source.gid);
    const to = gidToIpv4(destination.gid);
    const payloadBytes = UDP_BYTES + datagramBytes;
    const version4 = from !== null && to !== null;
    let at = emitEthernet(
      {
        source: macOf(source.gid),
        destination: macOf(destination.gid),
        tag: null,
        etherType: version4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6,
      },
      frame,
      0,
    );
    if (version4) {
      emitIpv4(
        {
          version: 4,
          source: from,
          destination: to,
          dscp: packet.trafficClass >>> 2,
          ecn: packet.trafficClass & 3,
          identification: packet.identification,
          dontFragment: true,
          timeToLive: TIME_TO_LIVE,
          protocol: PROTOCOL_UDP,
          payloadBytes,
        },
        frame,
        at,
      );
      at += IPV4_BYTES;
    } else {
      emitIpv6(
        {
          version: 6,
          source: source.gid,
          destination: destination.gid,
          dscp: packet.trafficClass >>> 2,
          ecn: packet.trafficClass & 3,
          flowLabel: 0,
          hopLimit: TIME_TO_LIVE,
          nextHeader: PROTOCOL_UDP,
          payloadBytes,
        },
        frame,
        at,
      );
      at += IPV6_BYTES;
    }
    const { udpPort: sourcePort } = source;
    const { udpPort: destinationPort } = destination;
    return at + emitUdp({ sourcePort, destinationPort, payloadBytes: datagramBytes, checksum: 0 }, frame, at);
  }
}

/** The MAC address that captures give to a GID: ends are told apart by the ends of their addresses. */
export function macOf(gid: Gid): number {
  return LOCAL_MAC + gid[12] * 2 ** 24 + (gid[13] << 16) + (gid[14] << 8) + gid[15];
}
