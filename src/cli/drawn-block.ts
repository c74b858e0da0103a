/** Goes up this many lines. */
const up = (lines: number) => (lines > 0 ? `\u001b[${lines}A` : '');
/** Back to the first column, and away with what is there and below. */
const CLEAR = '\r\u001b[J';

/** How long something takes yet, at the end of a line. */
const ESTIMATE = /, [^,]* left$/;

/** Cuts a line to the width of a terminal: one that wraps could not be drawn over. An estimate stays where it has room. */
export function fitted(line: string, columns: number | undefined): string {
  if (columns === undefined || columns < 2 || line.length < columns) return line;
  const estimate = ESTIMATE.exec(line)?.[0] ?? '';
  const last = estimate.length > columns / 2 ? '' : estimate;
  return `${line.slice(0, columns - 2 - last.length)}…${last}`;
}

/** Lines at the end of a terminal that are drawn over and over. */
export class DrawnBlock {
  private height = 0;

  get isEmpty(): boolean {
    return this.height === 0;
  }

  /** What a terminal of this size must be sent to show `text` in place of what was drawn before; an empty one clears it. */
  over(text: string, columns?: number, rows?: number): string {
    // What has left the screen at its top could not be drawn over.
    const most = Math.max(1, (rows ?? Number.POSITIVE_INFINITY) - 1);
    const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n').slice(0, most);
    const begin = up(this.height - 1) + CLEAR;
    this.height = lines.length;
    return begin + lines.map((line) => fitted(line, columns)).join('\n');
  }
}
