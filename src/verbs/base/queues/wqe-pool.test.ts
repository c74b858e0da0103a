import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sge } from '../../work-request.js';
import { NO_SLOT, Op } from '../codes.js';
import { SgeArena } from './sge-arena.js';
import { WqePool } from './wqe-pool.js';

function listOf(count: number, tag: number): Sge[] {
  return Array.from({ length: count }, (_, index) => ({
    addr: tag * 1000 + index,
    length: index,
    lkey: tag,
  }));
}

describe('the pool of work requests', () => {
  it('keeps every request as it was posted while it grows and shrinks', () => {
    const step = fc.record({ post: fc.boolean(), count: fc.integer({ min: 0, max: 9 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const pool = new WqePool();
        const live = new Map<number, { tag: number; count: number }>();
        steps.forEach(({ post, count }, tag) => {
          const oldest = live.keys().next().value;
          if (!post && oldest !== undefined) {
            pool.free(oldest);
            live.delete(oldest);
            return;
          }
          const wqe = pool.take(Op.SEND, 0, tag);
          expect(live.has(wqe)).toBe(false);
          pool.setSges(wqe, listOf(count, tag), tag);
          pool.setOperands(wqe, BigInt(tag), 2n ** 64n - 1n);
          live.set(wqe, { tag, count });
        });
        for (const [wqe, { tag, count }] of live) {
          expect([pool.wrId[wqe], pool.length[wqe], pool.sgeCount[wqe]]).toEqual([tag, tag, count]);
          expect(pool.operands[2 * wqe]).toBe(BigInt(tag));
          expect([...pool.operandWords.subarray(4 * wqe, 4 * wqe + 4)]).toEqual([
            tag,
            0,
            0xffffffff,
            0xffffffff,
          ]);
          const start = pool.sgeStart[wqe];
          const found = Array.from({ length: count }, (_, index) => ({
            addr: pool.sges.addr[start + index],
            length: pool.sges.length[start + index],
            lkey: pool.sges.lkey[start + index],
          }));
          expect(found).toEqual(listOf(count, tag));
        }
        expect(pool.used).toBe(live.size);
      }),
    );
  });

  it('grows fourfold while it is small, and reuses what was freed before it grows', () => {
    const pool = new WqePool();
    const first = Array.from({ length: 64 }, () => pool.take(Op.RECV, 0, 0));
    expect(pool.capacity).toBe(64);
    pool.free(first[10]);
    expect(pool.take(Op.RECV, 0, 0)).toBe(first[10]);
    expect(pool.capacity).toBe(64);
    pool.take(Op.RECV, 0, 0);
    expect(pool.capacity).toBe(256);
    expect(pool.next[first[0]]).toBe(NO_SLOT);
  });

  it('grows to what it was told to expect, sixteenfold at most', () => {
    const pool = new WqePool();
    pool.expect(2000);
    expect(pool.capacity).toBe(0);
    pool.take(Op.RECV, 0, 0);
    expect(pool.capacity).toBe(1024);
    for (let taken = 1; taken < 1025; taken++) expect(pool.take(Op.RECV, 0, 0)).toBe(taken);
    expect(pool.capacity).toBe(4096);
    const told = new WqePool();
    told.expect(300);
    told.expect(-100);
    told.take(Op.RECV, 0, 0);
    expect(told.capacity).toBe(200);
  });

  it('forgets what is no number with the request', () => {
    const pool = new WqePool();
    const wqe = pool.take(Op.SEND, 0, 0);
    pool.extra[wqe] = new Uint8Array(3);
    expect(pool.inlineOf(wqe)).toHaveLength(3);
    pool.free(wqe);
    expect(pool.extra[wqe]).toBeUndefined();
  });
});

describe('the arena of scatter-gather elements', () => {
  it('gives a freed range to the next of its size, and no range twice', () => {
    const arena = new SgeArena();
    const three = arena.allocate(3);
    const one = arena.allocate(1);
    expect(one).toBeGreaterThanOrEqual(three + 3);
    arena.release(three, 3);
    expect(arena.allocate(1)).not.toBe(three);
    expect(arena.allocate(4)).toBe(three);
  });
});
