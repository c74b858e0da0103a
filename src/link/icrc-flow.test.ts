import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  crc32Update,
  emitRocePacket,
  gidFromIpv4,
  ICRC_BYTES,
  IPV4_BYTES,
  IPV6_BYTES,
  OPCODE,
  parseGid,
  type RoceIp,
  type RocePacket,
  readIcrc,
  rocePacketBytes,
  UDP_BYTES,
} from '../wire/index.js';
import { IcrcFlow, isMapped } from './icrc-flow.js';
import { IdentificationBasis } from './identification-basis.js';

const ONE = gidFromIpv4(0x0a4d0001);
const OTHER = gidFromIpv4(0x0a4d0002);
const SIX = parseGid('fd00::1');
const SIX_OTHER = parseGid('fd00::2');

function packetOf(ip: RoceIp, sourcePort: number, payload: Uint8Array): Uint8Array {
  const packet: RocePacket = {
    link: null,
    ip,
    udp: { sourcePort, checksummed: false },
    bth: {
      opcode: OPCODE.RC_SEND_ONLY,
      solicitedEvent: false,
      migrationRequest: true,
      partitionKey: 0xffff,
      fecn: true,
      becn: false,
      destinationQp: 0x123456,
      ackRequest: true,
      psn: 0xabcdef,
    },
    payload,
  };
  const bytes = new Uint8Array(rocePacketBytes(packet));
  emitRocePacket(packet, bytes, 0);
  return bytes;
}

function ipv4(identification: number): RoceIp {
  return {
    version: 4,
    dscp: 5,
    ecn: 3,
    identification,
    dontFragment: true,
    timeToLive: 17,
    source: 0x0a4d0001,
    destination: 0x0a4d0002,
  };
}

const payloads = fc.integer({ min: 0, max: 1024 }).map((words) => new Uint8Array(4 * words).fill(words));

// Goal: the ICRC from columns equals the ICRC over the whole packet, and what the identification hides is solved for.
// Method: packets that the wire emits, every identification and length.
describe('IcrcFlow', () => {
  it('agrees with the ICRC of a whole IPv4 packet with identification 0', () => {
    const flow = new IcrcFlow(4791, crc32Update);
    fc.assert(
      fc.property(payloads, fc.integer({ min: 0, max: 0xffff }), (payload, sourcePort) => {
        const bytes = packetOf(ipv4(0), sourcePort, payload);
        flow.set(ONE, OTHER, sourcePort);
        const end = bytes.length - ICRC_BYTES;
        expect(flow.icrcOf(bytes, IPV4_BYTES + UDP_BYTES, end)).toBe(readIcrc(bytes, end));
        expect(flow.isIpv4).toBe(true);
      }),
    );
  });

  it('agrees with the ICRC of a whole IPv6 packet', () => {
    const flow = new IcrcFlow(4791, crc32Update);
    flow.set(SIX, SIX_OTHER, 0xc001);
    fc.assert(
      fc.property(payloads, (payload) => {
        const ip: RoceIp = {
          version: 6,
          dscp: 5,
          ecn: 3,
          flowLabel: 77,
          hopLimit: 9,
          source: SIX,
          destination: SIX_OTHER,
        };
        const bytes = packetOf(ip, 0xc001, payload);
        const end = bytes.length - ICRC_BYTES;
        expect(flow.icrcOf(bytes, IPV6_BYTES + UDP_BYTES, end)).toBe(readIcrc(bytes, end));
      }),
    );
  });

  it('finds the identification of a packet, and says what it changes', () => {
    const flow = new IcrcFlow(4791, crc32Update);
    flow.set(ONE, OTHER, 0xc123);
    const identifications = new IdentificationBasis();
    fc.assert(
      fc.property(payloads, fc.integer({ min: 0, max: 0xffff }), (payload, identification) => {
        const bytes = packetOf(ipv4(identification), 0xc123, payload);
        const start = IPV4_BYTES + UDP_BYTES;
        const end = bytes.length - ICRC_BYTES;
        const difference = (readIcrc(bytes, end) ^ flow.icrcOf(bytes, start, end)) >>> 0;
        expect(identifications.solve(difference, bytes.length - start)).toBe(identification);
        expect(identifications.effect(identification << 16, bytes.length - start)).toBe(difference);
      }),
    );
  });

  it('lets one damaged packet in 65536 pass where it must solve', () => {
    const identifications = new IdentificationBasis();
    let passed = 0;
    const tries = 1 << 20;
    for (let index = 0; index < tries; index++) {
      if (identifications.solve(Math.imul(index, 0x9e3779b1) >>> 0, 1040) >= 0) passed++;
    }
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan((4 * tries) / 65536);
  });

  it('tells IPv4 in the form of a GID from IPv6', () => {
    expect(isMapped(ONE)).toBe(true);
    expect(isMapped(SIX)).toBe(false);
    expect(isMapped(parseGid('::fffe:10.0.0.1'))).toBe(false);
  });
});
