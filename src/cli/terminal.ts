/** Where a command writes: results to `out`, progress and errors to `err`. Tests pass their own. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person watches `err`: progress is shown to people only. */
  readonly interactive: boolean;
}

/** The terminal of this process. */
export const processTerminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
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
