import fc from 'fast-check';
import type { Aeth } from '../ib/aeth.js';
import type { AtomicAckEth } from '../ib/atomic-ack-eth.js';
import type { AtomicEth } from '../ib/atomic-eth.js';
import type { Bth } from '../ib/bth.js';
import type { Cnp } from '../ib/cnp.js';
import type { Deth } from '../ib/deth.js';
import type { Grh } from '../ib/grh.js';
import type { Ieth } from '../ib/ieth.js';
import type { Immediate } from '../ib/immediate.js';
import { type ExtendedHeaderName, OPCODES, type OpcodeInfo } from '../ib/opcode.js';
import type { Reth } from '../ib/reth.js';
import type { Ethernet } from '../ip/ethernet.js';
import type { Ipv4 } from '../ip/ipv4.js';
import type { Ipv6 } from '../ip/ipv6.js';
import type { Udp } from '../ip/udp.js';
import type { RoceDatagram } from '../packet/datagram.js';
import type { RocePacket } from '../packet/packet.js';

/** Arbitraries of every meaning, over the whole range of every field. */

const bits = (count: number) => fc.nat({ max: 2 ** count - 1 });
const word64 = () => fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
const flag = fc.boolean();

export const ethernet: fc.Arbitrary<Ethernet> = fc.record({
  destination: bits(48),
  source: bits(48),
  tag: fc.option(fc.record({ priority: bits(3), dropEligible: flag, vlan: bits(12) })),
  etherType: fc.integer({ min: 0x0600, max: 0xffff }).filter((type) => type !== 0x8100),
});

export const ipv4: fc.Arbitrary<Ipv4> = fc.record({
  version: fc.constant(4 as const),
  source: bits(32),
  destination: bits(32),
  dscp: bits(6),
  ecn: bits(2),
  identification: bits(16),
  dontFragment: flag,
  timeToLive: bits(8),
  protocol: bits(8),
  payloadBytes: fc.nat({ max: 0xffff - 20 }),
});

export const ipv6: fc.Arbitrary<Ipv6> = fc.record({
  version: fc.constant(6 as const),
  source: bytes(16),
  destination: bytes(16),
  dscp: bits(6),
  ecn: bits(2),
  flowLabel: bits(20),
  hopLimit: bits(8),
  nextHeader: bits(8),
  payloadBytes: bits(16),
});

export const udp: fc.Arbitrary<Udp> = fc.record({
  sourcePort: bits(16),
  destinationPort: bits(16),
  payloadBytes: fc.nat({ max: 0xffff - 8 }),
  checksum: bits(16),
});

export const bth: fc.Arbitrary<Bth> = fc.record({
  opcode: fc.constantFrom(...OPCODES.map((info) => info.opcode)),
  solicitedEvent: flag,
  migrationRequest: flag,
  padBytes: bits(2),
  partitionKey: bits(16),
  fecn: flag,
  becn: flag,
  destinationQp: bits(24),
  ackRequest: flag,
  psn: bits(24),
});

export const deth: fc.Arbitrary<Deth> = fc.record({ queueKey: bits(32), sourceQp: bits(24) });

export const reth: fc.Arbitrary<Reth> = fc.record({
  virtualAddress: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  remoteKey: bits(32),
  dmaBytes: bits(32),
});

export const aeth: fc.Arbitrary<Aeth> = fc.oneof(
  fc.record({ kind: fc.constant('ack' as const), creditCode: bits(5), msn: bits(24) }),
  fc.record({ kind: fc.constant('rnr-nak' as const), timerCode: bits(5), msn: bits(24) }),
  fc.record({ kind: fc.constant('nak' as const), code: fc.nat({ max: 4 }), msn: bits(24) }),
);

export const atomicEth: fc.Arbitrary<AtomicEth> = fc.record({
  virtualAddress: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  remoteKey: bits(32),
  swapOrAdd: word64(),
  compare: word64(),
});

export const atomicAckEth: fc.Arbitrary<AtomicAckEth> = fc.record({ original: word64() });
export const immediate: fc.Arbitrary<Immediate> = fc.record({ value: bits(32) });
export const ieth: fc.Arbitrary<Ieth> = fc.record({ remoteKey: bits(32) });
export const cnp: fc.Arbitrary<Cnp> = fc.record({ destinationQp: bits(24), partitionKey: bits(16) });

export const grh: fc.Arbitrary<Grh> = fc.record({
  sourceGid: bytes(16),
  destinationGid: bytes(16),
  trafficClass: bits(8),
  flowLabel: bits(20),
  hopLimit: bits(8),
  nextHeader: bits(8),
  payloadBytes: bits(16),
});

const EXTENDED: Readonly<Record<ExtendedHeaderName, fc.Arbitrary<unknown> | null>> = {
  deth,
  reth,
  aeth,
  atomicEth,
  atomicAckEth,
  immediate,
  ieth,
  cnp: null,
};

/** A datagram of one opcode. */
export function datagramOf(info: OpcodeInfo): fc.Arbitrary<RoceDatagram> {
  const headers: Record<string, fc.Arbitrary<unknown>> = {};
  for (const name of info.headers) {
    const header = EXTENDED[name];
    if (header !== null) headers[name] = header;
  }
  return fc.record({
    bth: bth.map(({ padBytes: _, ...rest }) => ({ ...rest, opcode: info.opcode })),
    ...headers,
    payload: fc.uint8Array({ maxLength: info.hasPayload ? 64 : 0 }),
  }) as fc.Arbitrary<RoceDatagram>;
}

/** A packet of one opcode and IP version, with or without link header. */
export function packetOf(info: OpcodeInfo, version: 4 | 6): fc.Arbitrary<RocePacket> {
  const rest = fc.record({
    link: fc.option(ethernet.map(({ etherType: _, ...link }) => link)),
    ip:
      version === 4
        ? ipv4.map(({ protocol: _, payloadBytes: __, ...ip }) => ip)
        : ipv6.map(({ nextHeader: _, payloadBytes: __, ...ip }) => ip),
    udp: fc.record({ sourcePort: bits(16), checksummed: flag }),
  });
  return fc.tuple(rest, datagramOf(info)).map(([head, datagram]) => ({ ...head, ...datagram }));
}
