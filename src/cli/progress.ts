import type { Terminal } from './terminal.js';

/** Shorter jobs show nothing. */
const QUIET_MS = 2_000;
/** On a terminal the line is drawn this often; in a pipe a line is written this often. */
const DRAW_MS = 150;
const LINE_MS = 10_000;

/** How far a job is, for people: one line that is drawn again on a terminal, a plain line now and then in a pipe. */
export class ProgressLine {
  readonly terminal: Terminal;
  readonly beganMs: number;
  private nextMs: number;

  constructor(terminal: Terminal, nowMs: number) {
    this.terminal = terminal;
    this.beganMs = nowMs;
    this.nextMs = nowMs + QUIET_MS;
  }

  /** Shows a line if one is due; `text` is called only then. */
  show(nowMs: number, text: () => string): void {
    if (nowMs < this.nextMs) return;
    const { terminal } = this;
    this.nextMs = nowMs + (terminal.interactive ? DRAW_MS : LINE_MS);
    if (terminal.interactive) terminal.draw(text());
    else terminal.err(`${text()}\n`);
  }

  /** The same with an estimate: `share` of the job is done, from 0 to 1. */
  estimate(share: number, nowMs: number, text: () => string): void {
    this.show(nowMs, () => {
      const left = share > 0 ? `, about ${timeText(this.leftMs(share, nowMs))} left` : '';
      return `${text()}${left}`;
    });
  }

  /** How long the rest of a job takes if it goes on as it did. */
  leftMs(share: number, nowMs: number): number {
    return ((nowMs - this.beganMs) * Math.max(0, 1 - share)) / share;
  }

  /** Clears the line. */
  end(): void {
    this.terminal.draw('');
  }
}

/**
 * A time as people say it.
 *
 * @example
 * timeText(42_000); // 42 s
 * timeText(600_000); // 10 min
 */
export function timeText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 90) return `${seconds.toFixed(0)} s`;
  const minutes = seconds / 60;
  return minutes < 90 ? `${minutes.toFixed(0)} min` : `${(minutes / 60).toFixed(1)} h`;
}
