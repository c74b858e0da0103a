import { Random } from '../../../engine/index.js';
import type { CampaignKind } from '../kind.js';

/** What a rehearsal's tasks have in common. */
interface RehearsalBase {
  readonly draws: number;
  readonly failing: readonly number[];
  readonly hanging: readonly number[];
}

/** About a millisecond. */
const DRAWS = 100_000;

/**
 * Tasks that only draw random numbers: to try out machines, credentials and limits before real work goes there, and what
 * becomes of tasks that fail or hang.
 */
export const rehearsal: CampaignKind<RehearsalBase> = {
  required: ['tasks'],
  optional: ['draws', 'failing', 'hanging'],
  keepsAll: false,
  metrics: ['drawn'],
  plan({ tasks, draws = DRAWS, failing = [], hanging = [] }) {
    return {
      axes: [{ name: 'task', from: 0, count: tasks! }],
      base: { draws, failing, hanging },
    };
  },
  async run({ draws, failing, hanging }, { task, seed }) {
    if (failing.includes(Number(task))) throw new Error(`task ${task} fails, as the rehearsal asks`);
    if (hanging.includes(Number(task))) await new Promise(() => {});
    const random = new Random(Number(seed)).split(String(task));
    let drawn = 0;
    for (let draw = 0; draw < draws; draw++) drawn = (drawn + random.nextUint32()) % 2 ** 32;
    return { metrics: { drawn }, says: String(drawn), found: false };
  },
};
