import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { makeBoard, type RowResult } from '../../../jobs/reproduce/index.js';
import { writeBoard } from '../../reproduce/board-file.js';
import { typed } from '../../testing/typed.js';

// Goal: the exit code says whether something got worse, and only that.
// Method: the rows are not run; what they give is told here.

const row: RowResult = {
  ...{ id: 'P1', ok: true, paper: 13, simulated: 13.1, unit: 'Mmps', tolerance: '±10 %' },
  ...{ trend: null, magnitude: true },
};
const given = vi.hoisted(() => ({ results: [] as unknown[] }));
vi.mock('../../../jobs/reproduce/reproduce.js', async (original) => ({
  ...(await original<object>()),
  runTasks: async () => given.results,
}));

const folder = mkdtempSync(join(tmpdir(), 'kelpie-exit-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function exitCode(now: RowResult, committed: RowResult): Promise<{ code: number; err: string }> {
  await writeBoard(pathToFileURL(`${folder}/`), makeBoard([{ kind: 'row', result: committed, seed: 1 }], 1));
  given.results = [{ kind: 'row', result: now, seed: 1 }];
  const { code, err } = await typed(['reproduce', 'P1', '--board', folder]);
  return { code, err };
}

describe('the exit code', () => {
  const red: RowResult = { ...row, ok: false, simulated: 5, reason: 'far off' };

  it('is 1 when a row that was green has turned red, and says which', async () => {
    const { code, err } = await exitCode(red, row);
    expect(code).toBe(1);
    expect(err).toContain('P1 is green on the committed board and has turned red');
  });

  it.each([
    ['stays green', { ...row, simulated: 13.2 }, row],
    ['was red and stays red', red, red],
    ['was red and has turned green', row, red],
  ])('is 0 when the row %s', async (_, now, committed) => {
    expect(await exitCode(now, committed)).toEqual({ code: 0, err: '' });
  });
});
