import { describe, expect, it } from 'vitest';
import type { Feature } from '../reduce/feature.js';
import type { Point } from '../space/point.js';
import { collieRows, type Matchable, matchRows, tableColumn } from './collie-rows.js';

const base: Point = {
  memoryA: 'memory0',
  memoryB: 'memory0',
  direction: 'uni',
  mrs: 1,
  mrBytes: 65536,
  transport: 'RC',
  opcode: 'WRITE',
  qps: 8,
  queueDepth: 128,
  batch: 1,
  sge: 1,
  layout: 'even',
  mtu: 4096,
  sizes: [65536],
};

/** The triggers of appendix A with the dimensions that their rows name. */
const triggers: Readonly<
  Record<string, { point: Partial<Point>; named: string[]; symptom: Matchable['symptom'] }>
> = {
  C1: {
    symptom: 'pause',
    named: ['batch', 'queueDepth'],
    point: { transport: 'UD', opcode: 'SEND', qps: 1, queueDepth: 256, mtu: 2048, batch: 64, sizes: [2048] },
  },
  C2: {
    symptom: 'throughput',
    named: ['queueDepth'],
    point: { transport: 'UD', opcode: 'SEND', qps: 16, queueDepth: 1024, mtu: 1024, batch: 4, sizes: [1024] },
  },
  C3: { symptom: 'pause', named: ['mtu'], point: { opcode: 'READ', mtu: 1024, sizes: [4194304] } },
  C4: {
    symptom: 'pause',
    named: ['batch', 'sge'],
    point: { direction: 'bi', opcode: 'READ', qps: 80, batch: 128, sge: 4, sizes: [128] },
  },
  C5: {
    symptom: 'pause',
    named: ['batch'],
    point: { opcode: 'SEND', qps: 1, queueDepth: 1024, mtu: 1024, batch: 64, sge: 2, sizes: [2048] },
  },
  C6: {
    symptom: 'throughput',
    named: ['queueDepth'],
    point: { opcode: 'SEND', qps: 32, queueDepth: 1024, mtu: 1024, batch: 8, sge: 2, sizes: [1024] },
  },
  C7: { symptom: 'throughput', named: ['qps'], point: { qps: 480, queueDepth: 16, mtu: 1024, sizes: [512] } },
  C8: { symptom: 'throughput', named: ['mrs'], point: { qps: 24, mrs: 1024, mtu: 1024, sizes: [512] } },
  C9: {
    symptom: 'pause',
    named: ['mix', 'sge'],
    point: { direction: 'bi', batch: 8, sge: 3, layout: 'list', sizes: [128, 65536, 1024] },
  },
  C10: {
    symptom: 'pause',
    named: ['mix', 'qps'],
    point: { direction: 'bi', qps: 320, batch: 64, mtu: 1024, sizes: [65536, 128, 128, 128] },
  },
  C11: {
    symptom: 'pause',
    named: ['memoryB'],
    point: { direction: 'bi', qps: 1, mrs: 32, batch: 16, memoryB: 'memory1', sizes: [262144] },
  },
  C12: {
    symptom: 'pause',
    named: ['memoryA'],
    point: { direction: 'bi', batch: 8, sge: 3, memoryA: 'gpu0', memoryB: 'gpu0' },
  },
  C13: {
    symptom: 'pause',
    named: ['direction'],
    point: { direction: 'loopback', qps: 16, mrs: 32, batch: 16, sizes: [262144] },
  },
  C14: { symptom: 'throughput', named: ['qps'], point: { direction: 'bi', qps: 1024, mrs: 82, sge: 4 } },
  C15: {
    symptom: 'pause',
    named: ['qps'],
    point: {
      transport: 'UD',
      opcode: 'SEND',
      qps: 32,
      queueDepth: 64,
      mtu: 2048,
      sizes: [256, 1024, 64, 1024],
    },
  },
  C16: { symptom: 'pause', named: ['mtu'], point: { opcode: 'READ', qps: 500, mtu: 1024, batch: 8 } },
  C17: { symptom: 'pause', named: ['qps'], point: { opcode: 'SEND', qps: 80, mtu: 1024, sizes: [1024] } },
  C18: {
    symptom: 'pause',
    named: ['batch'],
    point: { direction: 'bi', qps: 16, queueDepth: 64, mtu: 1024, batch: 16 },
  },
};

const find = (id: string, change: Partial<Point> = {}, over: Partial<Matchable> = {}): Matchable => {
  const { symptom, named, point } = triggers[id];
  const features = named.map((dimension) => ({ dimension, min: 1 }) as Feature);
  return { symptom, features, point: { ...base, ...point, ...change }, complete: true, ...over };
};
const column = (id: string) => collieRows.find((row) => row.id === id)!.on;

