import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SendWr } from '../../verbs/index.js';
import { canBeCut, pieceOf, sliceOfList } from './pieces.js';
import { Part, PostedRing } from './posted-ring.js';

const list = fc.array(fc.record({ addr: fc.nat(1 << 20), length: fc.nat(100), lkey: fc.nat(9) }), {
  minLength: 0,
  maxLength: 6,
});

function bytesOf(sgList: readonly { length: number }[]): number {
  return sgList.reduce((sum, { length }) => sum + length, 0);
}

describe('pieces of a request', () => {
  it('together are the request, whatever the cut', () => {
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 64 }), (sgList, chunk) => {
        const wr: SendWr = { opcode: 'RDMA_WRITE', sgList, remoteAddr: 1000, rkey: 3 };
        const total = bytesOf(sgList);
        const flat = (sges: typeof sgList) =>
          sges.flatMap(({ addr, length, lkey }) => Array.from({ length }, (_, at) => `${lkey}:${addr + at}`));
        const found: string[] = [];
        for (let offset = 0; offset < total; offset += chunk) {
          const bytes = Math.min(chunk, total - offset);
          const piece = pieceOf(wr as never, offset, bytes);
          expect(bytesOf(piece.sgList!)).toBe(bytes);
          expect(piece.remoteAddr).toBe(1000 + offset);
          found.push(...flat([...piece.sgList!]));
        }
        expect(found).toEqual(flat(sgList));
      }),
    );
  });

  it('of nothing are nothing', () => {
    expect(sliceOfList([{ addr: 5, length: 0, lkey: 1 }], 0, 10)).toEqual([]);
  });

  it('are only made where no receiver counts messages', () => {
    expect(canBeCut({ opcode: 'RDMA_READ', remoteAddr: 0, rkey: 0 })).toBe(true);
    expect(canBeCut({ opcode: 'SEND' })).toBe(false);
    expect(canBeCut({ opcode: 'RDMA_WRITE', remoteAddr: 0, rkey: 0, inlineData: new Uint8Array(1) })).toBe(
      false,
    );
  });
});

describe('the ring of posted requests', () => {
  it('keeps kinds and owners while it grows, and counts what tenants may not see', () => {
    const ring = new PostedRing();
    for (let round = 0; round < 500; round++) ring.push(round % 3 === 0 ? Part.LAST : Part.OWN, round);
    expect(ring.outstanding).toBe(500);
    expect(ring.hidden).toBe(333);
    expect([ring.kindOf(300), ring.kindOf(301), ring.requestOf(499)]).toEqual([Part.LAST, Part.OWN, 499]);
    ring.release(299);
    expect([ring.outstanding, ring.hidden]).toEqual([200, 133]);
    ring.clear();
    expect([ring.outstanding, ring.hidden]).toEqual([0, 0]);
  });
});
