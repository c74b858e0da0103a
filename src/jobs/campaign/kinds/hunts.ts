import type { ProfileSource } from '../../../testbeds/index.js';
import {
  huntAnswerOf,
  deterministicAnswer,
  HUNTED_SUBSYSTEM,
  type HuntRequest,
  knownSetsOf,
  orderHunt,
  runHuntTask,
  runPlan,
} from '../../hunt/index.js';
import type { CampaignKind } from '../kind.js';
import { ownProfiles, subsystems } from './workloads.js';

/** What all hunts of a campaign have in common. */
interface HuntBase {
  readonly request: HuntRequest;
  readonly profiles: readonly ProfileSource[];
}

/** Whole hunts, one per subsystem and seed. */
export const hunt: CampaignKind<HuntBase> = {
  required: [],
  optional: ['on', 'profile', 'space', 'budget', 'strategy', 'round', 'independent'],
  keepsAll: true,
  metrics: ['anomalies', 'rows', 'experiments', 'hardwareHours'],
  plan(description, reader) {
    const profiles = ownProfiles(description, reader);
    const {
      on = profiles?.length === 0 ? HUNTED_SUBSYSTEM : undefined,
      space: file,
      budget,
      strategy,
    } = description;
    const axes = subsystems({ ...description, on }, profiles, reader);
    const text = file === undefined ? null : reader.attempt(['space'], () => reader.readText(file, 'space'));
    if (profiles === null || axes === null) return null;
    const request: HuntRequest = {
      ...(budget === undefined ? {} : { budget }),
      ...(strategy === undefined ? {} : { strategy }),
      ...(text === null || file === undefined ? {} : { space: { text, file } }),
    };
    for (const subsystem of axes[0].values) {
      const order = reader.attempt([budget === undefined ? 'space' : 'budget'], () =>
        orderHunt({ ...request, testbed: { subsystem: String(subsystem), profiles: [...profiles] } }),
      );
      // What ends by the clock of a machine ends elsewhere on another.
      if (order?.plan.budget.kind === 'wall')
        reader.refuse(['budget'], 'wall time gives another outcome on each machine', budget, '600, or 10h');
    }
    return { axes, base: { request, profiles } };
  },
  async run({ request, profiles }, { on, seed }, { known, keepsAll, run }) {
    const order = orderHunt({
      ...request,
      testbed: { subsystem: String(on), profiles: [...profiles] },
      seed: Number(seed),
      ...(known.length === 0 ? {} : { known }),
    });
    const result = await runPlan(order.plan, {
      experiment: (each) => runHuntTask({ job: 'hunt', testbed: order.testbed, ...each }, run),
      ...(run.signal === undefined ? {} : { signal: run.signal }),
    });
    const answer = deterministicAnswer(huntAnswerOf(order.subsystem, order.plan, result, 0));
    const { anomalies, rows, experiments, hardwareHours } = answer;
    return {
      metrics: { anomalies: anomalies.length, rows: rows.length, experiments, hardwareHours },
      says: `${anomalies.length} anomalies in ${experiments} experiments`,
      found: anomalies.length > 0,
      known: knownSetsOf(result.finds),
      ...(keepsAll ? { detail: answer } : {}),
    };
  },
};
