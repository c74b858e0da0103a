import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal, refusal } from '../bytes/refusal.js';
import { cnpBth } from '../ib/cnp.js';
import { computeIcrc, writeIcrc } from '../ib/icrc.js';
import { OPCODE, OPCODES } from '../ib/opcode.js';
import { packetOf } from '../testing/arbitrary.test.data.js';
import { parseRoceDatagram } from './datagram.js';
import {
  CNP_FRAME,
  fromHex,
  GOLDEN_FRAMES,
  RC_WRITE_FRAME,
  toHex,
  UC_SEND_IPV6_FRAME,
} from './golden.test.data.js';
import {
  datagramIcrc,
  emitRocePacket,
  parseRoceIpPacket,
  parseRocePacket,
  type RocePacket,
  roceDatagramOffset,
  rocePacketBytes,
  verifyIcrc,
} from './packet.js';
import { RocePacketView } from './packet-view.js';

function parsed(frame: string): RocePacket {
  const packet = parseRocePacket(fromHex(frame));
  if (isRefusal(packet)) throw new Error(String(packet));
  return packet;
}

function emitted(packet: RocePacket): Uint8Array {
  // Not zero, so that pad and reserved bytes that emit leaves out are seen.
  const bytes = new Uint8Array(rocePacketBytes(packet)).fill(0xaa);
  expect(emitRocePacket(packet, bytes, 0)).toBe(bytes.length);
  return bytes;
}

/** A frame with some bytes replaced and its ICRC made right again. */
function forged(frame: string, changes: Record<number, number>): Uint8Array {
  const bytes = fromHex(frame);
  for (const [at, value] of Object.entries(changes)) bytes[Number(at)] = value;
  writeIcrc(bytes, bytes.length - 4, computeIcrc(bytes, 14, bytes.length - 4));
  return bytes;
}

describe('golden frames', () => {
  it.each(GOLDEN_FRAMES)('$name is read, verified, and written byte by byte', ({ frame }) => {
    expect(verifyIcrc(fromHex(frame))).toBeNull();
    expect(toHex(emitted(parsed(frame)))).toBe(toHex(fromHex(frame)));
  });

  it('means what the capture says', () => {
    expect(parsed(RC_WRITE_FRAME)).toEqual({
      link: { destination: 0x123456789abc, source: 0x7cb27d62c1ef, tag: null },
      ip: {
        version: 4,
        source: 0xc0a80201,
        destination: 0xc0a80202,
        dscp: 0,
        ecn: 0,
        identification: 1,
        dontFragment: false,
        timeToLive: 64,
      },
      udp: { sourcePort: 500, checksummed: true },
      bth: {
        opcode: OPCODE.RC_WRITE_ONLY,
        solicitedEvent: false,
        migrationRequest: false,
        partitionKey: 0xffff,
        fecn: false,
        becn: false,
        destinationQp: 2,
        ackRequest: false,
        psn: 0,
      },
      reth: { virtualAddress: 0x1230n, remoteKey: 0, dmaBytes: 16 },
      payload: Uint8Array.from({ length: 16 }, (_, index) => index),
    });
    const { padBytes: _, ...bth } = cnpBth({ destinationQp: 0x118, partitionKey: 0xffff });
    expect(parsed(CNP_FRAME).bth).toEqual(bth);
    expect(parsed(UC_SEND_IPV6_FRAME).payload).toHaveLength(18);
  });
});

describe.each([4, 6] as const)('over IPv%i', (version) => {
  it.each(OPCODES)('$name parses back what was emitted', (info) => {
    fc.assert(
      fc.property(packetOf(info, version), (packet) => {
        const bytes = emitted(packet);
        const again = packet.link === null ? parseRoceIpPacket(bytes) : parseRocePacket(bytes);
        expect(again).toEqual(packet);
        const offset = roceDatagramOffset(packet);
        const datagram = parseRoceDatagram(bytes, offset);
        const { link: _, ip, udp, ...rest } = packet;
        const icrc = datagramIcrc(ip, udp.sourcePort, bytes, offset);
        expect(datagram).toEqual({ ...rest, icrc });
      }),
      { numRuns: 40 },
    );
  });

  it('any flipped bit that the ICRC covers is refused', () => {
    const info = OPCODES.find((each) => each.opcode === OPCODE.RC_WRITE_ONLY) as (typeof OPCODES)[number];
    const [sample] = fc.sample(packetOf(info, version), { numRuns: 1, seed: 7 });
    const bytes = emitted({ ...sample, link: null, udp: { sourcePort: 0xc000, checksummed: false } });
    const bthOffset = (version === 4 ? 20 : 40) + 8;
    for (let bit = 8 * (bthOffset + 5); bit < 8 * bytes.length; bit += 1) {
      bytes[bit >> 3] ^= 1 << (bit & 7);
      expect(isRefusal(parseRoceIpPacket(bytes)), `bit ${bit}`).toBe(true);
      bytes[bit >> 3] ^= 1 << (bit & 7);
    }
    expect(isRefusal(parseRoceIpPacket(bytes))).toBe(false);
  });
});

