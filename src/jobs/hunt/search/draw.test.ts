import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { referencePoint } from '../space/reference.js';
import { collieSpace, illegality, leastDepth } from '../space/space.js';
import { drawPoint, mutatePoint } from './draw.js';

const space = collieSpace(['memory0', 'memory1']);

describe('random workloads', () => {
  const random = new Random(7);
  const points = Array.from({ length: 2000 }, () => drawPoint(space, random));
  const share = (holds: (point: (typeof points)[number]) => boolean) =>
    points.filter(holds).length / points.length;

  it('are legal', () => {
    for (const point of points) expect(illegality(point, space)).toBeNull();
  });

  it('have long posts and deep queues about as often as short ones', () => {
    // Three of eight rungs and four of twelve; where posts and queues alone gave way, it was 18 and 24 %.
    expect(share(({ batch }) => batch >= 32)).toBeGreaterThan(0.24);
    expect(share(({ queueDepth }) => queueDepth >= 256)).toBeGreaterThan(0.28);
    expect(share(({ batch }) => batch <= 4)).toBeGreaterThan(0.3);
    expect(share(({ qps }) => qps >= 256)).toBeGreaterThan(0.15);
  });
});

describe('a mutation', () => {
  it('makes room for a post that is longer than the queue, or keeps the queue that was shortened', () => {
    const point = { ...referencePoint(space), queueDepth: 16, batch: 8 };
    const random = new Random(3);
    const mutants = Array.from({ length: 3000 }, () => mutatePoint(point, space, random)!);
    const posts = mutants.filter(({ batch }) => batch > point.queueDepth);
    expect(posts.length).toBeGreaterThan(0);
    for (const mutant of posts) expect(mutant.queueDepth).toBe(leastDepth(mutant));
    const queues = mutants.filter(({ queueDepth }) => queueDepth < point.batch);
    expect(queues.length).toBeGreaterThan(0);
    for (const mutant of queues) expect(mutant.batch).toBe(mutant.queueDepth);
  });
});
