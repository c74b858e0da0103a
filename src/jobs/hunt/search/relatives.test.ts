import { describe, expect, it } from 'vitest';
import { referencePoint } from '../space/reference.js';
import { collieSpace, illegality } from '../space/space.js';
import { exchanged, otherLengths, otherTraffic } from './relatives.js';

const space = collieSpace(['memory0', 'memory1']);
const point = { ...referencePoint(space), qps: 192, sge: 3 };

describe('relatives of a workload', () => {
  it('have every other kind of traffic, and are legal', () => {
    const kinds = otherTraffic(point, space).map(({ transport, opcode }) => `${transport} ${opcode}`);
    expect(kinds).toEqual(['RC WRITE', 'RC READ', 'RC SEND', 'UD SEND']);
    for (const each of otherTraffic(point, space)) expect(illegality(each, space)).toBeNull();
  });

  it('have other lengths at the smallest MTU', () => {
    expect(otherLengths(point, space).map(({ sizes, mtu }) => [...sizes, mtu])).toEqual([
      [128, 1024],
      [4096, 1024],
      [65536, 1024],
    ]);
  });

  it('have half of one amount that is needed and plenty of one other', () => {
    const tried = exchanged(point, space).map(({ qps, sge, batch, queueDepth }) => [
      ...[qps, sge, batch, queueDepth],
    ]);
    expect(tried).toEqual([
      [96, 3, 64, 128],
      [96, 3, 1, 1024],
      [96, 4, 1, 128],
      [256, 1, 1, 128],
      [192, 1, 64, 128],
      [192, 1, 1, 1024],
    ]);
    expect(exchanged(referencePoint(space), space)).toEqual([]);
  });
});
