import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { drawPoint } from '../search/draw.js';
import { hardwareSeconds } from './point.js';
import { referencePoint, takenBack } from './reference.js';
import { collieSpace, OPERATIONS, spaceAround } from './space.js';

const space = collieSpace(['memory0', 'memory1']);
const reference = referencePoint(space);

describe('taking a point back to the reference', () => {
  it('brings in no MTU that no message had reached', () => {
    const short = { ...reference, sizes: [512], mtu: 1024 };
    expect(takenBack(short, ['sizes'], reference, space)).toMatchObject({ sizes: [65536], mtu: 4096 });
  });

  it('keeps to the usual number of queue entries where the point does', () => {
    const back = (queueDepth: number) => {
      const point = { ...reference, qps: 1024, queueDepth };
      return takenBack(point, ['queueDepth'], reference, spaceAround(point, space))?.queueDepth;
    };
    // 32,768 entries in all, unless there are more already.
    expect(back(16)).toBe(32);
    expect(back(64)).toBe(128);
  });

  it('leaves an MTU that cuts messages', () => {
    const cut = { ...reference, sizes: [16384], mtu: 1024 };
    expect(takenBack(cut, ['sizes'], reference, space)).toMatchObject({ sizes: [65536], mtu: 1024 });
  });
});

describe('drawing points', () => {
  it('has every kind of traffic about as often as any other', () => {
    const random = new Random(1);
    const counts = new Map<string, number>();
    for (let drawn = 0; drawn < 3000; drawn++) {
      const { transport, opcode } = drawPoint(space, random);
      const kind = `${transport} ${opcode}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    expect(counts.size).toBe(Object.values(OPERATIONS).flat().length);
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(400);
      expect(count).toBeLessThan(600);
    }
  });
});

describe('the time of an experiment on real machines', () => {
  it('is 20 s with little to set up and 60 s with all that the space has', () => {
    expect(hardwareSeconds(reference)).toBeCloseTo(20.035, 3);
    expect(hardwareSeconds({ ...reference, qps: 20_000 })).toBe(60);
    expect(hardwareSeconds({ ...reference, qps: 1, mrs: 200_000 })).toBe(60);
    expect(hardwareSeconds({ ...reference, qps: 5000, direction: 'bi' })).toBeCloseTo(41, 3);
  });
});