describe('refusals', () => {
  it('of a wrong ICRC, unless it is to be ignored', () => {
    const frame = fromHex(RC_WRITE_FRAME.replace('ca47470e', 'ca47470f'));
    // The UDP checksum covers the ICRC, so it is taken out first.
    frame[40] = 0;
    frame[41] = 0;
    expect(parseRocePacket(frame)).toBe(refusal('icrc', 'bad-icrc'));
    expect(verifyIcrc(frame)).toBe(refusal('icrc', 'bad-icrc'));
    expect(isRefusal(parseRocePacket(frame, { ignoreIcrc: true }))).toBe(false);
  });

  it.each([
    ['udp: bad-checksum', RC_WRITE_FRAME, { 41: 0xa7 }],
    ['ethernet: wrong-protocol', CNP_FRAME, { 12: 0x88, 13: 0x08 }],
    ['ip: bad-version', CNP_FRAME, { 12: 0x86, 13: 0xdd }],
    ['udp: wrong-port', CNP_FRAME, { 37: 0xb8 }],
    ['udp: bad-length', CNP_FRAME, { 39: 0x27 }],
    ['udp: oversized', CNP_FRAME, { 39: 0x29 }],
    ['bth: unknown-opcode', CNP_FRAME, { 42: 0x82 }],
    ['bth: bad-version', CNP_FRAME, { 43: 0x01 }],
    ['roce: bad-length', CNP_FRAME, { 43: 0x10 }],
    ['roce: bad-length', CNP_FRAME, { 42: 0x11 }],
    ['roce: truncated', CNP_FRAME, { 42: 0x13 }],
  ] as const)('%s', (why, frame, changes) => {
    expect(String(parseRocePacket(forged(frame, changes)))).toBe(why);
  });

  it('of a padded payload that is no multiple of four bytes', () => {
    const datagram = fromHex('2460ffff000000d300cf1710 0102030405060708 00000000');
    expect(parseRoceDatagram(datagram)).toMatchObject({ payload: Uint8Array.of(1, 2, 3, 4, 5, 6) });
    for (const size of [23, 22, 21]) {
      expect(parseRoceDatagram(datagram, 0, size)).toBe(refusal('roce', 'bad-length'));
    }
  });

  it('of IPv6 with something between it and UDP', () => {
    expect(String(parseRocePacket(forged(UC_SEND_IPV6_FRAME, { 20: 0 })))).toBe('ip: wrong-protocol');
  });

  it('of every truncation, and of none of the trailing bytes', () => {
    for (const { frame } of GOLDEN_FRAMES) {
      const bytes = fromHex(frame);
      for (let size = 0; size < bytes.length; size += 1) {
        expect(isRefusal(parseRocePacket(bytes.subarray(0, size))), `${size}`).toBe(true);
      }
      const longer = new Uint8Array(bytes.length + 9).fill(0xee);
      longer.set(bytes);
      expect(parseRocePacket(longer)).toEqual(parsed(frame));
    }
  });

  it('leave the view pointing at nothing', () => {
    const view = new RocePacketView();
    const bytes = fromHex(RC_WRITE_FRAME);
    expect(view.wrapFrame(bytes, 0, bytes.length)).toBeNull();
    expect(view.datagram.extended.reth.virtualAddress).toBe(0x1230n);
    expect(view.datagram.extended.deth.queueKey).toBe(0);
    expect(view.wrapFrame(bytes, 0, 60)).not.toBeNull();
    expect(view.datagram.bth.destinationQp).toBe(0);
    expect(view.datagram.extended.reth.virtualAddress).toBe(0n);
  });
});

describe('what cannot be emitted', () => {
  const write = parsed(RC_WRITE_FRAME);
  const room = new Uint8Array(70_000);

  it.each([
    ['a missing header', { reth: undefined }, 'WIRE_WRONG_HEADERS', 'reth'],
    ['a header too many', { immediate: { value: 1 } }, 'WIRE_WRONG_HEADERS', 'immediate'],
    [
      'a payload that IP cannot count',
      { payload: new Uint8Array(65_500) },
      'WIRE_FIELD_OUT_OF_RANGE',
      'payload.length',
    ],
    ['an unknown opcode', { bth: { ...write.bth, opcode: 0x1f } }, 'WIRE_FIELD_OUT_OF_RANGE', 'bth.opcode'],
    [
      'a payload where none belongs',
      { bth: { ...write.bth, opcode: OPCODE.RC_READ_REQUEST } },
      'WIRE_WRONG_HEADERS',
      'payload.length',
    ],
  ] as const)('%s', (_, change, code, field) => {
    expect(() => emitRocePacket({ ...write, ...change }, room, 0)).toThrowError(
      expect.objectContaining({ code, field }),
    );
  });

  it('into too small a buffer', () => {
    const size = rocePacketBytes(write);
    expect(() => emitRocePacket(write, new Uint8Array(size - 1), 0)).toThrowError(
      expect.objectContaining({ code: 'WIRE_NO_ROOM' }),
    );
    expect(() => emitRocePacket(write, new Uint8Array(size), 1)).toThrowError(
      expect.objectContaining({ code: 'WIRE_NO_ROOM' }),
    );
  });

  it('the largest packet of each IP version fits to the byte', () => {
    for (const frame of [RC_WRITE_FRAME, UC_SEND_IPV6_FRAME]) {
      const packet = parsed(frame);
      const headers = rocePacketBytes({ ...packet, payload: new Uint8Array(0) }) - 14;
      const counted = packet.ip.version === 4 ? headers : headers - 40;
      const payload = new Uint8Array((0xffff - counted) & ~3);
      const bytes = emitted({ ...packet, payload });
      expect(parseRocePacket(bytes)).toEqual({ ...packet, payload });
      expect(() =>
        emitRocePacket({ ...packet, payload: new Uint8Array(payload.length + 4) }, room, 0),
      ).toThrowError(expect.objectContaining({ field: 'payload.length' }));
    }
  });
});
