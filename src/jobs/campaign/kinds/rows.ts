import { ciRows, findRow, findSearchRow, runReproduceTask } from '../../reproduce/index.js';
import type { CampaignKind } from '../kind.js';
import { listOf } from '../reader.js';

/** The name of all rows that take seconds. */
const CI = 'ci';

/** Rows of the papers. */
export const reproduce: CampaignKind<null> = {
  required: ['rows'],
  optional: [],
  keepsAll: true,
  metrics: ['ok', 'trend', 'magnitude'],
  plan({ rows }, reader) {
    const asked = listOf(rows!).flatMap((id) => (id === CI ? ciRows : [id]));
    const ids = reader.distinct(
      ['rows'],
      asked.filter((id) => findSearchRow(id) === undefined),
    );
    for (const id of ids) reader.attempt(['rows'], () => findRow(id));
    const search = asked.find((id) => id !== CI && findSearchRow(id) !== undefined);
    if (search !== undefined && !listOf(rows!).includes(CI))
      reader.refuse(
        ['rows'],
        'rows about the search are many hunts',
        search,
        'job: hunt with independent: true',
      );
    return { axes: [{ name: 'row', values: ids }], base: null };
  },
  async run(_, { row, seed }, { keepsAll, run }) {
    const task = { job: 'reproduce', kind: 'row', id: String(row), seed: Number(seed) } as const;
    const answer = await runReproduceTask(task, run.signal === undefined ? {} : { signal: run.signal });
    if (answer.kind !== 'row') throw new Error(`a task of a row gave a ${answer.kind}`);
    const { ok, trend, magnitude, reason } = answer.result;
    const mark = (held: boolean | null) => (held === null ? null : Number(held));
    return {
      metrics: { ok: Number(ok), trend: mark(trend), magnitude: mark(magnitude) },
      says: ok ? 'green' : `red${reason === undefined ? '' : `: ${reason}`}`,
      found: !ok,
      ...(keepsAll ? { detail: answer.result } : {}),
    };
  },
};
