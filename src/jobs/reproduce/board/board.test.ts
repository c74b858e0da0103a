import { describe, expect, it } from 'vitest';
import { searchRows } from '../rows/collie/search.js';
import { pending, rows } from '../rows.js';
import type { RowResult } from '../task.js';
import { type Board, boardHeadline, differing, makeBoard, renderBoard, turnedRed } from './board.js';
import { bar, chart } from './chart.js';

// Goal: the page says what the data say, and a row that changed is noticed.

const green: RowResult = {
  ...{ id: 'P1', ok: true, paper: 13, simulated: 13.1, unit: 'Mmps', tolerance: '±10 %' },
  ...{ trend: null, magnitude: true },
};
const red: RowResult = {
  ...green,
  id: 'P2',
  ok: false,
  simulated: { 'a | b': 1, c: 'words' },
  magnitude: false,
  reason: 'the value is far off',
};
const symptomOnly: RowResult = {
  ...{
    id: 'C9',
    ok: false,
    paper: 'pause',
    simulated: { trigger: 'pause' },
    unit: 'symptom',
    tolerance: 'symptom',
  },
  ...{ trend: true, magnitude: false, encoded: 'an exemption', reason: 'a pauses 97 % of the time' },
};
const partly: RowResult = {
  ...green,
  ...{ id: 'S4', ok: false, partly: 'half of it', reason: 'half of it waits for a device' },
};
const searched: RowResult = {
  ...green,
  id: 'CS1',
  ok: false,
  trend: false,
  magnitude: null,
  reason: '11 of 13',
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
    ...[green, red, symptomOnly, partly].map((result) => ({ kind: 'row' as const, result, seed: 1 })),
    { kind: 'row', result: green, seed: 2 },
    { kind: 'row', result: { ...red, ok: true, magnitude: true }, seed: 2 },
    { kind: 'sweep', result: sweep },
    { kind: 'ablation', result: ablation },
  ],
  1,
  [searched],
);

describe('a board', () => {
  const page = renderBoard(board);

  it('has paper beside simulator, with the reason of a red row', () => {
    expect(page).toContain(
      '| P1 | one M application alone, one QP | 13 | 13.1 | Mmps | ±10 % | – | yes | green, 2 of 2 seeds |',
    );
    expect(page).toContain(
      'a \\| b: 1; c: words | Mmps | ±10 % | – | **1 of 2 seeds** | **red**, 1 of 2 seeds: the value is far off |',
    );
  });

  it('tells the symptom from its magnitude, and what is encoded or run in part', () => {
    expect(page).toMatch(
      /\| C9 \|.*\| symptom \| symptom \| yes \| \*\*no\*\* \| \*\*red\*\*: a pauses 97 % of the time; \*encoded\*: an exemption \|/,
    );
    expect(page).toMatch(/\| S4 \|.*\| \*\*partly\*\*: half of it waits for a device \|/);
  });

  it('says which anomalies come with a number, and how many of these hold', () => {
    expect(page).toMatch(/Of Collie's 18 anomalies the paper gives .* for 1 \(C9\); 0 of 1 hold\./);
  });

  it('counts every row of every target, those about the search and those that wait among them', () => {
    const all = rows.length + searchRows.length + pending.length;
    expect(page).toContain(`**1 of all ${all} rows are green**`);
    expect(page).toContain('Symptom or trend: 1 of 2 rows that have one. Magnitude: 2 of 4.');
    expect(page).toContain(
      `${pending.length} rows are not yet simulated, 1 only in part; 0 green ones are *encoded*`,
    );
    expect(boardHeadline(board)).toMatch(
      new RegExp(
        `^1 of all ${all} rows are green with each of the seeds 1, 2: trend 1 of 2, magnitude 2 of 4; 0 green`,
      ),
    );
    expect(page).toMatch(/\| A3 \|.*waits for a NIC that fences.*\| not yet \|/);
    expect(page).toMatch(/\| CS1 \|.*\| \*\*no\*\* \| – \| \*\*red\*\*: 11 of 13 \|/);
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
