import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  concatenate,
  emitPcapng,
  type PcapngPacket,
  pcapngInterface,
  pcapngPacket,
  pcapngSection,
} from './pcapng.js';
import { readPcapng } from './pcapng-reader.js';

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

describe('the pcapng writer', () => {
  it('writes a section header', () => {
    expect(hex(pcapngSection())).toBe('0a0d0d0a1c0000004d3c2b1a01000000ffffffffffffffff1c000000');
    expect(hex(pcapngSection({ application: 'kelpie' }))).toBe(
      '0a0d0d0a2c0000004d3c2b1a01000000ffffffffffffffff040006006b656c7069650000000000002c000000',
    );
  });

  it('writes an interface with nanosecond stamps', () => {
    expect(hex(pcapngInterface())).toBe(
      '01000000200000000100000000000000090001000900000000000000' + '20000000',
    );
    expect(hex(pcapngInterface({ name: 'p0', snapBytes: 64, linkType: 229 }))).toBe(
      '0100000028000000e50000004000000002000200703000000900010009000000' + '00000000' + '28000000',
    );
  });

  it('writes a packet', () => {
    const packet = {
      interfaceId: 1,
      timeNs: 0x1_0000_0002n,
      bytes: Uint8Array.of(1, 2, 3, 4, 5),
      originalBytes: 9,
    };
    expect(hex(pcapngPacket(packet))).toBe(
      '060000002800000001000000010000000200000005000000090000000102030405000000' + '28000000',
    );
    expect(hex(pcapngPacket({ ...packet, comment: 'hé' }))).toBe(
      '0600000034000000010000000100000002000000050000000900000001020304050000000100030068c3a90000000000' +
        '34000000',
    );
  });

  it('takes a time as a number or as a bigint', () => {
    const bytes = new Uint8Array(4);
    expect(pcapngPacket({ interfaceId: 0, timeNs: 1_700_000_000_123_456, bytes })).toEqual(
      pcapngPacket({ interfaceId: 0, timeNs: 1_700_000_000_123_456n, bytes }),
    );
  });

  it('throws for what does not fit', () => {
    const packet: PcapngPacket = { interfaceId: 0, timeNs: 0, bytes: new Uint8Array(4) };
    expect(() => pcapngPacket({ ...packet, timeNs: -1 })).toThrowError(/timeNs/);
    expect(() => pcapngPacket({ ...packet, timeNs: 0.5 })).toThrowError(/timeNs/);
    expect(() => pcapngPacket({ ...packet, timeNs: 1n << 64n })).toThrowError(/timeNs/);
    expect(() => pcapngPacket({ ...packet, originalBytes: 3 })).toThrowError(/originalBytes/);
    expect(() => pcapngPacket({ ...packet, comment: 'x'.repeat(65536) })).toThrowError(/comment/);
    expect(() => pcapngInterface({ linkType: 65536 })).toThrowError(/linkType/);
    expect(() => emitPcapng([{}], [{ ...packet, interfaceId: 1 }])).toThrowError(/interfaceId/);
  });

  it('writes what the reader reads', () => {
    const packet = fc.record({
      interfaceId: fc.integer({ min: 0, max: 2 }),
      timeNs: fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
      bytes: fc.uint8Array({ maxLength: 40 }),
      cutBytes: fc.nat(100),
      comment: fc.option(fc.string({ unit: 'grapheme', maxLength: 10 }), { nil: undefined }),
      direction: fc.option(fc.constantFrom('inbound', 'outbound'), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(packet, { maxLength: 8 }), (drawn) => {
        const packets = drawn.map(({ cutBytes, ...rest }) => ({
          ...rest,
          originalBytes: rest.bytes.length + cutBytes,
        }));
        const interfaces = [{ name: 'a' }, { comment: 'b' }, { linkType: 7, snapBytes: 9 }];
        const whole = emitPcapng(interfaces, packets, { application: 'test', comment: 'c' });
        const capture = readPcapng(whole);
        expect(capture.refusal).toBeNull();
        expect(capture.readBytes).toBe(whole.length);
        expect(capture.interfaces.map(({ name }) => name)).toEqual(['a', null, null]);
        expect(capture.interfaces[1].comments).toEqual(['b']);
        expect(capture.interfaces[2]).toMatchObject({ linkType: 7, snapBytes: 9, timestampResolution: 9 });
        const expected = packets.map(({ comment, ...rest }) => ({
          ...rest,
          direction: rest.direction ?? null,
          comments: comment === undefined ? [] : [comment],
        }));
        expect(capture.packets.map((read) => ({ ...read, bytes: Uint8Array.from(read.bytes) }))).toEqual(
          expected,
        );
      }),
    );
  });
});

describe('concatenate', () => {
  it('joins runs in order', () => {
    expect(concatenate([Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3)])).toEqual(
      Uint8Array.of(1, 2, 3),
    );
  });
});
