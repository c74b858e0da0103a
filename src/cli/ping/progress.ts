import type { Terminal } from '../terminal.js';

/** On a terminal the line is drawn this often; in a pipe a line is written every so many sweeps. */
const DRAW_MS = 120;
const LINE_EVERY = 100;

/** Shows how far a matrix of sweeps is: one line that is drawn again on a terminal, plain lines in a pipe. */
export class PingProgress {
  private readonly terminal: Terminal;
  private readonly startMs: number;
  private drawnMs = 0;

  constructor(terminal: Terminal, nowMs: number) {
    this.terminal = terminal;
    this.startMs = nowMs;
  }

  /** A sweep has ended. */
  update(done: number, all: number, nowMs: number): void {
    const left = ((nowMs - this.startMs) / 1000 / done) * (all - done);
    const line = `${done} of ${all} sweeps, about ${left.toFixed(0)} s left`;
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
