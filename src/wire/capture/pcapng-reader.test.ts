import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatenate, pcapngInterface, pcapngPacket, pcapngSection } from './pcapng.js';
import { readPcapng } from './pcapng-reader.js';

/** Builds blocks in either byte order, apart from the writer under test. */
function blocks(littleEndian: boolean) {
  const u16 = (value: number) => {
    const bytes = new Uint8Array(2);
    new DataView(bytes.buffer).setUint16(0, value, littleEndian);
    return bytes;
  };
  const u32 = (value: number) => {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value, littleEndian);
    return bytes;
  };
  const pad = (bytes: Uint8Array) => concatenate([bytes, new Uint8Array(-bytes.length & 3)]);
  const block = (type: number, ...parts: Uint8Array[]) => {
    const body = concatenate(parts);
    const size = u32(body.length + 12);
    return concatenate([u32(type), size, body, size]);
  };
  const option = (code: number, value: Uint8Array) => concatenate([u16(code), u16(value.length), pad(value)]);
  return {
    block,
    option,
    u32,
    section: () => block(0x0a0d0d0a, u32(0x1a2b3c4d), u16(1), u16(0), u32(0xffffffff), u32(0xffffffff)),
    interface: (snapBytes: number, ...options: Uint8Array[]) =>
      block(1, u16(1), u16(0), u32(snapBytes), ...options),
    enhanced: (id: number, ticks: bigint, bytes: Uint8Array, ...options: Uint8Array[]) =>
      block(
        6,
        u32(id),
        u32(Number(ticks >> 32n)),
        u32(Number(ticks & 0xffffffffn)),
        u32(bytes.length),
        u32(bytes.length),
        pad(bytes),
        ...options,
      ),
    simple: (originalBytes: number, bytes: Uint8Array) => block(3, u32(originalBytes), pad(bytes)),
  };
}

const FRAME = Uint8Array.of(1, 2, 3, 4, 5);

describe('the pcapng reader', () => {
  for (const littleEndian of [true, false]) {
    it(`reads ${littleEndian ? 'little' : 'big'}-endian captures`, () => {
      const b = blocks(littleEndian);
      const capture = readPcapng(
        concatenate([
          b.section(),
          b.interface(0, b.option(2, Uint8Array.of(0x70, 0x30)), b.option(9, Uint8Array.of(9))),
          b.enhanced(
            0,
            0x1_0000_0001n,
            FRAME,
            b.option(1, Uint8Array.of(0x68, 0x69)),
            b.option(0, new Uint8Array(0)),
          ),
        ]),
      );
      expect(capture.refusal).toBeNull();
      expect(capture.interfaces).toMatchObject([{ name: 'p0', linkType: 1 }]);
      expect(capture.packets).toMatchObject([
        { interfaceId: 0, timeNs: 0x1_0000_0001n, originalBytes: 5, comments: ['hi'] },
      ]);
      expect(Uint8Array.from(capture.packets[0].bytes)).toEqual(FRAME);
    });
  }

  const resolutions: [string, number | null, bigint, bigint][] = [
    ['microseconds where none is given', null, 7n, 7000n],
    ['seconds', 0, 3n, 3_000_000_000n],
    ['milliseconds', 3, 7n, 7_000_000n],
    ['nanoseconds', 9, 7n, 7n],
    ['picoseconds, rounded down', 12, 7999n, 7n],
    ['parts of 2^20', 0x94, 1n << 19n, 500_000_000n],
    ['parts of 2^30, rounded down', 0x9e, 3n, 2n],
    ['parts far below a nanosecond', 0x7f, 1n, 0n],
  ];
  for (const [name, resolution, ticks, timeNs] of resolutions) {
    it(`reads stamps in ${name}`, () => {
      const b = blocks(true);
      const options = resolution === null ? [] : [b.option(9, Uint8Array.of(resolution))];
      const capture = readPcapng(
        concatenate([b.section(), b.interface(0, ...options), b.enhanced(0, ticks, FRAME)]),
      );
      expect(capture.packets.map((packet) => packet.timeNs)).toEqual([timeNs]);
    });
  }

  it('adds the offset of stamps', () => {
    const b = blocks(false);
    const offset = b.option(14, concatenate([b.u32(0), b.u32(2)]));
    const capture = readPcapng(concatenate([b.section(), b.interface(0, offset), b.enhanced(0, 5n, FRAME)]));
    expect(capture.packets[0].timeNs).toBe(2_000_005_000n);
  });

  it('reads simple packets, cut by the snap length', () => {
    const b = blocks(true);
    const capture = readPcapng(concatenate([b.section(), b.interface(4), b.simple(9, FRAME.subarray(0, 4))]));
    expect(capture.refusal).toBeNull();
    expect(capture.packets).toMatchObject([{ timeNs: null, originalBytes: 9, bytes: { length: 4 } }]);
  });

  it('skips blocks and options that it does not know', () => {
    const b = blocks(true);
    const capture = readPcapng(
      concatenate([
        b.section(),
        b.block(5, FRAME.subarray(0, 4)),
        b.interface(0, b.option(77, FRAME)),
        b.block(0x4000_0001),
        b.enhanced(0, 1n, FRAME, b.option(2, new Uint8Array(4))),
      ]),
    );
    expect([capture.refusal, capture.packets.length]).toEqual([null, 1]);
  });

  it('numbers interfaces over sections, whatever their byte order', () => {
    const one = blocks(true);
    const two = blocks(false);
    const capture = readPcapng(
      concatenate([
        one.section(),
        one.interface(0),
        one.enhanced(0, 1n, FRAME),
        two.section(),
        two.interface(0, two.option(9, Uint8Array.of(9))),
        two.enhanced(0, 1n, FRAME),
      ]),
    );
    expect(capture.packets.map(({ interfaceId, timeNs }) => [interfaceId, timeNs])).toEqual([
      [0, 1000n],
      [1, 1n],
    ]);
  });

  it('reads a comment that is not UTF-8', () => {
    const b = blocks(true);
    const comment = b.option(1, Uint8Array.of(0x61, 0xff, 0xc3));
    const capture = readPcapng(concatenate([b.section(), b.interface(0), b.enhanced(0, 1n, FRAME, comment)]));
    expect(capture.packets[0].comments).toEqual(['a\ufffd\ufffd']);
  });

  it('reads a capture that lies in the middle of a larger buffer', () => {
    const b = blocks(true);
    const whole = concatenate([FRAME, b.section(), b.interface(0), b.enhanced(0, 1n, FRAME), FRAME]);
    expect(readPcapng(whole.subarray(5, whole.length - 5))).toMatchObject({
      refusal: null,
      packets: { length: 1 },
    });
  });
});

