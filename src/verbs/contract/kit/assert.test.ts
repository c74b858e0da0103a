import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VerbsError } from '../../error.js';
import { emptyWorkCompletion } from '../../work-completion.js';
import {
  expectBytes,
  expectCompletion,
  expectEqual,
  expectList,
  expectRefused,
  expectThat,
  thrownBy,
} from './assert.js';
import { checksum, pattern, readWord, writeWord } from './pattern.js';

const broken = expect.objectContaining({ code: 'CONTRACT_BROKEN' });

describe('assertions of the contract suite', () => {
  it('compare values, lists and completions', () => {
    expectEqual(Number.NaN, Number.NaN, 'same');
    expectList([1, 2], [1, 2], 'same');
    expectThat(true, 'true');
    expectCompletion(emptyWorkCompletion(), { wrId: 0, status: 'SUCCESS' }, 'same');
    expect(() => expectEqual(1, 2, 'number')).toThrow(broken);
    expect(() => expectEqual(1n, 2n, 'big')).toThrow("big; given '1n', allowed: 2n");
    expect(() => expectList([1, 2], [2, 1], 'order')).toThrow(broken);
    expect(() => expectList([1], [1, 2], 'length')).toThrow(broken);
    expect(() => expectThat(false, 'false')).toThrow(broken);
    expect(() => expectCompletion(emptyWorkCompletion(), { byteLen: 1 }, 'one')).toThrow('byteLen');
  });

  it('name the first byte that differs', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (bytes, at, flip) => {
          const other = bytes.slice();
          const place = at % bytes.length;
          other[place]! ^= flip;
          expectBytes(bytes.slice(), bytes, 'same');
          expect(() => expectBytes(other, bytes, 'content')).toThrow(`byte ${place} of`);
        },
      ),
    );
    expect(() => expectBytes(new Uint8Array(1), new Uint8Array(2), 'short')).toThrow('length');
  });

  it('tell a refusal from an acceptance and from another error', () => {
    const refuse = () => {
      throw new VerbsError('QUEUE_FULL', 'full', { field: 'wr', badWrIndex: 2 });
    };
    expect(expectRefused('QUEUE_FULL', refuse, { field: 'wr', badWrIndex: 2 }).errno).toBe('ENOMEM');
    expect(() => expectRefused('OBJECT_BUSY', refuse)).toThrow(broken);
    expect(() => expectRefused('QUEUE_FULL', refuse, { field: 'other' })).toThrow(broken);
    expect(() => expectRefused('QUEUE_FULL', refuse, { badWrIndex: 1 })).toThrow(broken);
    expect(() => expectRefused('QUEUE_FULL', () => undefined)).toThrow('accepted');
    expect(() =>
      thrownBy(() => {
        throw new TypeError('oops');
      }),
    ).toThrow('oops');
  });
});

describe('patterns', () => {
  it('depend on the seed and do not repeat within a megabyte', () => {
    expect(checksum(pattern(64, 1))).not.toBe(checksum(pattern(64, 2)));
    const bytes = pattern(1 << 20, 3);
    const chunks = new Set<number>();
    for (let at = 0; at < bytes.length; at += 256) chunks.add(checksum(bytes.subarray(at, at + 256)));
    expect(chunks.size).toBe(4096);
  });

  it('read and write words in host order', () => {
    const bytes = new Uint8Array(16);
    writeWord(bytes, 8, 0x0102030405060708n);
    expect([...bytes.subarray(8)]).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(readWord(bytes, 8)).toBe(0x0102030405060708n);
  });
});
