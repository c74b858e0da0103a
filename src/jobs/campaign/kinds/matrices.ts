import type { ProfileSource } from '../../../testbeds/index.js';
import { ISOLATED_SUBSYSTEM, isolate as measure, orderIsolation } from '../../isolate/index.js';
import type { CampaignKind } from '../kind.js';
import { listOf } from '../reader.js';
import { ownProfiles, subsystems } from './workloads.js';

/** What all rows of a matrix have in common. */
interface MatrixBase {
  readonly attackers: string;
  readonly profiles: readonly ProfileSource[];
}

/** Isolation matrices, a task per victim: `kelpie isolate` has its pairs in the same order. */
export const isolate: CampaignKind<MatrixBase> = {
  required: [],
  optional: ['on', 'profile', 'schemes', 'attackers', 'victims'],
  keepsAll: true,
  metrics: ['violated', 'held', 'refused'],
  plan(description, reader) {
    const profiles = ownProfiles(description, reader);
    const { on = profiles?.length === 0 ? ISOLATED_SUBSYSTEM : undefined } = description;
    const axes = subsystems({ ...description, on }, profiles, reader);
    const { schemes = 'none', attackers = 'all', victims = 'all' } = description;
    const names = reader.distinct(['schemes'], listOf(schemes));
    for (const scheme of names) reader.attempt(['schemes'], () => orderIsolation({ scheme }));
    reader.attempt(['attackers'], () => orderIsolation({ attackers }));
    const chosen = reader.attempt(['victims'], () => orderIsolation({ victims }).victims);
    if (profiles === null || axes === null || chosen === null) return null;
    return {
      axes: [
        ...axes,
        { name: 'scheme', values: names },
        { name: 'victim', values: chosen.map(({ name }) => name) },
      ],
      base: { attackers, profiles },
    };
  },
  async run({ attackers, profiles }, { on, scheme, victim, seed }, { keepsAll, run }) {
    const request = {
      ...{ testbed: { subsystem: String(on), profiles: [...profiles] }, attackers, seed: Number(seed) },
      ...{ scheme: String(scheme), victims: String(victim) },
    };
    const { pairs } = await measure(request, run.signal === undefined ? {} : { signal: run.signal });
    const count = (outcome: string) => pairs.filter((pair) => pair.outcome === outcome).length;
    const metrics = { violated: count('violated'), held: count('holds'), refused: count('refused') };
    return {
      metrics,
      says: `${metrics.violated} of ${pairs.length} attackers violate it`,
      found: metrics.violated > 0,
      ...(keepsAll ? { detail: pairs } : {}),
    };
  },
};
