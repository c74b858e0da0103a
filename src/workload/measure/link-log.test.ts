import { describe, expect, it } from 'vitest';
import type { LinkUse } from '../testbed.js';
import { LinkLog, linksAt } from './link-log.js';

const link = (name: string, gbps: number, ...bytes: number[]): LinkUse => ({
  name,
  kind: 'slot',
  gbps,
  directions: bytes.map((each, index) => ({ towards: `node${index}`, bytes: each, busyNs: each / 2 })),
});

describe('a log of links', () => {
  it('gives each reading back as it was, also when links come, go and change', () => {
    const readings = [
      [link('a', 100, 1, 2), link('b', 200, 3)],
      [link('a', 50, 10, 20), link('b', 200, 30)],
      [link('a', 50, 11, 21), link('b', 200, 31), link('turn', 80, 5)],
      [link('a', 50, 12), link('b', 200, 32), link('turn', 80, 6)],
      [],
    ];
    const log = new LinkLog();
    const marks = readings.map((each) => log.take(each));
    expect(marks.map(linksAt)).toEqual(readings);
  });

  it('shares the list of links between readings of the same ones', () => {
    const log = new LinkLog();
    const take = () => log.take([link('a', 100, 1, 2)]);
    expect(take().links).toBe(take().links);
  });
});
