import { describe, expect, it } from 'vitest';
import { CRC32_START, crc32, crc32Update } from '../bytes/crc32.js';
import { isRefusal } from '../bytes/refusal.js';
import { fromHex, GOLDEN_FRAMES } from '../packet/golden.test.data.js';
import { emitRocePacket, parseRoceIpPacket, rocePacketBytes } from '../packet/packet.js';
import { computeIcrc, readIcrc, writeIcrc } from './icrc.js';

/** Bit by bit, over a copy built with the mask of IBTA annex A17.3.3 in plain sight: shares nothing with `icrc.ts`. */
function slowIcrc(ipPacketWithoutIcrc: Uint8Array): number {
  const copy = [...ipPacketWithoutIcrc];
  const isIpv4 = copy[0] >> 4 === 4;
  const udp = isIpv4 ? 20 : 40;
  const ones = isIpv4 ? [1, 8, 10, 11] : [1, 2, 3, 7];
  for (const at of [...ones, udp + 6, udp + 7, udp + 8 + 4]) copy[at] = 0xff;
  if (!isIpv4) copy[0] = 0x6f;
  let remainder = 0xffff_ffff;
  for (const byte of [...new Array<number>(8).fill(0xff), ...copy]) {
    for (let bit = 0; bit < 8; bit += 1) {
      const feedback = (remainder ^ (byte >> bit)) & 1;
      remainder = feedback === 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
    }
  }
  return ~remainder >>> 0;
}

const ETHERNET = 14;

describe('crc32', () => {
  it('gives the check value of the standard', () => {
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  });

  it('gives the same whether bytes come at once or in pieces, at every length', () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, index) => (index * 89 + 7) & 0xff);
    for (let size = 0; size <= bytes.length; size += 1) {
      let state = CRC32_START;
      for (let at = 0; at < size; at += 1) state = crc32Update(state, bytes, at, at + 1);
      expect(crc32(bytes, 0, size)).toBe(~state >>> 0);
    }
  });
});

describe('icrc', () => {
  it.each(GOLDEN_FRAMES)('agrees with $name', ({ frame }) => {
    const bytes = fromHex(frame);
    const at = bytes.length - 4;
    expect(computeIcrc(bytes, ETHERNET, at)).toBe(readIcrc(bytes, at));
  });

  it.each(GOLDEN_FRAMES)('agrees bit by bit on $name', ({ frame }) => {
    const bytes = fromHex(frame);
    expect(slowIcrc(bytes.subarray(ETHERNET, -4))).toBe(readIcrc(bytes, bytes.length - 4));
  });

  it('is little-endian', () => {
    const bytes = new Uint8Array(4);
    writeIcrc(bytes, 0, 0x01020384);
    expect([...bytes]).toEqual([0x84, 0x03, 0x02, 0x01]);
    expect(readIcrc(bytes, 0)).toBe(0x01020384);
  });

  it.each(GOLDEN_FRAMES)('ignores exactly the fields that may change on the way, in $name', ({ frame }) => {
    const bytes = fromHex(frame).subarray(ETHERNET);
    const at = bytes.length - 4;
    const icrc = computeIcrc(bytes, 0, at);
    const isIpv4 = bytes[0] >> 4 === 4;
    const udp = isIpv4 ? 20 : 40;
    const free = new Set(isIpv4 ? [1, 8, 10, 11] : [1, 2, 3, 7]);
    for (const masked of [udp + 6, udp + 7, udp + 12]) free.add(masked);
    // The version nibble picks the layout, so the first byte is tried in its lower half alone.
    for (let index = 0; index < at; index += 1) {
      bytes[index] ^= 0x05;
      const covered = index === 0 ? isIpv4 : !free.has(index);
      expect(computeIcrc(bytes, 0, at) !== icrc, `byte ${index}`).toBe(covered);
      bytes[index] ^= 0x05;
    }
  });

  it('agrees bit by bit on packets of every length from 0 to 70 payload bytes, both IP versions', () => {
    for (const { frame } of GOLDEN_FRAMES) {
      const packet = parseRoceIpPacket(fromHex(frame).subarray(ETHERNET));
      if (isRefusal(packet)) throw new Error(String(packet));
      if (packet.bth.opcode !== 0x24) continue;
      for (let size = 0; size <= 70; size += 1) {
        const payload = Uint8Array.from({ length: size }, (_, index) => index * 31 + size);
        const bytes = new Uint8Array(rocePacketBytes({ ...packet, payload }));
        emitRocePacket({ ...packet, payload }, bytes, 0);
        expect(readIcrc(bytes, bytes.length - 4)).toBe(slowIcrc(bytes.subarray(0, -4)));
      }
    }
  });
});
