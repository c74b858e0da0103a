import type { Progress } from '../../workload/index.js';
import { ProgressLine, timeText } from '../progress.js';
import type { Terminal } from '../terminal.js';

/** Shows how far a run is, from the first connection that is made for it. */
export class RunProgress {
  private readonly line: ProgressLine;
  private readonly name: string;
  private sliceMs: number | null = null;

  constructor(terminal: Terminal, name: string, nowMs: number) {
    this.line = new ProgressLine(terminal, nowMs);
    this.name = name;
  }

  /** Connections are being made. */
  setUp(made: number, all: number, nowMs: number): void {
    this.line.estimate(made / all, nowMs, () => `${this.name}: ${made} of ${all} connections made`);
  }

  /** The run has passed a slice. */
  slice({ timeNs, maxNs, share, goodputGbps }: Progress, nowMs: number): void {
    // Connections may have taken long, which says nothing of the run.
    this.sliceMs ??= nowMs;
    const beganMs = this.sliceMs;
    this.line.show(nowMs, () => {
      const [now, most] = [timeNs, maxNs].map((each) => (each / 1000).toFixed(0));
      const rate = `${goodputGbps.toFixed(1)} Gb/s`;
      const how =
        share === undefined
          ? `${now} us of at most ${most}, ${rate}`
          : `${(100 * share).toFixed(share < 0.1 ? 2 : 0)} % of the messages in ${now} us, ${rate}`;
      const done = share ?? Math.min(1, timeNs / maxNs);
      // The first slice says nothing of how long others take.
      if (nowMs === beganMs || done === 0) return `${this.name}: ${how}`;
      const left = timeText(((nowMs - beganMs) * (1 - done)) / done);
      return `${this.name}: ${how}, ${share === undefined ? 'at most' : 'about'} ${left} left`;
    });
  }

  /** Clears the line. */
  end(): void {
    this.line.end();
  }
}
