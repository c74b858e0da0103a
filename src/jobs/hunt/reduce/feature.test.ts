import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { drawPoint } from '../search/draw.js';
import { collieSpace } from '../space/space.js';
import { cornerAt, type Feature, meetsAll } from './feature.js';

const point = {
  ...drawPoint(collieSpace(['memory0']), new Random(1)),
  transport: 'UD',
  sizes: [512],
} as const;

describe('a mix', () => {
  const messages: Feature = { dimension: 'mix', shortMax: 1024, longMin: 65536 };
  const elements: Feature = { ...messages, of: 'elements' };
  const sizes = [128, 65536, 1024];

  it('of messages has short and long ones, whatever elements they have', () => {
    expect(meetsAll({ ...point, sge: 3, layout: 'even', sizes }, [messages])).toBe(true);
    expect(meetsAll({ ...point, sge: 3, layout: 'list', sizes }, [messages])).toBe(false);
    const lists = [64, 64, 65536, 65536];
    expect(meetsAll({ ...point, sge: 2, layout: 'list', sizes: lists }, [messages])).toBe(true);
  });

  it('of elements is one of lists', () => {
    expect(meetsAll({ ...point, sge: 3, layout: 'list', sizes }, [elements])).toBe(true);
    expect(meetsAll({ ...point, sge: 3, layout: 'even', sizes }, [elements])).toBe(false);
  });
});

describe('another sight of an anomaly', () => {
  const features: Feature[] = [
    { dimension: 'transport', in: ['UD'] },
    { dimension: 'qps', min: 16 },
    { dimension: 'queueDepth', min: 1024 },
    { dimension: 'sizes', max: 1024 },
  ];
  const deep = { ...point, qps: 16, queueDepth: 1024, batch: 1 };
  const shallow = { ...point, qps: 128, queueDepth: 128, batch: 4 };

  it('adds what has at least as much of everything as it has', () => {
    const corner = cornerAt(shallow, features, deep);
    expect(meetsAll(shallow, corner)).toBe(true);
    expect(meetsAll({ ...shallow, qps: 256, sizes: [64] }, corner)).toBe(true);
    expect(meetsAll({ ...shallow, transport: 'RC' }, corner)).toBe(false);
  });

  it('does not claim what is between it and the set', () => {
    expect(meetsAll({ ...shallow, qps: 16 }, cornerAt(shallow, features, deep))).toBe(false);
    expect(meetsAll({ ...shallow, batch: 1 }, cornerAt(shallow, features, deep))).toBe(false);
    expect(meetsAll({ ...shallow, sizes: [2048] }, cornerAt(shallow, features, deep))).toBe(false);
  });

  it('asks for no region that its messages need anyway', () => {
    const long = { ...shallow, transport: 'RC' as const, sizes: [262_144], mrBytes: 262_144 };
    const known = { ...long, sizes: [65536], mrBytes: 65536 };
    const names = (at: typeof long) => cornerAt(at, features, known).map(({ dimension }) => dimension);
    expect(names(long)).not.toContain('mrBytes');
    expect(names({ ...long, mrBytes: 1_048_576 })).toContain('mrBytes');
  });

  it('with short messages beside long ones claims no messages of one length', () => {
    const long: Feature[] = [{ dimension: 'sizes', min: 65536 }];
    const lists: Feature[] = [{ dimension: 'mix', shortMax: 1024, longMin: 4096, of: 'elements' }];
    const mixed = { ...shallow, transport: 'RC' as const, sizes: [65536, 64] };
    for (const features of [long, lists]) {
      const corner = cornerAt(mixed, features, { ...mixed, sizes: [65536] });
      expect(meetsAll(mixed, corner)).toBe(true);
      for (const size of [64, 1024, 65536]) expect(meetsAll({ ...mixed, sizes: [size] }, corner)).toBe(false);
    }
    // As far as it meets the bounds of a known mix these hold for it too.
    const corner = cornerAt(mixed, lists, { ...mixed, layout: 'list' });
    expect(meetsAll({ ...mixed, sizes: [4096, 512] }, corner)).toBe(true);
    expect(meetsAll({ ...mixed, sizes: [4096, 2048] }, corner)).toBe(false);
  });

  it('is itself part of what it adds, whatever of the set it does without', () => {
    const mixed: Feature[] = [
      { dimension: 'mix', shortMax: 2048, longMin: 4096 },
      { dimension: 'opcode', in: ['WRITE', 'READ'] },
    ];
    const uniform = { ...shallow, sizes: [8192], opcode: 'SEND' as const };
    const corner = cornerAt(uniform, mixed, deep);
    expect(meetsAll(uniform, corner)).toBe(true);
    expect(meetsAll({ ...uniform, sizes: [65536] }, corner)).toBe(false);
    expect(meetsAll({ ...uniform, opcode: 'WRITE' }, corner)).toBe(false);
  });
});
