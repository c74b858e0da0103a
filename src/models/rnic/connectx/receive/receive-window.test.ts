import { describe, expect, it } from 'vitest';
import { Random } from '../../../../engine/index.js';
import { ReceiveWindow } from './receive-window.js';

const chunks = (count: number) => Array.from({ length: count }, (_, index) => index);

function served(places: number, count: number, seed = 1): boolean[] {
  const window = new ReceiveWindow(places, new Random(seed));
  for (const chunk of chunks(count)) window.put(chunk);
  return chunks(count).map((chunk) => window.serve(chunk));
}

describe('a receive window', () => {
  it('holds as many chunks as it has places', () => {
    expect(served(6, 6)).toEqual(Array(6).fill(true));
  });

  it('loses one chunk for each beyond, whichever the draw is', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const found = served(6, 16, seed);
      expect(found.filter((hit) => hit)).toHaveLength(6);
      // The last to come has nobody behind it that could push it out.
      expect(found[15]).toBe(true);
    }
    expect(served(6, 16, 1)).toEqual(served(6, 16, 1));
  });

  it('serves all entries of a chunk with one look, and is free of it then', () => {
    const window = new ReceiveWindow(1, new Random(1));
    window.put(1);
    window.put(1);
    expect([window.serve(1), window.serve(1)]).toEqual([true, true]);
    window.put(2);
    expect([window.serve(2), window.serve(1)]).toEqual([true, false]);
    // What was read again is at hand while it is served from.
    expect(window.serve(1)).toBe(true);
  });
});
