import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { Access } from '../../access.js';
import { Op } from '../codes.js';
import { WqeFlag, WqePool } from '../queues/wqe-pool.js';
import { KeyCheck, MemoryTable } from './memory-table.js';
import { checkList, copyMessage, gather, scatter } from './scatter-gather.js';

const PD = 3;
const BASE = 8192;

/** A device with one region of 256 bytes, and a request whose list has pieces of these lengths, one after another. */
function device(pieces: readonly number[], bytes: Uint8Array | null = new Uint8Array(256)) {
  const random = new Random(1);
  const memory = new MemoryTable(() => random.nextUint32());
  const lkey = memory.keyOf(memory.addRegion(PD, bytes, BASE, BASE, 256, Access.LOCAL_WRITE, -1));
  const wqes = new WqePool();
  const wqe = wqes.take(Op.SEND, 0, 0);
  let at = 0;
  const list = pieces.map((length) => {
    const sge = { addr: BASE + at, length, lkey };
    at += length + 1;
    return sge;
  });
  wqes.setSges(
    wqe,
    list,
    pieces.reduce((sum, each) => sum + each, 0),
  );
  /** The places of the message's bytes in the region. */
  const places = list.flatMap(({ addr, length }) =>
    Array.from({ length }, (_, index) => addr - BASE + index),
  );
  return { memory, wqes, wqe, bytes, places, lkey };
}

const piecesOf = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 6 });
const cut = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));

describe('scatter and gather', () => {
  it('gather reads any part of the message, scatter writes it', () => {
    fc.assert(
      fc.property(piecesOf, cut, (pieces, [from, part]) => {
        const { memory, wqes, wqe, bytes, places } = device(pieces);
        bytes!.forEach((_, index) => {
          bytes![index] = index;
        });
        const offset = Math.floor(from * places.length);
        const length = Math.floor(part * (places.length - offset));
        const target = new Uint8Array(length + 4);
        expect(gather(memory, wqes, wqe, PD, offset, target, 2, length)).toBe(KeyCheck.OK);
        expect([...target]).toEqual([0, 0, ...places.slice(offset, offset + length), 0, 0]);
        const marks = new Uint8Array(length).fill(0xee);
        expect(scatter(memory, wqes, wqe, PD, offset, marks, 0, length)).toBe(KeyCheck.OK);
        const written = new Set(places.slice(offset, offset + length));
        expect([...bytes!]).toEqual(Array.from(bytes!, (_, index) => (written.has(index) ? 0xee : index)));
      }),
    );
  });

  it('copyMessage carries a message from list to list, however they are cut', () => {
    fc.assert(
      fc.property(piecesOf, piecesOf, (fromPieces, toPieces) => {
        const from = device(fromPieces);
        const to = device(
          [...toPieces, 250 - toPieces.reduce((sum, each) => sum + each + 1, 0)].filter((n) => n >= 0),
        );
        from.bytes!.forEach((_, index) => {
          from.bytes![index] = index + 1;
        });
        fc.pre(to.places.length >= from.places.length + 5);
        copyMessage(from, from.wqe, PD, to, to.wqe, PD, 5);
        const expected = from.places.map((place) => (place + 1) & 0xff);
        expect(to.places.slice(5, 5 + expected.length).map((place) => to.bytes![place])).toEqual(expected);
      }),
    );
  });

  it('inline data is the message', () => {
    const { memory, wqes, bytes } = device([]);
    const wqe = wqes.take(Op.SEND, WqeFlag.INLINE, 0);
    wqes.extra[wqe] = Uint8Array.of(1, 2, 3, 4);
    wqes.setSges(wqe, [], 4);
    const target = new Uint8Array(2);
    gather(memory, wqes, wqe, PD, 1, target, 0, 2);
    expect([...target]).toEqual([2, 3]);
    const to = device([3, 5]);
    copyMessage({ memory, wqes }, wqe, PD, to, to.wqe, PD, 0);
    expect([...to.bytes!.subarray(0, 5)]).toEqual([1, 2, 3, 0, 4]);
    expect(bytes![0]).toBe(0);
  });

  it('memory without bytes reads as zeros and swallows writes', () => {
    const { memory, wqes, wqe } = device([8], null);
    const target = new Uint8Array(8).fill(9);
    expect(gather(memory, wqes, wqe, PD, 0, target, 0, 8)).toBe(KeyCheck.OK);
    expect([...target]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(scatter(memory, wqes, wqe, PD, 0, target, 0, 8)).toBe(KeyCheck.OK);
  });

  it('checks only what a message touches', () => {
    const { memory, wqes, lkey } = device([]);
    const wqe = wqes.take(Op.RECV, 0, 0);
    const list = [
      { addr: BASE, length: 8, lkey },
      { addr: 0, length: 0, lkey: 1 },
      { addr: BASE + 250, length: 7, lkey },
    ];
    wqes.setSges(wqe, list, 15);
    expect(checkList(memory, wqes, wqe, PD, 14, true)).toBe(KeyCheck.OK);
    expect(checkList(memory, wqes, wqe, PD, 15, true)).toBe(KeyCheck.OUT_OF_BOUNDS);
    expect(checkList(memory, wqes, wqe, PD + 1, 1, true)).toBe(KeyCheck.WRONG_DOMAIN);
    expect(checkList(memory, wqes, wqe, PD + 1, 0, true)).toBe(KeyCheck.OK);
    expect(scatter(memory, wqes, wqe, PD, 14, new Uint8Array(1), 0, 1)).toBe(KeyCheck.OUT_OF_BOUNDS);
  });
});
