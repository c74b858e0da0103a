import { beforeEach, describe, expect, it } from 'vitest';
import { Suspects } from '../search/suspects.js';
import { referencePoint } from '../space/reference.js';
import { collieSpace } from '../space/space.js';
import { type Find, KnownFinds } from './known-finds.js';

const space = collieSpace(['memory0', 'memory1']);
const reference = referencePoint(space);
const point = { ...reference, opcode: 'READ' as const, qps: 192, sge: 3 };
const moved = ['send_wqe_cache_miss'];

let finds: KnownFinds;
let find: Find;
beforeEach(() => {
  finds = new KnownFinds(space);
  find = {
    ...{ symptom: 'pause', point, complete: true, experiment: 1, times: 1, moved, corners: [] },
    features: [
      { dimension: 'qps', min: 192 },
      { dimension: 'sge', min: 3 },
      { dimension: 'opcode', in: ['READ'] },
    ],
  };
  finds.add(find);
});

describe('known finds', () => {
  it('own what is within a set, and are near to what is a step beside it', () => {
    expect(finds.ownerOf({ ...point, qps: 512 })).toBe(find);
    expect(finds.ownerOf({ ...point, qps: 128 })).toBeUndefined();
    expect(finds.nearestOf({ ...point, qps: 128 })).toBe(find);
    expect(finds.nearestOf({ ...point, qps: 16 })).toBeUndefined();
  });

  it('take a point for another corner by symptom, kind and telling counters alone', () => {
    const corner = { point: { ...point, qps: 96, batch: 64 }, symptom: 'pause' as const, moved };
    expect(finds.siblingOf(corner)).toBe(find);
    expect(finds.siblingOf({ ...corner, symptom: 'throughput' })).toBeUndefined();
    expect(finds.siblingOf({ ...corner, moved: ['icm_cache_miss'] })).toBeUndefined();
    expect(finds.siblingOf({ ...corner, moved: [...moved, 'icm_cache_miss'] })).toBeUndefined();
    expect(
      finds.siblingOf({ ...corner, point: { ...corner.point, direction: 'bi' as const } }),
    ).toBeUndefined();
  });

  it('own what is beyond a corner, which is verified where a full run had the symptom', () => {
    const corner = { ...point, qps: 96, batch: 64 };
    finds.addCorner(find, corner, 'pause', 7);
    finds.addCorner(find, { ...corner, batch: 32 }, null, 8);
    expect(find.corners.map(({ verified, experiment }) => [verified, experiment])).toEqual([
      [true, 7],
      [false, 8],
    ]);
    expect(finds.ownerOf({ ...corner, qps: 128 })).toBe(find);
    expect(finds.ownerOf({ ...corner, batch: 16 })).toBeUndefined();
  });
});

describe('suspects', () => {
  const suspect = {
    point: { ...reference, opcode: 'SEND' as const },
    symptom: 'pause' as const,
    experiment: 2,
  };

  it('are looked at unless known, like a known one, or maybe one that is underway', () => {
    const suspects = new Suspects(finds);
    const other = { ...suspect, moved: ['receive_wqe_cache_miss'] };
    const resembling = { ...suspect, point: { ...point, qps: 16, sge: 1 }, moved };
    expect(suspects.admit({ ...suspect, point, moved })).toBeNull();
    expect(suspects.admit(resembling)).toBeNull();
    expect(suspects.nextResembling()).toBe(resembling);
    expect(suspects.admit(other)).toBe(other);
    suspects.begin(other);
    expect(suspects.admit({ ...other })).toBeNull();
    expect(suspects.nextWaiting()).toBeUndefined();
    const apart = { ...suspect, moved: ['icm_cache_miss'] };
    expect(suspects.admit(apart)).toBe(apart);
    suspects.end(other);
    expect(suspects.nextWaiting()).toEqual(other);
    expect(find.times).toBe(2);
  });

  it('that resemble known ones come in the order of how little they do', () => {
    const suspects = new Suspects(finds);
    const near = { ...suspect, point: { ...point, sge: 1 }, moved };
    const far = { ...suspect, point: { ...point, qps: 16, sge: 1 }, moved };
    expect([near, far].map((each) => finds.failedConditions(each))).toEqual([1, 2]);
    for (const each of [near, far]) expect(suspects.admit(each)).toBeNull();
    expect([suspects.nextResembling(), suspects.nextResembling()]).toEqual([far, near]);
    expect(suspects.nextResembling()).toBeUndefined();
  });
});
