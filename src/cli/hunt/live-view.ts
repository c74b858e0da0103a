import type { Budget, ExperimentRecord, HuntState } from '../../jobs/hunt/index.js';
import { showFeature } from '../../jobs/hunt/index.js';
import { counterText } from '../../report/counter-text.js';
import type { Terminal } from '../terminal.js';

/** On a terminal the line is drawn this often; in a pipe a line is written every so many experiments. */
const DRAW_MS = 120;
const LINE_EVERY = 50;

/** Shows a hunt as it goes: one line that is drawn again on a terminal, plain lines in a pipe. */
export class LiveView {
  private readonly terminal: Terminal;
  private readonly budget: Budget;
  private readonly startMs: number;
  private drawnMs = 0;
  private made = 0;
  private hours = 0;
  private shown = 0;
  private best: { name: string; value: number } | null = null;

  constructor(terminal: Terminal, budget: Budget, nowMs: number) {
    this.terminal = terminal;
    this.budget = budget;
    this.startMs = nowMs;
  }

  /** An experiment was made. */
  update(record: ExperimentRecord, state: HuntState, nowMs: number): void {
    this.made++;
    this.hours += record.hardwareSeconds / 3600;
    const value = record.counter === null ? undefined : record.observation.counters[record.counter];
    if (
      record.counter !== null &&
      value !== undefined &&
      (this.best?.name !== record.counter || value > this.best.value)
    )
      this.best = { name: record.counter, value };
    for (; this.shown < state.finds.length; this.shown++) this.announce(state, this.shown);
    if (this.terminal.interactive) {
      if (nowMs - this.drawnMs < DRAW_MS) return;
      this.drawnMs = nowMs;
      this.terminal.draw(this.line(state.finds.length, nowMs));
    } else if (this.made % LINE_EVERY === 0) this.terminal.err(`${this.line(state.finds.length, nowMs)}\n`);
  }

  /** Clears the line. */
  end(): void {
    this.terminal.draw('');
  }

  private announce(state: HuntState, index: number): void {
    const { symptom, features, experiment } = state.finds[index];
    this.terminal.draw('');
    this.terminal.err(
      `anomaly ${index + 1} (${symptom}, experiment ${experiment}): ${features.map(showFeature).join('; ')}\n`,
    );
  }

  private line(finds: number, nowMs: number): string {
    const seconds = (nowMs - this.startMs) / 1000;
    const { kind, amount } = this.budget;
    const done = { experiments: this.made, hours: this.hours, wall: seconds }[kind] / amount;
    const left = done > 0 ? (seconds * Math.max(0, 1 - done)) / done : 0;
    const parts = [
      `${this.made} experiments`,
      `${this.hours.toFixed(1)} h of hardware`,
      `${finds} anomalies`,
      ...(this.best === null ? [] : [counterText(this.best.name, this.best.value)]),
      `${(this.made / Math.max(0.001, seconds)).toFixed(1)} experiments/s`,
      `${Math.min(100, 100 * done).toFixed(0)} %, about ${left.toFixed(0)} s left`,
    ];
    return parts.join(', ');
  }
}