describe('the rows of Table 2', () => {
  it('are all there', () => {
    expect(collieRows.map(({ id }) => id)).toEqual(Array.from({ length: 18 }, (_, index) => `C${index + 1}`));
    expect([tableColumn('collie-f-as-tested'), tableColumn('collie-h-fixed'), tableColumn('husky')]).toEqual([
      'F',
      'H',
      null,
    ]);
  });

  it.each(Object.keys(triggers))('%s is matched by its own trigger and by no other row', (id) => {
    expect(matchRows(find(id), column(id))).toEqual([id]);
  });

  it.each(Object.keys(triggers))('%s is not matched with the other symptom', (id) => {
    const symptom = triggers[id].symptom === 'pause' ? 'throughput' : 'pause';
    expect(matchRows(find(id, {}, { symptom }), column(id))).not.toContain(id);
  });

  it.each(Object.keys(triggers))(
    '%s is not matched where the set does not name what the row is about',
    (id) => {
      expect(matchRows(find(id, {}, { features: [{ dimension: 'mrBytes', min: 1 }] }), column(id))).toEqual(
        [],
      );
    },
  );

  it.each([
    ['C1', { batch: 8 }],
    ['C1', { queueDepth: 64 }],
    ['C1', { transport: 'RC' }],
    ['C2', { queueDepth: 128 }],
    ['C2', { qps: 4 }],
    ['C2', { sizes: [2048] }],
    ['C3', { mtu: 4096 }],
    ['C3', { sizes: [4096] }],
    ['C4', { batch: 8 }],
    ['C4', { sge: 1 }],
    ['C4', { qps: 20 }],
    ['C4', { direction: 'uni' }],
    ['C5', { mtu: 4096 }],
    ['C5', { batch: 8 }],
    ['C6', { sge: 1 }],
    ['C6', { qps: 8 }],
    ['C7', { qps: 64 }],
    ['C7', { sizes: [4096] }],
    ['C7', { batch: 16 }],
    ['C8', { mrs: 64 }],
    ['C8', { sizes: [4096] }],
    ['C9', { direction: 'uni' }],
    ['C9', { sizes: [65536] }],
    ['C10', { direction: 'uni' }],
    ['C10', { batch: 8 }],
    ['C10', { qps: 64 }],
    ['C10', { sizes: [65536] }],
    ['C11', { memoryB: 'memory0' }],
    ['C11', { direction: 'uni' }],
    ['C11', { memoryB: 'gpu0' }],
    ['C12', { memoryA: 'memory0', memoryB: 'memory0' }],
    ['C13', { direction: 'uni' }],
    // SENDs from GPU memory in posts of 64 pause for want of receive WQEs, as #5 does.
    ['C11', { batch: 64 }],
    ['C12', { batch: 64 }],
    ['C13', { batch: 64 }],
    ['C14', { mtu: 1024 }],
    ['C14', { qps: 256 }],
    ['C15', { qps: 4 }],
    ['C15', { queueDepth: 16 }],
    ['C16', { mtu: 4096 }],
    ['C16', { qps: 64 }],
    ['C17', { queueDepth: 32 }],
    ['C17', { qps: 16 }],
    ['C18', { direction: 'uni' }],
  ] as [string, Partial<Point>][])(
    '%s is not matched by %o, which clears it or is something else',
    (id, change) => {
      expect(matchRows(find(id, change), column(id))).not.toContain(id);
    },
  );

  it('a ceiling is not what a row is about', () => {
    const bound = (id: string, ...features: Matchable['features']) =>
      matchRows(find(id, {}, { features }), column(id));
    expect(bound('C1', { dimension: 'batch', min: 64, max: 128 })).toEqual(['C1']);
    expect(bound('C1', { dimension: 'batch', max: 128 })).toEqual([]);
    // READs both ways on many queue pairs pause for want of contexts, with any number of requests per post.
    const contexts = [{ dimension: 'qps', min: 192 } as const, { dimension: 'mtu', in: [1024] } as const];
    expect(bound('C18', ...contexts, { dimension: 'batch', max: 64 })).toEqual([]);
    expect(bound('C18', ...contexts, { dimension: 'batch', min: 16 })).toEqual(['C18']);
  });

  it('a row that says nothing of direction is met where the set does without both directions', () => {
    const both = find('C16', { direction: 'bi' });
    const directions = (...values: string[]): Matchable => ({
      ...both,
      features: [...both.features, { dimension: 'direction', in: values }],
    });
    expect(matchRows(directions('uni', 'bi'), 'H')).toEqual(['C16']);
    expect(matchRows(directions('bi'), 'H')).toEqual([]);
  });
});
