import type { ComparePoint } from '../../jobs/compare/index.js';
import type { Terminal } from '../terminal.js';

/** Shorter comparisons show nothing. */
const QUIET_MS = 2_000;
/** On a terminal the line is drawn this often; in a pipe a line is written this often. */
const DRAW_MS = 250;
const LINE_MS = 10_000;

/** Shows how many points of a comparison are measured, and about how long the others will take. */
export class CompareProgress {
  private readonly terminal: Terminal;
  private readonly startMs: number;
  private nextMs: number;

  constructor(terminal: Terminal, nowMs: number) {
    this.terminal = terminal;
    this.startMs = nowMs;
    this.nextMs = nowMs + QUIET_MS;
  }

  /** A point was measured. */
  update({ variant, value }: ComparePoint, done: number, all: number, nowMs: number): void {
    if (nowMs < this.nextMs) return;
    const { terminal } = this;
    this.nextMs = nowMs + (terminal.interactive ? DRAW_MS : LINE_MS);
    const left = ((nowMs - this.startMs) * (all - done)) / done / 1000;
    const last = `${variant}${value === null ? '' : ` at ${value}`}`;
    const line = `${done} of ${all} points, last ${last}, about ${left.toFixed(0)} s left`;
    if (terminal.interactive) terminal.draw(line);
    else terminal.err(`${line}\n`);
  }

  /** Clears the line. */
  end(): void {
    this.terminal.draw('');
  }
}
