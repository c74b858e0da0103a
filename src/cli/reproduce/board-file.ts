import { readFile, writeFile } from 'node:fs/promises';
import { type Board, boardText, renderBoard } from '../../jobs/reproduce/index.js';

/** Where the committed board lies: beside the other documents of this package. */
export const boardFolder = new URL('../../../docs/', import.meta.url);

const DATA = 'fidelity.json';
const PAGE = 'fidelity.md';

/** The committed board; null where there is none. */
export async function readBoard(folder: URL): Promise<Board | null> {
  const text = await textOf(new URL(DATA, folder));
  return text === null ? null : (JSON.parse(text) as Board);
}

/** Whether the committed page is what its data render to. */
export async function isPageCurrent(folder: URL, board: Board): Promise<boolean> {
  return (await textOf(new URL(PAGE, folder))) === renderBoard(board);
}

/** Writes both files of a board. */
export async function writeBoard(folder: URL, board: Board): Promise<void> {
  await writeFile(new URL(DATA, folder), boardText(board));
  await writeFile(new URL(PAGE, folder), renderBoard(board));
}

async function textOf(url: URL): Promise<string | null> {
  try {
    return await readFile(url, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
