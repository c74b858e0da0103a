import { describe, expect, it } from 'vitest';
import type { WorkloadInput } from '../../workload/index.js';
import { inProcessJobs } from '../index.js';
import { changeSubsystem, lossesOf } from './change.js';
import { compare, comparePresets, parseSweep, requireComparable } from './index.js';

// Goal: every variant meets every value of the sweep with nothing else changed, what a device refuses is an answer, and
// what cannot be compared is refused before anything runs.

const SHORT = { sliceNs: 5000, minNs: 60_000, maxNs: 120_000 };
const SENDS: WorkloadInput = { opcode: 'SEND', sizes: [512], mtu: 1024, measure: SHORT };

describe('a sweep', () => {
  it.each([
    ['qps=1,16,256', 'qps', [1, 16, 256]],
    ['qps=1..10', 'qps', [1, 2, 4, 8, 10]],
    ['qps=1..64*8', 'qps', [1, 8, 64]],
    ['loss=0.00001..0.001', 'loss', [0.00001, 0.00003, 0.0001, 0.0003, 0.001]],
    ['opcode=READ,WRITE', 'opcode', ['READ', 'WRITE']],
    ['size=64, 64,128', 'size', [64, 128]],
  ])('%s', (text, parameter, values) => {
    expect(parseSweep(text)).toEqual({ parameter, values });
  });

  it.each(['', 'qps', '=1', 'qps=', 'qps=1,,2', 'qps=8..1', 'loss=0..1', 'qps=1..1000000*1.0001'])(
    '%j is refused',
    (text) => {
      expect(() => parseSweep(text)).toThrow(
        expect.objectContaining({ code: 'COMPARE_BAD_SWEEP', field: 'sweep' }),
      );
    },
  );
});

describe('changes', () => {
  it('become profiles that extend those of the subsystem', () => {
    const changed = changeSubsystem('srnic', {
      'device.contextCacheEntries': '64',
      'settings.pfc': 'disabled',
      fabric: 'lossless-switch',
      loss: 0.01,
      ablate: 'context-cache+receive-wqe-cache',
    });
    expect(changed).toMatchObject({
      subsystem: 'srnic-changed',
      loss: 0.01,
      ablate: ['context-cache', 'receive-wqe-cache'],
    });
    const [device, subsystem] = changed.profiles.map(({ text }) => JSON.parse(text));
    expect(device).toMatchObject({
      extends: 'connectx-6-100g',
      constants: { contextCacheEntries: { value: 64 } },
    });
    expect(subsystem).toMatchObject({ fabric: 'lossless-switch', settings: { pfc: 'disabled' } });
    expect(changeSubsystem('srnic', {})).toMatchObject({ subsystem: 'srnic', profiles: [], loss: 0 });
  });

  it.each([
    [{ 'device.contextCacheEntires': 64 }, /contextCacheEntries/],
    [{ 'device.contextCacheEntries': 'many' }, /a number/],
    [{ 'device.contextCacheEntries': -1 }, /contextCacheEntries/],
    [{ 'settings.pfc': 'maybe' }, /enabled, disabled/],
    [{ 'settings.pcf': 'enabled' }, /settings.NAME/],
    [{ loss: 2 }, /0 to 1/],
    [{ ablate: 'everything' }, /context-cache/],
    [{ ablate: 'context-cache+everything' }, /everything/],
    [{ colour: 'red' }, /device.CONSTANT/],
  ])('%j is refused', (changes, message) => {
    const variants = [{ name: 'one', on: 'srnic', changes }];
    expect(() => requireComparable({ variants, workload: SENDS })).toThrow(message);
  });
});

