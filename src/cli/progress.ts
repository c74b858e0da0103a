import type { Terminal } from './terminal.js';

/** Shorter jobs show nothing. */
const QUIET_MS = 2_000;
/** On a terminal the line is drawn this often; in a pipe a line is written this often. */
const DRAW_MS = 150;
const LINE_MS = 10_000;
/** How often a job that others do is looked at between what they tell. */
const BEAT_MS = 1_000;

/** How far a job is, for people: one line that is drawn again on a terminal, a plain line now and then in a pipe. */
export class ProgressLine {
  readonly terminal: Terminal;
  readonly beganMs: number;
  private nextMs: number;
  /** What was shown last, as of a time. */
  private last: ((nowMs: number) => string) | null = null;
  private beat: NodeJS.Timeout | null = null;

  constructor(terminal: Terminal, nowMs: number) {
    this.terminal = terminal;
    this.beganMs = nowMs;
    this.nextMs = nowMs + QUIET_MS;
  }

  /**
   * Goes on by itself until the end, for jobs whose parts run elsewhere and may take long: it says `first` before any of
   * them has ended, then how much longer the job takes as time goes by.
   */
  keepGoing(first: string): this {
    const { beganMs } = this;
    this.last = (nowMs) => `${first}, ${timeText(nowMs - beganMs)} so far`;
    this.beat = setInterval(() => {
      const { last } = this;
      const nowMs = performance.now();
      if (last !== null) this.show(nowMs, () => last(nowMs));
    }, BEAT_MS).unref();
    return this;
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
    const line = (atMs: number) => {
      const left = share > 0 ? `, about ${timeText(this.leftMs(share, atMs))} left` : '';
      return `${text()}${left}`;
    };
    if (this.beat !== null) this.last = line;
    this.show(nowMs, () => line(nowMs));
  }

  /** How long the rest of a job takes if it goes on as it did. */
  leftMs(share: number, nowMs: number): number {
    return ((nowMs - this.beganMs) * Math.max(0, 1 - share)) / share;
  }

  /** Clears the line. */
  end(): void {
    if (this.beat !== null) clearInterval(this.beat);
    this.beat = null;
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
