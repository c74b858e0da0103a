import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import type { Tenant } from '../description/description.js';
import { RegionCursor, RegionTable } from './regions.js';

/** Own and peer's regions of messages that are posted this many at a time. */
function regionsOf(mrChoice: Tenant['mrChoice'], batch: number, pattern: number, posts: number): string[] {
  const cursor = new RegionCursor({ mrChoice, mrOffsets: 'sequential' }, new Random(1), 0);
  const set = { table: new RegionTable(), first: 0, count: 4, bytes: 4096 };
  return Array.from({ length: posts * batch }, (_, message) => {
    cursor.advance(set, 64, message % batch, pattern);
    return `${cursor.index}>${cursor.remoteIndex}`;
  });
}

describe('the regions of messages', () => {
  it('are the next ones of both sides, message by message', () => {
    expect(regionsOf('roundRobin', 2, 1, 3)).toEqual(['1>1', '2>2', '3>3', '0>0', '1>1', '2>2']);
  });

  it('one per post for messages of one kind; those of the peer begin anew with each post', () => {
    expect(regionsOf('perPost', 3, 1, 2)).toEqual(['1>0', '1>1', '1>2', '2>0', '2>1', '2>2']);
  });

  it('one per post for each message of the pattern', () => {
    expect(regionsOf('perPost', 5, 2, 2)).toEqual([
      ...['2>0', '3>1', '2>2', '3>3', '2>0'],
      ...['0>0', '1>1', '0>2', '1>3', '0>0'],
    ]);
  });

  it('with posts of one message, the next one of the own side and the first of the peer', () => {
    expect(regionsOf('perPost', 1, 1, 4)).toEqual(['1>0', '2>0', '3>0', '0>0']);
  });
});
