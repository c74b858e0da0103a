import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KelpieError } from '../../error.js';
import {
  emitRdmaCmHeader,
  parseRdmaCmHeader,
  RDMA_CM_CONSUMER_BYTES,
  RDMA_CM_HEADER_BYTES,
  RDMA_PORT_SPACE,
  type RdmaCmHeader,
  RdmaCmHeaderView,
  rdmaCmPort,
  rdmaCmServiceId,
} from './rdma-cm-private-data.js';
import { REQ_PRIVATE_DATA_BYTES } from './req.js';

function emitted(header: RdmaCmHeader): Uint8Array {
  const bytes = new Uint8Array(RDMA_CM_HEADER_BYTES).fill(0xee);
  expect(emitRdmaCmHeader(header, bytes, 0)).toBe(RDMA_CM_HEADER_BYTES);
  return bytes;
}

function parsed(bytes: Uint8Array): unknown {
  const view = new RdmaCmHeaderView();
  return view.wrap(bytes, 0, bytes.length) ?? parseRdmaCmHeader(view);
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

describe('the header of RDMA-CM in private data', () => {
  it('puts an IPv4 address into the last four bytes of its field', () => {
    const header: RdmaCmHeader = {
      ipVersion: 4,
      sourcePort: 0xabcd,
      sourceAddress: 0xc0a8_0001,
      destinationAddress: 0x0a00_0002,
    };
    const zeros = '00'.repeat(12);
    expect(hex(emitted(header))).toBe(`0040abcd${zeros}c0a80001${zeros}0a000002`);
    expect(parsed(emitted(header))).toEqual(header);
  });

  it('leaves 56 bytes to the consumer', () => {
    expect(RDMA_CM_HEADER_BYTES + RDMA_CM_CONSUMER_BYTES).toBe(REQ_PRIVATE_DATA_BYTES);
  });

  it('parses back every header that can be built', () => {
    const port = fc.integer({ min: 0, max: 0xffff });
    const ipv4 = fc.integer({ min: 0, max: 0xffff_ffff });
    const ipv6 = fc.uint8Array({ minLength: 16, maxLength: 16 });
    const any: fc.Arbitrary<RdmaCmHeader> = fc.oneof(
      fc.record({
        ipVersion: fc.constant(4 as const),
        sourcePort: port,
        sourceAddress: ipv4,
        destinationAddress: ipv4,
      }),
      fc.record({
        ipVersion: fc.constant(6 as const),
        sourcePort: port,
        sourceAddress: ipv6,
        destinationAddress: ipv6,
      }),
    );
    fc.assert(
      fc.property(any, (header) => {
        expect(parsed(emitted(header))).toEqual(header);
      }),
    );
  });

  it('refuses another version, another IP version and too few bytes', () => {
    const good = emitted({ ipVersion: 4, sourcePort: 1, sourceAddress: 2, destinationAddress: 3 });
    expect(parsed(good.with(0, 0x10))).toMatchObject({ reason: 'bad-version' });
    expect(parsed(good.with(1, 0x50))).toMatchObject({ reason: 'unsupported-address' });
    expect(parsed(good.subarray(1))).toMatchObject({ reason: 'truncated' });
  });

  it('throws for what does not fit', () => {
    const wrong: [string, object][] = [
      ['rdma-cm.ipVersion', { ipVersion: 5 }],
      ['rdma-cm.sourcePort', { ipVersion: 4, sourcePort: 65536 }],
      ['rdma-cm.sourceAddress', { ipVersion: 6, sourceAddress: new Uint8Array(4) }],
      ['rdma-cm.destinationAddress', { ipVersion: 4, destinationAddress: 2 ** 32 }],
    ];
    for (const [field, change] of wrong) {
      const header = { sourcePort: 1, sourceAddress: 2, destinationAddress: 3, ...change } as RdmaCmHeader;
      let thrown: unknown;
      try {
        emitRdmaCmHeader(header, new Uint8Array(36), 0);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(KelpieError);
      expect(thrown).toMatchObject({ code: 'WIRE_FIELD_OUT_OF_RANGE', field });
    }
  });
});

describe('service ids', () => {
  it('stand for ports', () => {
    expect(rdmaCmServiceId(0x1c06)).toBe(0x0000_0000_0106_1c06n);
    expect(rdmaCmPort(0x0106_1c06n)).toBe(0x1c06);
    expect(rdmaCmServiceId(1, RDMA_PORT_SPACE.udp)).toBe(0x0111_0001n);
    expect(rdmaCmPort(0x0111_0001n)).toMatchObject({ header: 'rdma-cm', reason: 'unknown-kind' });
    expect(rdmaCmPort(0x1_0000_0000_0106_1c06n)).toMatchObject({ reason: 'unknown-kind' });
    expect(() => rdmaCmServiceId(65536)).toThrowError(KelpieError);
  });
});
