import type { RunHistory } from './run-history.js';
import type { RunRecord } from './run-record.js';

/** Runs that are at hand without a store: eight hours of idle runs. */
const RUNS_AT_HAND = 96;

/**
 * Keeps runs on disk as long as that works and says once when it does not; meanwhile, and for whoever asks often, the last
 * ones are in memory. An agent that cannot write still probes.
 *
 * @example
 * const keeper = new HistoryKeeper(() => RunHistory.open(store, plan), console.error);
 * await keeper.keep(record);
 */
export class HistoryKeeper {
  private readonly open: (() => Promise<RunHistory>) | null;
  private readonly say: (text: string) => void;
  private readonly atHand: RunRecord[] = [];
  private history: RunHistory | null = null;
  private isFailing = false;
  private lost = 0;

  /** `open` is null where nothing is to be written. */
  constructor(open: (() => Promise<RunHistory>) | null, say: (text: string) => void) {
    this.open = open;
    this.say = say;
  }

  /** The last runs, the oldest first. */
  get recent(): readonly RunRecord[] {
    return this.atHand;
  }

  /** The runs on disk; null while there is no disk. */
  get kept(): RunHistory | null {
    return this.history;
  }

  /**
   * Opens what was kept before. An error with one of these codes is thrown, any other is said, and opening is tried again
   * at every run.
   */
  async begin(fatal: readonly string[]): Promise<void> {
    if (this.open === null) return;
    try {
      this.history = await this.open();
      this.atHand.push(...(await this.history.last(RUNS_AT_HAND)));
    } catch (error) {
      if (fatal.includes((error as { code?: string }).code ?? '')) throw error;
      this.failed(error as Error);
    }
  }

  /** Keeps a run. */
  async keep(record: RunRecord): Promise<void> {
    this.atHand.push(record);
    if (this.atHand.length > RUNS_AT_HAND) this.atHand.shift();
    if (this.open === null) return;
    try {
      this.history ??= await this.open();
      await this.history.append(record);
    } catch (error) {
      this.lost++;
      this.failed(error as Error);
      return;
    }
    if (this.isFailing) this.say(`runs are kept again; ${this.lost} were not`);
    this.isFailing = false;
    this.lost = 0;
  }

  async close(): Promise<void> {
    await this.history?.close();
  }

  private failed({ message }: Error): void {
    if (!this.isFailing) this.say(`runs are not kept, probing goes on: ${message}`);
    this.isFailing = true;
  }
}