describe('a comparison', () => {
  it('has every variant at every value, and a variant differs by its changes alone', async () => {
    const small = { 'device.contextCacheEntries': 16, 'device.receiveWqeCacheBytes': 1024 };
    const request = {
      variants: [
        { name: 'shipped', on: 'srnic' },
        { name: 'the same', on: 'srnic' },
        { name: 'small', on: 'srnic', changes: small },
      ],
      workload: { ...SENDS, qps: 4 },
      sweep: parseSweep('qps=4,128'),
    };
    const seen: number[] = [];
    const comparison = await compare(request, {
      pool: inProcessJobs(),
      onPoint: (_, done) => seen.push(done),
    });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(comparison).toMatchObject({ parameter: 'qps', values: [4, 128], partial: false });
    const [shipped4, shipped128, same4, same128, small4, small128] = comparison.points.map(
      ({ readings }) => readings!['goodputGbps']!,
    );
    expect([same4, same128]).toEqual([shipped4, shipped128]);
    expect(small4).toBeGreaterThan(0);
    expect(small128).toBeLessThan(shipped128 * 0.9);
  });

  it('sweeps losses, constants and fields of the workload', async () => {
    const variants = [{ name: 'one', on: 'srnic' }];
    const goodput = async (text: string) =>
      (await compare({ variants, workload: SENDS, sweep: parseSweep(text) })).points.map(
        ({ readings }) => readings?.['goodputGbps'] ?? null,
      );
    const [clean, lossy] = (await goodput('loss=0,0.02')) as number[];
    expect(lossy).toBeLessThan(clean * 0.9);
    const [narrow, wide] = (await goodput('device.pcieGbps=10,100')) as number[];
    expect(narrow).toBeLessThan(wide);
    const [, long] = (await goodput('size=64,4096')) as number[];
    expect(long).toBeGreaterThan(clean);
  });

  it('says why a point cannot be measured, and measures the others', async () => {
    const { points } = await compare({
      variants: [{ name: 'one', on: 'srnic' }],
      workload: { ...SENDS, to: 'c' },
      sweep: parseSweep('fabric=lossless-switch,back-to-back'),
    });
    expect(points[0].readings).not.toBeNull();
    expect(points[1]).toMatchObject({ readings: null, refused: expect.stringMatching(/\[[A-Z_]+\]$/) });
  });

  it('keeps what it has when it is interrupted', async () => {
    const interrupt = new AbortController();
    const comparison = await compare(
      { variants: [{ name: 'one', on: 'srnic' }], workload: SENDS, sweep: parseSweep('qps=1,2,4') },
      { signal: interrupt.signal, onPoint: () => interrupt.abort() },
    );
    expect(comparison.partial).toBe(true);
    expect(comparison.points.map(({ readings }) => readings !== null)).toEqual([true, false, false]);
  });

  it.each([
    [{ variants: [] }, 'variants'],
    [{ variants: ['a', 'a'].map((name) => ({ name, on: 'srnic' })) }, 'variants'],
    [{ variants: [{ name: 'a', on: 'srnic' }] }, 'workload'],
    [{ variants: [{ name: 'a', on: 'srnic' }], kind: 'memory' as const }, 'sweep'],
    [{ variants: [{ name: 'a', on: 'husky' }], kind: 'fat-tree' as const }, 'variants'],
    [{ variants: [{ name: 'a', on: 'irn' }], kind: 'fat-tree' as const }, 'sweep'],
    [{ variants: [{ name: 'a', on: 'srnic' }], workload: SENDS, metrics: ['speed'] }, 'metric'],
  ])('%j is refused', (request, field) => {
    expect(() => requireComparable(request)).toThrow(expect.objectContaining({ field }));
  });

  it('has presets that can be run', () => {
    for (const preset of Object.values(comparePresets)) requireComparable(preset);
  });
});

describe('losses', () => {
  it('are on the way of the data, on the way back, or on both', () => {
    expect(lossesOf({ loss: 0, backLoss: 0 })).toEqual({});
    expect(lossesOf({ loss: 0.1, backLoss: 0 })).toEqual({ h1: { loss: 0.1 } });
    expect(lossesOf({ loss: 0.1, backLoss: 0.2 })).toEqual({ h1: { loss: 0.1 }, h0: { loss: 0.2 } });
  });
});
