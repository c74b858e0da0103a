import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { type Board, makeBoard, type RowResult } from '../../../jobs/reproduce/index.js';
import { boardFolder, writeBoard } from '../../reproduce/board-file.js';
import { typed } from '../../testing/typed.js';

// Goal: what a person types comes out as documented, and the exit code tells a change for the worse.

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kelpie-board-'));
  folders.push(folder);
  return folder;
}

async function withBoard(results: readonly RowResult[], seed = 1): Promise<string> {
  const folder = newFolder();
  const board: Board = makeBoard(
    results.map((result) => ({ kind: 'row', result, seed })),
    seed,
  );
  await writeBoard(pathToFileURL(`${folder}/`), board);
  return folder;
}

const reproduce = (argv: readonly string[], folder: string, signal?: AbortSignal) =>
  typed(['reproduce', '--workers', '1', '--board', folder, ...argv], { signal });

async function measured(id: string): Promise<RowResult> {
  const { out } = await reproduce([id, '--json'], newFolder());
  return (JSON.parse(out) as { rows: RowResult[] }).rows[0];
}

describe('kelpie reproduce', () => {
  it('prints rows as JSON: id, ok, paper, simulated, unit', async () => {
    const { code, out, err } = await reproduce(['P6', 'H9', '--json'], newFolder());
    const report = JSON.parse(out) as { partial: boolean; rows: RowResult[] };
    expect(code).toBe(0);
    expect(err).toContain('no committed board');
    expect(report.partial).toBe(false);
    expect(report.rows.map(({ id, paper, unit }) => ({ id, paper, unit }))).toEqual([
      { id: 'P6', paper: 97.94, unit: 'Gbps' },
      { id: 'H9', paper: 97.07, unit: 'Gbps' },
    ]);
    for (const { ok, simulated } of report.rows) {
      expect(typeof ok).toBe('boolean');
      expect(typeof simulated).toBe('number');
    }
  });

  it('prints a table for people', async () => {
    const { out } = await reproduce(['P6'], newFolder());
    expect(out).toMatch(/^row +setting +paper +simulated +unit +tolerance/);
    expect(out).toMatch(/\nP6 +D beside B, native +97\.94 +\d/);
    expect(out).toContain('of 1 rows are green');
  });

  it('counts the rows of all targets where it shows the committed board', async () => {
    const { code, out } = await reproduce(['--show-board'], fileURLToPath(boardFolder));
    expect(code).toBe(0);
    const page = readFileSync(new URL('fidelity.md', boardFolder), 'utf8');
    const [counts] = /[0-9]+ of all [0-9]+ rows are green/.exec(page)!;
    expect(out).toContain(`\n${counts} with each of the seeds 1, 2, 3: trend `);
    const { summary } = JSON.parse(
      (await reproduce(['--show-board', '--json'], fileURLToPath(boardFolder))).out,
    ) as {
      summary: { headline: string };
    };
    expect(summary.headline).toContain(counts);
  });

  it.each([
    [['Q7'], /no such row.*Q7.*P1, P2/],
    [['A3'], /not yet simulated.*a NIC that fences/],
    [['P6', '--workers', '0'], /--workers/],
    [['P6', '--subset', 'ci'], /--subset/],
    [['P6', '--update-board'], /--update-board/],
    [['--update-board', '--check-board'], /--check-board/],
  ])('refuses %j with exit 2 and writes nothing', async (argv, words) => {
    const folder = newFolder();
    const { code, out, err } = await reproduce(argv, folder);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(words);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('checks that the board is what the rows give', async () => {
    const now = await measured('P6');
    const folder = await withBoard([now]);
    expect(await reproduce(['P6', '--check-board'], folder)).toMatchObject({ code: 0, err: '' });
    const moved = await withBoard([{ ...now, simulated: 1 }]);
    const outcome = await reproduce(['P6', '--check-board'], moved);
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain('P6 is not what the committed board says');
    expect((await reproduce(['P6', '--check-board', '--seed', '2'], folder)).code).toBe(2);
    expect((await reproduce(['P6', '--check-board'], newFolder())).code).toBe(1);
  });

  it('prints what had finished when it is interrupted, marked partial', async () => {
    const { code, out } = await reproduce(['P6', 'H9', '--json'], newFolder(), AbortSignal.abort());
    expect(code).toBe(130);
    expect(JSON.parse(out)).toMatchObject({ partial: true, rows: [] });
  });
});
