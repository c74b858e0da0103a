import { coloured, wantsColour } from './colour.js';

/** Where a command writes: results to `out`, progress and errors to `err`. Tests pass their own. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Draws a line over the one that was drawn before; an empty one clears it. Does nothing where nobody watches. */
  draw(line: string): void;
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

const CLEAR_LINE = '\r\u001b[K';

/** Cuts a line to the width of a terminal: one that wraps could not be drawn over. */
export function fitted(line: string, columns: number | undefined): string {
  if (columns === undefined || columns < 2 || line.length < columns) return line;
  return `${line.slice(0, columns - 2)}…`;
}

function styled(text: string, isTerminal: boolean): string {
  const shown = visible(text);
  return wantsColour({ isTerminal, environment: process.env }) ? coloured(shown) : shown;
}

/** The terminal of this process: the one place where text leaves it. */
export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(styled(text, process.stdout.isTTY === true)),
  err: (text) => void process.stderr.write(styled(text, process.stderr.isTTY === true)),
  draw: (line) => {
    if (processTerminal.interactive)
      process.stderr.write(CLEAR_LINE + fitted(visible(line), process.stderr.columns));
  },
  interactive: process.stderr.isTTY === true,
};

/** Text in columns, the first row as the heading. Columns listed in `right` are aligned to the right. */
export function formatTable(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => {
      const cells = row.map((cell, column) =>
        right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
      );
      return `${cells.join('  ').trimEnd()}\n`;
    })
    .join('');
}

/** An argument as a shell takes it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
