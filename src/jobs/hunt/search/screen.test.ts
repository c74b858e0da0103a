import { describe, expect, it } from 'vitest';
import { collieSpace, illegality, usualSpace } from '../space/space.js';
import { screenOf } from './screen.js';

const space = collieSpace(['memory0', 'memory1']);

describe('the ends of a space', () => {
  const points = screenOf(space);

  it('are different legal workloads within the usual totals', () => {
    for (const point of points) expect(illegality(point, usualSpace(space))).toBeNull();
    expect(new Set(points.map((point) => JSON.stringify(point))).size).toBe(points.length);
  });

  it('have much of several things at a time, in many queues and in deep ones', () => {
    const long = { transport: 'RC', direction: 'bi', batch: 64, sge: 4, sizes: [128], mtu: 1024 };
    for (const opcode of ['WRITE', 'READ', 'SEND']) {
      expect(points).toContainEqual(expect.objectContaining({ ...long, opcode, qps: 128, queueDepth: 128 }));
      expect(points).toContainEqual(expect.objectContaining({ ...long, opcode, qps: 16, queueDepth: 1024 }));
    }
  });

  it('have memory in each other place', () => {
    for (const direction of ['uni', 'bi'])
      for (const host of ['memoryA', 'memoryB'])
        expect(points).toContainEqual(expect.objectContaining({ direction, [host]: 'memory1', batch: 1 }));
  });

  it('are those that a narrow space has', () => {
    const { choices, numbers } = space;
    const narrow = {
      ...space,
      choices: { ...choices, opcode: { ...choices.opcode, values: ['SEND'] } },
      numbers: { ...numbers, batch: { ...numbers.batch, ladder: [1, 2, 4] } },
    };
    expect(screenOf(narrow)).not.toEqual([]);
    for (const point of screenOf(narrow)) expect(illegality(point, narrow)).toBeNull();
  });
});
