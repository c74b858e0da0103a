import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { resolveWorkload } from '../../../workload/index.js';
import { drawPoint, mutatePoint } from '../search/draw.js';
import { workloadInputOf } from './point-workload.js';
import { collieSpace, illegality } from './space.js';
import { narrowSpace, spaceJsonSchema } from './space-file.js';

const space = collieSpace(['memory0', 'memory1', 'gpu0']);

describe('a space', () => {
  it('draws and mutates legal workloads only', () => {
    fc.assert(
      fc.property(fc.nat(1e9), (seed) => {
        const random = new Random(seed);
        let point = drawPoint(space, random);
        for (let step = 0; step < 20; step++) {
          expect(illegality(point, space)).toBeNull();
          resolveWorkload(workloadInputOf(point, { length: 'short' }));
          point = mutatePoint(point, space, random)!;
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is narrowed by a file', () => {
    const mine = narrowSpace(
      space,
      'transport: RC\nopcode: [WRITE, SEND]\nqps: { max: 64 }\nbatch: 4\nsizes: { min: 64, max: 5000, length: 2 }\nmemory: memory0\n',
      'mine.yaml',
    );
    const random = new Random(1);
    for (let count = 0; count < 200; count++) {
      const point = drawPoint(mine, random);
      expect(point.transport).toBe('RC');
      expect(['WRITE', 'SEND']).toContain(point.opcode);
      expect(point.qps).toBeLessThanOrEqual(64);
      expect(point.batch).toBe(4);
      expect([point.memoryA, point.memoryB]).toEqual(['memory0', 'memory0']);
      expect(point.sizes.length).toBeLessThanOrEqual(2);
      expect(Math.max(...point.sizes)).toBeLessThanOrEqual(5000);
    }
  });

  it.each([
    ['qps: { min: 64, max: 8 }', 'SPACE_IMPOSSIBLE', 'qps.min', ':1:'],
    ['\nqps: { max: 30000 }', 'SPACE_INVALID', 'qps.max', ':2:'],
    ['qps: many', 'SPACE_INVALID', 'qps', ':1:'],
    ['qpz: 4', 'SPACE_INVALID', 'qpz', ':1:'],
    ['transport: [RC, XRC]', 'SPACE_INVALID', 'transport[1]', ':1:'],
    ['transport: []', 'SPACE_INVALID', 'transport', ':1:'],
    ['transport: UD\nopcode: WRITE', 'SPACE_EMPTY', '', ':1:'],
    ['queueDepth: 4\nbatch: 8', 'SPACE_EMPTY', '', ':1:'],
    ['sizes: { min: 8192 }\ntransport: UD', 'SPACE_EMPTY', '', ':1:'],
    ['- 1', 'SPACE_INVALID', '', ':1:'],
    ['sizes: { smallest: 1 }', 'SPACE_INVALID', 'sizes.smallest', ':1:'],
  ])('refuses %j with code, line and field', (text, code, field, line) => {
    try {
      narrowSpace(space, text, 'mine.yaml');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code, field });
      expect((error as Error).message).toContain(`mine.yaml${line}`);
    }
  });

  it('takes a dimension that is pinned', () => {
    const mine = narrowSpace(space, 'qps: 7', 'mine.yaml');
    const random = new Random(1);
    const point = drawPoint(mine, random);
    expect([point.qps, mutatePoint(point, mine, random)!.qps]).toEqual([7, 7]);
  });
});

it('has a published schema that is current (vitest -u writes it anew)', async () => {
  await expect(`${JSON.stringify(spaceJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../../../../docs/schema/space.schema.json',
  );
});
