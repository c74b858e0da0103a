import type { PairResult } from '../../jobs/isolate/index.js';
import type { Terminal } from '../terminal.js';

/** On a terminal the line is drawn this often; in a pipe a line is written every so many pairs. */
const DRAW_MS = 120;
const LINE_EVERY = 100;

/** Shows a matrix as it is measured: one line that is drawn again on a terminal, plain lines in a pipe. */
export class MatrixProgress {
  private readonly terminal: Terminal;
  private readonly label: string;
  private readonly startMs: number;
  private drawnMs = 0;
  private violated = 0;

  constructor(terminal: Terminal, label: string, nowMs: number) {
    this.terminal = terminal;
    this.label = label;
    this.startMs = nowMs;
  }

  /** A pair was measured. */
  update(pair: PairResult, done: number, all: number, nowMs: number): void {
    if (pair.outcome === 'violated') this.violated++;
    const seconds = (nowMs - this.startMs) / 1000;
    const left = (seconds * (all - done)) / Math.max(1, done);
    const line = `${this.label}: ${done} of ${all} pairs, ${this.violated} violated, about ${left.toFixed(0)} s left`;
    if (this.terminal.interactive) {
      if (nowMs - this.drawnMs < DRAW_MS) return;
      this.drawnMs = nowMs;
      this.terminal.draw(line);
    } else if (done % LINE_EVERY === 0) this.terminal.err(`${line}\n`);
  }

  /** Clears the line. */
  end(): void {
    this.terminal.draw('');
  }
}
