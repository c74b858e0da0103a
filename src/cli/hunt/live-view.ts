import type { Budget, ExperimentRecord, HuntState } from '../../jobs/hunt/index.js';
import { showFeature } from '../../jobs/hunt/index.js';
import { counterText } from '../../report/counter-text.js';
import { ProgressLine } from '../progress.js';
import type { Terminal } from '../terminal.js';

/** Shows a hunt as it goes: one line that is drawn again on a terminal, plain lines in a pipe. */
export class LiveView {
  private readonly progress: ProgressLine;
  private readonly budget: Budget;
  private made = 0;
  private hours = 0;
  private shown = 0;
  private best: { name: string; value: number } | null = null;

  constructor(terminal: Terminal, budget: Budget, nowMs: number) {
    this.progress = new ProgressLine(terminal, nowMs);
    this.budget = budget;
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
    const { kind, amount } = this.budget;
    const seconds = (nowMs - this.progress.beganMs) / 1000;
    const share = { experiments: this.made, hours: this.hours, wall: seconds }[kind] / amount;
    // What was found when the budget ends is still reduced and verified, which nobody can estimate.
    if (share >= 1)
      this.progress.show(nowMs, () => `${this.text(state.finds.length, seconds)}, reducing and verifying`);
    else this.progress.estimate(share, nowMs, () => this.text(state.finds.length, seconds));
  }

  /** Clears the line. */
  end(): void {
    this.progress.end();
  }

  private announce(state: HuntState, index: number): void {
    const { symptom, features, experiment } = state.finds[index];
    this.progress.end();
    this.progress.terminal.err(
      `anomaly ${index + 1}, experiment ${experiment}, ${symptom}: ${features.map(showFeature).join('; ')}\n`,
    );
  }

  private text(finds: number, seconds: number): string {
    const parts = [
      `${this.made} experiments`,
      `${this.hours.toFixed(1)} h of hardware`,
      `${finds} anomalies`,
      ...(this.best === null ? [] : [counterText(this.best.name, this.best.value)]),
      `${(this.made / Math.max(0.001, seconds)).toFixed(1)} experiments/s`,
    ];
    return parts.join(', ');
  }
}
