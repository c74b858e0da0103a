import type { Progress } from '../../workload/index.js';
import type { Terminal } from '../terminal.js';

/** Shorter runs show nothing. */
const QUIET_MS = 2_000;
/** On a terminal the line is drawn this often; in a pipe a line is written this often. */
const DRAW_MS = 250;
const LINE_MS = 10_000;
/** From here on it is said how much is left. */
const LONG_MS = 90_000;

/** Shows how far a run is, from the first connection that is made for it. */
export class RunProgress {
  private readonly terminal: Terminal;
  private readonly name: string;
  private readonly beganMs: number;
  private nextMs: number;

  constructor(terminal: Terminal, name: string, nowMs: number) {
    this.terminal = terminal;
    this.name = name;
    this.beganMs = nowMs;
    this.nextMs = nowMs + QUIET_MS;
  }

  /** Connections are being made. */
  setUp(made: number, all: number, nowMs: number): void {
    this.show(nowMs, () => `${made} of ${all} connections made`);
  }

  /** The run has passed a slice. */
  slice({ timeNs, maxNs, goodputGbps }: Progress, nowMs: number): void {
    this.show(nowMs, () => {
      const [now, most] = [timeNs, maxNs].map((each) => (each / 1000).toFixed(0));
      const leftMs = ((nowMs - this.beganMs) * Math.max(0, maxNs - timeNs)) / timeNs;
      const left = leftMs < LONG_MS ? '' : `, up to ${(leftMs / 60_000).toFixed(0)} min left`;
      return `${now} us of at most ${most}, ${goodputGbps.toFixed(1)} Gb/s${left}`;
    });
  }

  /** Clears the line. */
  end(): void {
    this.terminal.draw('');
  }

  private show(nowMs: number, text: () => string): void {
    if (nowMs < this.nextMs) return;
    const { terminal } = this;
    this.nextMs = nowMs + (terminal.interactive ? DRAW_MS : LINE_MS);
    const line = `${this.name}: ${text()}`;
    if (terminal.interactive) terminal.draw(line);
    else terminal.err(`${line}\n`);
  }
}
