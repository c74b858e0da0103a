import { describe, expect, it } from 'vitest';
import * as profiles from '../../src/profiles/index.js';
import { calibratedConstants, movesOf, ownerOf, variantOf, withMove } from './constants.js';
import { effectOf, figuresOf } from './moved.js';
import { sensitivityPage } from './page.js';

// Goal: a constant is moved where it is written and nowhere else, and what moves by chance is not called moved.

const constants = calibratedConstants(profiles);
const find = (profile: string, name: string) =>
  constants.find((each) => each.profile === profile && each.name === name)!;

describe('the constants', () => {
  it('are the calibrated ones, each at the profile that gives it', () => {
    expect(find('connectx-6-200g', 'ackNs')).toMatchObject({ kind: 'device', value: 8, moves: [7.2, 8.8] });
    expect(find('connectx-5-100g', 'ackNs')).toBeUndefined();
    expect(find('connectx-5-100g', 'contextMissSlots').moves).toEqual([10, 12]);
    // Measured, switched off, a switch.
    for (const name of ['qpMessageGapNs', 'burstDivisor', 'nakEachRound'])
      expect(find('connectx-6-200g', name)).toBeUndefined();
  });

  it('are moved within their range, whole ones by at least one', () => {
    expect(movesOf(4, { integer: true, min: 1, max: 64 })).toEqual([3, 5]);
    expect(movesOf(1, { integer: true, min: 1, max: 64 })).toEqual([2]);
    expect(movesOf(100, { integer: false, min: 0, max: 105 })).toEqual([90]);
  });

  it('are moved to what their profile takes with its other constants', () => {
    expect(find('connectx-6-100g', 'pcieGbps').moves).toEqual([108]);
    expect(constants.filter(({ moves }) => moves.length === 0)).toEqual([]);
  });

  it('are changed in the subsystem that settings stand for', () => {
    expect(variantOf(profiles, 'collie-h', { registers: 'fixed' })).toBe('collie-h-fixed');
    expect(variantOf(profiles, 'collie-h', { ordering: 'strict' })).toBe('collie-h');
    expect(variantOf(profiles, 'husky', { registers: 'fixed' })).toBe('husky');
  });

  it('are changed where a subsystem has them from that profile, and a row does not set them itself', () => {
    const ack = find('connectx-6-200g', 'ackNs');
    expect(ownerOf(profiles, 'device', 'connectx-6-100g', 'ackNs')).toBe('connectx-6-200g');
    expect(withMove(profiles, 'husky', {}, ack, 9)).toEqual({ 'device.ackNs': 9 });
    expect(withMove(profiles, 'collie-h', {}, ack, 9)).toEqual({});
    expect(withMove(profiles, 'husky', { 'device.ackNs': 1 }, ack, 9)).toEqual({ 'device.ackNs': 1 });
    expect(withMove(profiles, 'husky', { device: 'broadcom-p2100g' }, ack, 9)).toEqual({
      device: 'broadcom-p2100g',
    });
  });
});

describe('what moves', () => {
  const run = (ok: boolean, ...figures: number[]) => ({ ok, figures });
  const base = [run(true, 100, 5), run(true, 104, 5), run(true, 102, 5)];

  it('reads the figures of a row out of numbers and sentences', () => {
    expect(figuresOf(2.5)).toEqual([2.5]);
    expect(figuresOf({ a: 1, trigger: 'pause, 51.66/87.68 Gb/s, pause 0/1e-3 %' })).toEqual([
      1, 51.66, 87.68, 0, 1e-3,
    ]);
  });

  it('is more than the seeds do', () => {
    expect(effectOf(base, run(true, 109, 5))).toBe(null);
    expect(effectOf(base, run(true, 111, 5))).toBe('moves');
    expect(effectOf(base, run(true, 102, 5.2))).toBe('moves');
    expect(effectOf(base, run(false, 102, 5))).toBe('turns');
    expect(effectOf(base, { ...run(false), failed: 'the run failed' })).toBe('fails');
  });
});

it('the page names what is pinned and what is not', () => {
  const { moves: movedTo, ...ack } = find('connectx-6-200g', 'ackNs');
  const found = { ...ack, movedTo, rows: 2, turns: ['C10'], moves: ['P2'], fails: [] };
  const loose = { ...found, name: 'elementNs', turns: [], moves: [] };
  const page = sensitivityPage({
    ...{ constants: [found, loose], rows: ['C10', 'P2'], leftOut: ['S1'], noProfile: ['A1'], complete: true },
  });
  expect(page).toContain('**1 of 2 calibrated constants are pinned by a row**');
  expect(page).toContain('| `ackNs` | connectx-6-200g | 8 | C10 | P2 |');
  expect(page.split('## Pinned by no row')[1]).toContain('| `elementNs` | connectx-6-200g | 8 | 2 |');
});
