import type { Random } from '../../engine/random.js';
import type { Aeth } from '../ib/aeth.js';
import type { AtomicAckEth } from '../ib/atomic-ack-eth.js';
import type { AtomicEth } from '../ib/atomic-eth.js';
import type { Bth } from '../ib/bth.js';
import type { Cnp } from '../ib/cnp.js';
import type { Deth } from '../ib/deth.js';
import type { ExtendedHeaders } from '../ib/extended.js';
import type { Grh } from '../ib/grh.js';
import type { Ieth } from '../ib/ieth.js';
import type { Immediate } from '../ib/immediate.js';
import { OPCODES, type OpcodeInfo } from '../ib/opcode.js';
import type { Reth } from '../ib/reth.js';
import type { Ethernet } from '../ip/ethernet.js';
import type { Ipv4 } from '../ip/ipv4.js';
import type { Ipv6 } from '../ip/ipv6.js';
import type { Udp } from '../ip/udp.js';
import type { RoceDatagram } from '../packet/datagram.js';
import type { RocePacket } from '../packet/packet.js';

/** Random meanings of every header and packet, all of which can be emitted. */

/** The most payload bytes of a sample. */
const LARGEST_PAYLOAD_BYTES = 96;

/** As many random bits, 1 to 32. */
export function bits(random: Random, count: number): number {
  return random.nextUint32() >>> (32 - count);
}

function coin(random: Random): boolean {
  return bits(random, 1) === 1;
}

/** As many random bits as a safe integer. */
export function wide(random: Random, count: 48): number {
  return bits(random, count - 32) * 0x1_0000_0000 + random.nextUint32();
}

/** 64 random bits. */
export function word64(random: Random): bigint {
  return (BigInt(random.nextUint32()) << 32n) | BigInt(random.nextUint32());
}

/** Random bytes. */
export function randomBytes(random: Random, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 1) bytes[at] = bits(random, 8);
  return bytes;
}

/** A random Ethernet header. */
export function sampleEthernet(random: Random): Ethernet {
  return {
    destination: wide(random, 48),
    source: wide(random, 48),
    tag: coin(random)
      ? { priority: bits(random, 3), dropEligible: coin(random), vlan: bits(random, 12) }
      : null,
    etherType: random.pick([0x0800, 0x86dd, 0x8808, 0x8915]),
  };
}

/** A random IPv4 header. */
export function sampleIpv4(random: Random): Ipv4 {
  return {
    version: 4,
    source: random.nextUint32(),
    destination: random.nextUint32(),
    dscp: bits(random, 6),
    ecn: bits(random, 2),
    identification: bits(random, 16),
    dontFragment: coin(random),
    timeToLive: bits(random, 8),
    protocol: bits(random, 8),
    payloadBytes: random.nextInt(LARGEST_PAYLOAD_BYTES),
  };
}

/** A random IPv6 header. */
export function sampleIpv6(random: Random): Ipv6 {
  return {
    version: 6,
    source: randomBytes(random, 16),
    destination: randomBytes(random, 16),
    dscp: bits(random, 6),
    ecn: bits(random, 2),
    flowLabel: bits(random, 20),
    hopLimit: bits(random, 8),
    nextHeader: bits(random, 8),
    payloadBytes: random.nextInt(LARGEST_PAYLOAD_BYTES),
  };
}

/** A random UDP header. */
export function sampleUdp(random: Random): Udp {
  return {
    sourcePort: bits(random, 16),
    destinationPort: bits(random, 16),
    payloadBytes: random.nextInt(LARGEST_PAYLOAD_BYTES),
    checksum: bits(random, 16),
  };
}

/** A random base transport header. */
export function sampleBth(random: Random): Bth {
  return {
    opcode: random.pick(OPCODES).opcode,
    solicitedEvent: coin(random),
    migrationRequest: coin(random),
    padBytes: bits(random, 2),
    partitionKey: bits(random, 16),
    fecn: coin(random),
    becn: coin(random),
    destinationQp: bits(random, 24),
    ackRequest: coin(random),
    psn: bits(random, 24),
  };
}

