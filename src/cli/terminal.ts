import { coloured, wantsColour } from './colour.js';
import { DrawnBlock } from './drawn-block.js';

/** Where a command writes: results to `out`, progress and errors to `err`. Tests pass their own. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Draws lines over those that were drawn before; an empty text clears them. Does nothing where nobody watches. */
  draw(text: string): void;
  /** Whether a person watches `err`: progress is shown to people only. */
  readonly interactive: boolean;
}

/** What a terminal obeys or is deceived by: control characters but tab and newline, and marks that turn the direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const COMMANDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text that only shows: names and values come from files and peers, and may contain what a terminal takes for commands.
 * Those are written as JSON does, so that JSON means the same before and after.
 *
 * @example
 * visible('\u001b]0;title\u0007'); // '\\u001b]0;title\\u0007'
 */
export function visible(text: string): string {
  return text.replace(COMMANDS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function styled(text: string, isTerminal: boolean): string {
  const shown = visible(text);
  return wantsColour({ isTerminal, environment: process.env }) ? coloured(shown) : shown;
}

const block = new DrawnBlock();

/** What is written goes where the drawn lines were; they come again below it. */
function clear(): void {
  if (!block.isEmpty) process.stderr.write(block.over(''));
}

/** The terminal of this process: the one place where text leaves it. */
export const processTerminal: Terminal = {
  out: (text) => {
    clear();
    process.stdout.write(styled(text, process.stdout.isTTY === true));
  },
  err: (text) => {
    clear();
    process.stderr.write(styled(text, process.stderr.isTTY === true));
  },
  draw: (text) => {
    if (!processTerminal.interactive || (text === '' && block.isEmpty)) return;
    const { columns, rows } = process.stderr;
    process.stderr.write(block.over(visible(text), columns, rows));
  },
  interactive: process.stderr.isTTY === true,
};

/** A column is not made narrower than this. */
const LEAST_COLUMN = 12;

/**
 * Text in columns, the first row as the heading. Columns listed in `right` are aligned to the right. Where the table is
 * wider than the terminal, long cells go on below; in a pipe nothing is folded.
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
  columns: number | undefined = process.stdout.isTTY ? process.stdout.columns : undefined,
): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  if (columns !== undefined) narrow(widths, columns);
  return rows
    .flatMap((row) => {
      const cells = row.map((cell, column) => folded(cell, widths[column]));
      const height = Math.max(...cells.map((lines) => lines.length));
      return Array.from({ length: height }, (_, line) => {
        const texts = cells.map((lines, column) => {
          const text = lines[line] ?? '';
          return right.includes(column) ? text.padStart(widths[column]) : text.padEnd(widths[column]);
        });
        return `${texts.join('  ').trimEnd()}\n`;
      });
    })
    .join('');
}

/** Takes from the widest columns until the table fits, or nothing more can be taken. */
function narrow(widths: number[], columns: number): void {
  const gaps = 2 * (widths.length - 1);
  for (;;) {
    const over = widths.reduce((sum, width) => sum + width, gaps) - (columns - 1);
    const widest = widths.indexOf(Math.max(...widths));
    if (over <= 0 || widths[widest] <= LEAST_COLUMN) return;
    const next = Math.max(LEAST_COLUMN, ...widths.filter((_, column) => column !== widest));
    widths[widest] = Math.max(LEAST_COLUMN, widths[widest] - over, Math.min(next, widths[widest] - 1));
  }
}

/** A cell in lines of at most this width, broken between words where there are any. */
function folded(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return rest === '' ? lines : [...lines, rest];
}

/** An argument as a shell takes it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