describe('refusals of the pcapng reader', () => {
  const b = blocks(true);
  const start = concatenate([b.section(), b.interface(0), b.enhanced(0, 1n, FRAME)]);
  const patched = (block: Uint8Array, at: number, value: number) => {
    const bytes = block.slice();
    bytes.set(b.u32(value), at);
    return bytes;
  };
  const packet = b.enhanced(0, 2n, FRAME);
  const cases: [string, string, Uint8Array][] = [
    ['a block that breaks off', 'truncated', packet.subarray(0, packet.length - 4)],
    ['a few bytes at the end', 'truncated', new Uint8Array(7)],
    ['a block longer than the capture', 'truncated', patched(packet, 4, 0xffff_fffc)],
    ['a block shorter than a block', 'bad-length', patched(packet, 4, 8)],
    ['a block of odd length', 'bad-length', patched(packet, 4, 41)],
    ['lengths that disagree', 'bad-length', patched(packet, packet.length - 4, 36)],
    ['more captured bytes than the block has', 'bad-length', patched(packet, 20, 9)],
    ['a captured length beyond all bounds', 'bad-length', patched(packet, 20, 0xffff_ffff)],
    ['an interface that was not described', 'bad-field', patched(packet, 8, 1)],
    ['an interface number beyond all bounds', 'bad-field', patched(packet, 8, 0xffff_ffff)],
    ['a packet block without room for its fields', 'bad-length', b.block(6, new Uint8Array(16))],
    ['an interface block without room for its fields', 'bad-length', b.block(1, new Uint8Array(4))],
    ['an option that leaves its block', 'bad-length', b.enhanced(0, 2n, FRAME, Uint8Array.of(1, 0, 5, 0))],
    ['a resolution of two bytes', 'bad-length', b.interface(0, b.option(9, new Uint8Array(2)))],
    ['an offset of four bytes', 'bad-length', b.interface(0, b.option(14, new Uint8Array(4)))],
    ['a simple packet longer than its block', 'bad-length', b.simple(9, FRAME)],
    ['a simple packet without its length', 'bad-length', b.block(3)],
    ['another version', 'bad-version', patched(b.section(), 12, 2)],
    ['a section without a byte order', 'wrong-protocol', patched(b.section(), 8, 0)],
    ['a section without room for its fields', 'bad-length', b.block(0x0a0d0d0a, b.u32(0x1a2b3c4d))],
    ['a packet before the interface of its section', 'bad-field', concatenate([b.section(), packet])],
  ];
  for (const [name, reason, tail] of cases) {
    it(`refuses ${name} and keeps what came before`, () => {
      const capture = readPcapng(concatenate([start, tail]));
      expect(capture.refusal).toMatchObject({ header: 'pcapng', reason });
      expect(capture.packets).toHaveLength(1);
      expect(capture.readBytes).toBeGreaterThanOrEqual(start.length);
      expect(capture.readBytes).toBeLessThan(start.length + tail.length);
    });
  }

  it('refuses what is no pcapng at all', () => {
    expect(readPcapng(new Uint8Array(0)).refusal).toMatchObject({ reason: 'truncated' });
    expect(readPcapng(packet).refusal).toMatchObject({ reason: 'wrong-protocol' });
    expect(readPcapng(new Uint8Array(100)).refusal).toMatchObject({ reason: 'wrong-protocol' });
  });

  it('never throws and never loses the packets before the damage', () => {
    const head = concatenate([pcapngSection(), pcapngInterface()]);
    const one = pcapngPacket({ interfaceId: 0, timeNs: 1, bytes: FRAME, comment: 'one' });
    const whole = concatenate([head, one, one, one]);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, value, cut) => {
        const bytes = whole.slice(0, cut);
        if (at < cut) bytes[at] = value;
        const capture = readPcapng(bytes);
        const untouched = Math.min(at, cut) - head.length;
        expect(capture.packets.length).toBeGreaterThanOrEqual(
          Math.floor(Math.max(0, untouched) / one.length),
        );
        for (const { bytes: captured } of capture.packets) expect(captured.length).toBeLessThanOrEqual(cut);
      }),
      { numRuns: 1000 },
    );
  });
});