/** A random datagram header. */
export function sampleDeth(random: Random): Deth {
  return { queueKey: random.nextUint32(), sourceQp: bits(random, 24) };
}

/** A random RDMA header. */
export function sampleReth(random: Random): Reth {
  return {
    virtualAddress: word64(random),
    remoteKey: random.nextUint32(),
    dmaBytes: random.nextUint32(),
  };
}

/** A random atomic header. */
export function sampleAtomicEth(random: Random): AtomicEth {
  return {
    virtualAddress: word64(random),
    remoteKey: random.nextUint32(),
    swapOrAdd: word64(random),
    compare: word64(random),
  };
}

/** A random acknowledge header. */
export function sampleAeth(random: Random): Aeth {
  const msn = bits(random, 24);
  const kind = random.nextInt(3);
  if (kind === 0) return { kind: 'ack', creditCode: bits(random, 5), msn };
  if (kind === 1) return { kind: 'rnr-nak', timerCode: bits(random, 5), msn };
  return { kind: 'nak', code: random.nextInt(5), msn };
}

/** A random atomic acknowledge header. */
export function sampleAtomicAckEth(random: Random): AtomicAckEth {
  return { original: word64(random) };
}

/** Random immediate data. */
export function sampleImmediate(random: Random): Immediate {
  return { value: random.nextUint32() };
}

/** A random invalidate header. */
export function sampleIeth(random: Random): Ieth {
  return { remoteKey: random.nextUint32() };
}

/** A random congestion notification. */
export function sampleCnp(random: Random): Cnp {
  return { destinationQp: bits(random, 24), partitionKey: bits(random, 16) };
}

/** A random global route header. */
export function sampleGrh(random: Random): Grh {
  return {
    sourceGid: randomBytes(random, 16),
    destinationGid: randomBytes(random, 16),
    trafficClass: bits(random, 8),
    flowLabel: bits(random, 20),
    hopLimit: bits(random, 8),
    nextHeader: bits(random, 8),
    payloadBytes: bits(random, 16),
  };
}

function sampleExtended(random: Random, info: OpcodeInfo): ExtendedHeaders {
  const headers: ExtendedHeaders = {};
  for (const name of info.headers) {
    if (name === 'deth') headers.deth = sampleDeth(random);
    else if (name === 'reth') headers.reth = sampleReth(random);
    else if (name === 'atomicEth') headers.atomicEth = sampleAtomicEth(random);
    else if (name === 'aeth') headers.aeth = sampleAeth(random);
    else if (name === 'atomicAckEth') headers.atomicAckEth = sampleAtomicAckEth(random);
    else if (name === 'immediate') headers.immediate = sampleImmediate(random);
    else if (name === 'ieth') headers.ieth = sampleIeth(random);
  }
  return headers;
}

/** A random datagram of one opcode. */
export function sampleDatagram(random: Random, info: OpcodeInfo = random.pick(OPCODES)): RoceDatagram {
  const { padBytes: _, ...bth } = sampleBth(random);
  return {
    bth: { ...bth, opcode: info.opcode },
    ...sampleExtended(random, info),
    payload: randomBytes(random, info.hasPayload ? random.nextInt(LARGEST_PAYLOAD_BYTES) : 0),
  };
}

/** A random packet of one opcode, with either IP version, framed and tagged or not. */
export function samplePacket(random: Random, framed: boolean, info?: OpcodeInfo): RocePacket {
  const { etherType: _, ...link } = sampleEthernet(random);
  const { protocol: __, payloadBytes: ___, ...ipv4 } = sampleIpv4(random);
  const { nextHeader: ____, payloadBytes: _____, ...ipv6 } = sampleIpv6(random);
  return {
    link: framed ? link : null,
    ip: coin(random) ? ipv4 : ipv6,
    udp: { sourcePort: bits(random, 16), checksummed: coin(random) },
    ...sampleDatagram(random, info),
  };
}
