import { describe, expect, it } from 'vitest';
import { type Board, differing, makeBoard, renderBoard, turnedRed } from './board.js';
import { bar, chart } from './chart.js';
import type { RowResult } from './task.js';

// Goal: the page says what the data say, and a row that changed is noticed.

const green: RowResult = { id: 'P1', ok: true, paper: 13, simulated: 13.1, unit: 'Mmps', tolerance: '±10 %' };
const red: RowResult = {
  ...green,
  id: 'P2',
  ok: false,
  simulated: { 'a | b': 1, c: 'words' },
  reason: 'the value is far off',
};
const sweep = {
  id: 'C1 batch',
  row: 'C1',
  parameter: 'batch',
  points: [
    { value: 8, pause: 0, lineShare: 1, symptom: null },
    { value: 64, pause: 0.25, lineShare: 0.5, symptom: 'pause' as const },
  ],
};
const ablation = {
  id: 'C1',
  mechanism: 'receive-wqe-window',
  counter: 'receive_wqe_window_miss',
  on: 'pause, 150 Gb/s',
  off: 'clean (line), 190 Gb/s',
  cleanBy: 'batch',
  counted: { on: 2_500_000, off: 0, clean: 12 },
  clears: true,
  raised: true,
};
const board: Board = makeBoard(
  [
    { kind: 'row', result: green },
    { kind: 'row', result: red },
    { kind: 'sweep', result: sweep },
    { kind: 'ablation', result: ablation },
  ],
  1,
);

describe('a board', () => {
  const page = renderBoard(board);

  it('has paper beside simulator, with the reason of a red row', () => {
    expect(page).toContain('| P1 | one M application alone, one QP | 13 | 13.1 | Mmps | ±10 % | green |');
    expect(page).toContain('a \\| b: 1; c: words | Mmps | ±10 % | **red**: the value is far off |');
    expect(page).toContain('**1 of 2 rows are green** (50 %).');
    expect(page).toContain('| S8 | SRNIC |');
  });

  it('has the causes with their ablation and the counter', () => {
    expect(page).toContain('1 of 1 causes hold');
    expect(page).toContain('`receive_wqe_window_miss` (host b): 2.50e+6 / 12 (batch) / 0 | yes |');
  });

  it('has the sweeps as plots', () => {
    expect(page).toContain('### C1: batch');
    expect(page).toContain(chart(sweep));
  });

  it('knows which rows have turned red and which differ', () => {
    const worse = { ...green, ok: false, reason: 'it broke' };
    const moved = { ...green, simulated: 13.2 };
    expect(turnedRed(board, [worse, red])).toEqual(['P1']);
    expect(turnedRed(board, [green, red])).toEqual([]);
    expect(differing(board, [moved, red])).toEqual(['P1']);
    expect(differing(board, [green, red])).toEqual([]);
    expect(differing(board, [{ ...green, id: 'P3' }])).toEqual(['P3']);
  });
});

describe('a bar', () => {
  it.each([
    [0, ''],
    [0.0001, '▏'],
    [0.5, '████████████'],
    [1, '████████████████████████'],
    [1.5, '████████████████████████'],
  ])('of %d is %j', (share, expected) => {
    expect(bar(share)).toBe(expected);
  });
});
