import type { FabricProgressState } from '../../jobs/fabric/index.js';
import type { Terminal } from '../terminal.js';

/** On a terminal the line is drawn this often; in a pipe a line is written this often. */
const DRAW_MS = 200;
const LINE_MS = 10_000;
/** Runs shorter than this show nothing. */
const QUIET_MS = 1_000;

/** Shows how far a run is and about how long it will take, by the share of bytes that have arrived. */
export class FabricProgress {
  private readonly terminal: Terminal;
  private readonly startMs: number;
  private shownMs: number;
  private shown = false;

  constructor(terminal: Terminal, nowMs: number) {
    this.terminal = terminal;
    this.startMs = nowMs;
    this.shownMs = nowMs;
  }

  update(state: FabricProgressState, nowMs: number): void {
    const elapsedMs = nowMs - this.startMs;
    const period = this.terminal.interactive ? DRAW_MS : LINE_MS;
    if (elapsedMs < QUIET_MS || nowMs - this.shownMs < period) return;
    this.shownMs = nowMs;
    this.shown = true;
    const left = state.share > 0 ? (elapsedMs * (1 - state.share)) / state.share / 1000 : null;
    const estimate = left === null ? '' : `, about ${left.toFixed(0)} s left`;
    const line =
      `${(state.nowNs / 1e6).toFixed(3)} ms simulated, ${state.finished} of ${state.flows} flows, ` +
      `${(state.share * 100).toFixed(1)} % of bytes${estimate}`;
    if (this.terminal.interactive) this.terminal.draw(line);
    else this.terminal.err(`${line}\n`);
  }

  end(): void {
    if (this.shown) this.terminal.draw('');
  }
}
