import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OPCODES, parseRoceDatagram, srnicOpcodeInfo } from '../../wire/index.js';
import { PacketCodec, TRANSPORT_HEADER_BYTES } from './packet-codec.js';
import { PacketFlag, PacketPool } from './packet-pool.js';
import { Syndrome } from './syndrome.js';

const uint24 = fc.integer({ min: 0, max: 0xffffff });
const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const columns = fc.record({
  flags: fc.integer({ min: 0, max: 63 }).map((flags) => flags & ~PacketFlag.ECN_CE),
  psn: uint24,
  destQpn: uint24,
  srcQpn: uint24,
  partitionKey: fc.integer({ min: 0, max: 0xffff }),
  remoteHigh: uint32,
  remoteLow: uint32,
  rkey: uint32,
  dmaBytes: uint32,
  immediate: uint32,
  invalidateRkey: uint32,
  syndrome: fc.oneof(fc.integer({ min: 0, max: 0x3f }), fc.integer({ min: 0x60, max: 0x64 })),
  msn: uint24,
  qkey: uint32,
});
const HEADER_COLUMNS = {
  deth: ['qkey', 'srcQpn'],
  reth: ['remoteHigh', 'remoteLow', 'rkey', 'dmaBytes'],
  atomicEth: ['remoteHigh', 'remoteLow', 'rkey'],
  aeth: ['syndrome', 'msn'],
  atomicAckEth: [],
  immediate: ['immediate'],
  ieth: ['invalidateRkey'],
  cnp: [],
} as const;

it('gives back every column that the opcode carries', () => {
  const packets = new PacketPool();
  const codec = new PacketCodec(packets);
  const words = fc.tuple(uint32, uint32, uint32, uint32);
  fc.assert(
    fc.property(fc.constantFrom(...OPCODES), columns, words, fc.nat(40), (info, values, operands, length) => {
      const [packet, copy] = [packets.take(), packets.take()];
      const payloadBytes = info.hasPayload ? length : 0;
      const bytes = new Uint8Array(TRANSPORT_HEADER_BYTES[info.opcode] + ((payloadBytes + 3) & ~3) + 4);
      packets.opcode[packet] = info.opcode;
      packets.payloadBytes[packet] = payloadBytes;
      for (const [name, value] of Object.entries(values)) {
        packets[name as keyof typeof values][packet] = value;
      }
      packets.needOperands();
      packets.operandWords.set(operands, 4 * packet);
      expect(codec.encode(packet, bytes, 0)).toBe(TRANSPORT_HEADER_BYTES[info.opcode]);
      expect(parseRoceDatagram(bytes)).toHaveProperty('bth.psn', values.psn);

      expect(codec.decode(bytes, 0, bytes.length, copy)).toBeNull();
      expect(codec.payloadEnd - codec.payloadOffset).toBe(payloadBytes);
      const carried = [
        'opcode',
        'flags',
        'psn',
        'destQpn',
        'partitionKey',
        'payloadBytes',
        ...info.headers.flatMap((header) => [...HEADER_COLUMNS[header]]),
      ] as const;
      for (const name of carried) expect([name, packets[name][copy]]).toEqual([name, packets[name][packet]]);
      const kept = info.operation === 'compare-swap' ? 4 : info.operation === 'fetch-add' ? 2 : 0;
      for (let word = 0; word < (info.operation === 'atomic-acknowledge' ? 2 : kept); word++) {
        expect(packets.operandWords[4 * copy + word]).toBe(operands[word]);
      }
      packets.free(packet);
      packets.free(copy);
    }),
  );
  expect(packets.inUse).toBe(0);
});

it('refuses what is no RoCEv2 packet, and never throws', () => {
  const packets = new PacketPool();
  const codec = new PacketCodec(packets);
  const packet = packets.take();
  let refused = 0;
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      if (codec.decode(bytes, 0, bytes.length, packet) !== null) refused++;
      else expect(codec.payloadEnd).toBeLessThanOrEqual(bytes.length);
    }),
  );
  expect(refused).toBeGreaterThan(50);
});

it('says with SRNIC’s extension where each packet of RC belongs', () => {
  const packets = new PacketPool();
  const codec = new PacketCodec(packets, true);
  const place = fc.record({ ssn: fc.integer({ min: 0, max: 0xffff }), psnOffset: uint24 });
  const payload = fc.uint8Array({ maxLength: 40 });
  fc.assert(
    fc.property(
      fc.constantFrom(...OPCODES),
      columns,
      place,
      payload,
      (plain, values, { ssn, psnOffset }, data) => {
        const [packet, copy] = [packets.take(), packets.take()];
        packets.needPlacement();
        packets.needOperands();
        const info = srnicOpcodeInfo(plain.opcode)!;
        const payloadBytes = info.hasPayload ? data.length : 0;
        const bytes = new Uint8Array(codec.headerBytes[info.opcode] + ((payloadBytes + 3) & ~3) + 4);
        packets.opcode[packet] = info.opcode;
        packets.payloadBytes[packet] = payloadBytes;
        for (const [name, value] of Object.entries(values))
          packets[name as keyof typeof values][packet] = value;
        const isAck = info.operation === 'acknowledge';
        if (isAck) packets.syndrome[packet] = Syndrome.SEQUENCE_ERROR;
        packets.placementWords[2 * packet] = isAck ? psnOffset : ssn;
        packets.placementWords[2 * packet + 1] = isAck ? ssn : psnOffset;
        const at = codec.encode(packet, bytes, 0);
        expect(at).toBe(codec.headerBytes[info.opcode]);
        bytes.set(data.subarray(0, payloadBytes), at);

        expect(codec.decode(bytes, 0, bytes.length, copy)).toBeNull();
        expect(bytes.subarray(codec.payloadOffset, codec.payloadEnd)).toEqual(data.subarray(0, payloadBytes));
        const written = info.transport === 'RC' && info.operation === 'write';
        const carried = [
          'opcode',
          'flags',
          'psn',
          'destQpn',
          ...info.headers.flatMap((header) => [...HEADER_COLUMNS[header]]),
          ...(written ? (['remoteHigh', 'remoteLow', 'rkey'] as const) : []),
          ...(info.transport === 'RC' ? (['msn'] as const) : []),
        ] as const;
        for (const name of carried)
          expect([name, packets[name][copy]]).toEqual([name, packets[name][packet]]);
        const says = info.transport === 'RC' && (isAck || written || info.operation === 'send');
        const words = packets.placementWords.subarray(2 * packet, 2 * packet + 2);
        if (says) expect(packets.placementWords.subarray(2 * copy, 2 * copy + 2)).toEqual(words);
        packets.free(packet);
        packets.free(copy);
      },
    ),
  );
});

it('refuses a packet that is cut anywhere in its headers', () => {
  const packets = new PacketPool();
  const codec = new PacketCodec(packets, true);
  const packet = packets.take();
  packets.needPlacement();
  packets.needOperands();
  for (const { opcode, hasPayload } of OPCODES) {
    packets.opcode[packet] = opcode;
    const bytes = new Uint8Array(codec.headerBytes[opcode] + 4);
    codec.encode(packet, bytes, 0);
    expect(codec.decode(bytes, 0, bytes.length, packet), `${hasPayload}`).toBeNull();
    for (let end = 0; end < bytes.length; end++) expect(codec.decode(bytes, 0, end, packet)).not.toBeNull();
  }
});
