import { KelpieError } from '../../error.js';
import { VERSION } from '../../version.js';
import type { Store } from '../pool/index.js';
import type { HuntAnswer } from './answer/answer.js';
import type { AnomalyEvidence } from './evidence/evidence.js';
import { type ExperimentRecord, type KeptExperiment, recordsOf } from './experiments/record.js';
import type { HuntTestbed } from './experiments/task.js';
import type { HuntOrder } from './order.js';
import type { HuntPlan } from './run-plan.js';

/** What is kept about a hunt beside its experiments. */
export interface HuntEntry {
  id: number;
  version: string;
  subsystem: string;
  /** What it runs on. */
  bench: HuntTestbed;
  plan: HuntPlan;
}

/** What a kept hunt was ordered as. */
export function orderOf({ subsystem, bench, plan }: HuntEntry): HuntOrder {
  return { subsystem, testbed: bench, plan };
}

/**
 * Hunts in a store: every experiment is kept before the search learns of it, so that a hunt that was interrupted goes on
 * where it was.
 *
 * @example
 * const archive = new HuntArchive(new MemoryStore());
 * const entry = await archive.create(orderHunt({ budget: '20' }));
 */
export class HuntArchive {
  private readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  /** Begins a hunt under a number of its own. */
  async create({ subsystem, testbed, plan }: HuntOrder): Promise<HuntEntry> {
    let entry: HuntEntry | null = null;
    await this.store.append(['hunt'], (id) => {
      entry = { id, version: VERSION, subsystem, bench: testbed, plan };
      return entry;
    });
    return entry!;
  }

  /** The hunt of an order: the last one that was begun by this version, or a new one. */
  async continued(order: HuntOrder): Promise<HuntEntry> {
    const wanted = JSON.stringify(order);
    const known = (await this.list()).findLast(
      (entry) => entry.version === VERSION && JSON.stringify(orderOf(entry)) === wanted,
    );
    return known ?? this.create(order);
  }

  async list(): Promise<HuntEntry[]> {
    return (await this.store.list(['hunt'])) as HuntEntry[];
  }

  /** The hunt of this number; the last one unless set. */
  async find(id: number | undefined): Promise<HuntEntry> {
    const all = await this.list();
    const found = id === undefined ? all[all.length - 1] : all.find((entry) => entry.id === id);
    if (found === undefined)
      throw new KelpieError('NO_HUNTS', 'there is no such hunt', {
        field: 'id',
        given: id,
        allowed: all.length === 0 ? 'none yet: run kelpie hunt' : all.map((entry) => entry.id).join(', '),
      });
    return found;
  }

  keep(id: number, experiment: KeptExperiment): Promise<void> {
    return this.store.put(['experiment', id, experiment.dispatch], experiment);
  }

  async kept(id: number, dispatch: number): Promise<KeptExperiment | undefined> {
    return (await this.store.get(['experiment', id, dispatch])) as KeptExperiment | undefined;
  }

  /** Every experiment of a hunt, in the order in which the search learned of them. */
  async experiments(id: number): Promise<ExperimentRecord[]> {
    return recordsOf((await this.store.list(['experiment', id])) as KeptExperiment[]);
  }

  putAnswer(id: number, answer: HuntAnswer): Promise<void> {
    return this.store.put(['answer', id], answer);
  }

  /** Undefined where the hunt has not ended. */
  async answer(id: number): Promise<HuntAnswer | undefined> {
    return (await this.store.get(['answer', id])) as HuntAnswer | undefined;
  }

  putEvidence(id: number, evidence: readonly AnomalyEvidence[]): Promise<void> {
    return this.store.put(['evidence', id], evidence);
  }

  /** What was measured for the report of a hunt; undefined where nothing was. */
  async evidence(id: number): Promise<AnomalyEvidence[] | undefined> {
    return (await this.store.get(['evidence', id])) as AnomalyEvidence[] | undefined;
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
