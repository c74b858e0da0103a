import { type Diagnosis, diagnose } from './diagnosis/diagnose.js';
import type { DiagnosisInput } from './diagnosis/diagnosis-input.js';
import { admissionsOf } from './diagnosis/settings.js';
import type { ProbeSweep } from './probe.js';
import { questionsOf } from './second-stage/questions.js';
import { isAsked } from './second-stage/second-stage.js';
import type { HealthyTwin, PingedServer } from './server.js';
import { affinities, type PathStatus, statusesOf } from './status.js';
import { THRESHOLDS } from './thresholds.js';

/** How a server is checked. */
export interface CheckUpOptions {
  /** Whether its settings are read; they are by default. */
  readonly settings?: boolean;
  /** Whether what the first stage accuses is probed further; it is by default. */
  readonly secondStage?: boolean;
  /** The share of the last second in which each RNIC paused its peer, where it is known. */
  readonly pauses?: ReadonlyMap<string, number>;
}

/** A sweep of a server with what it means. */
export interface CheckUp {
  readonly sweep: ProbeSweep;
  readonly statuses: readonly PathStatus[];
  readonly diagnosis: Diagnosis;
  readonly utilisation: ReadonlyMap<number, number>;
  readonly busyRnics: ReadonlySet<string>;
}

/**
 * Watches the links of a server, sweeps it, reads its settings, says what is wrong, and probes further what that leaves
 * open. On a server with busy RNICs only affinitive paths are probed, and busy RNICs are judged by themselves (Hostping
 * §4.3).
 */
export async function checkUp(
  server: PingedServer,
  { plan, baseline, settings }: HealthyTwin,
  options: CheckUpOptions = {},
): Promise<CheckUp> {
  const utilisation = await server.utilisation();
  const busyRnics = new Set(
    plan.rnics.filter((rnic) =>
      plan.links.some(
        ({ place, ends }, link) =>
          place === 'rnic' && ends.includes(rnic) && (utilisation.get(link) ?? 0) > THRESHOLDS.busy,
      ),
    ),
  );
  const affine = affinities(plan, baseline);
  const sweep = await server.sweep(busyRnics.size === 0 ? undefined : (path) => affine[path]);
  const statuses = statusesOf(plan, sweep.readings, baseline, { busyRnics, utilisation });
  const { pauses } = options;
  const input: DiagnosisInput = {
    ...{ plan, readings: sweep.readings, statuses, baseline, utilisation, busyRnics },
    ...(options.settings === false ? {} : { admissions: admissionsOf(server.readSettings(), settings) }),
    ...(pauses === undefined ? {} : { pauses }),
  };
  let diagnosis = diagnose(input);
  const questions = questionsOf(input, diagnosis);
  if (options.secondStage !== false && isAsked(questions))
    diagnosis = diagnose({ ...input, second: await server.examine(questions, baseline) });
  return { sweep, statuses, diagnosis, utilisation, busyRnics };
}
