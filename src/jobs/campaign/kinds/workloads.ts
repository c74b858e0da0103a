import { libraryOf, openTestbedFor, type ProfileSource, subsystemName } from '../../../testbeds/index.js';
import {
  type Measurement,
  metricReader,
  parseWorkloadInput,
  resolveWorkload,
  runWorkload,
  type WorkloadInput,
} from '../../../workload/index.js';
import { changeSubsystem, isChange, lossesOf, withField } from '../../compare/index.js';
import { eventTurn } from '../../pool/index.js';
import type { ListedAxis, CampaignPoint } from '../axis.js';
import type { CampaignDescription } from '../description.js';
import type { CampaignKind, Measured, Planned, TaskOptions } from '../kind.js';
import { type CampaignReader, listOf } from '../reader.js';

/** What all runs of a workload have in common. */
interface WorkloadBase {
  readonly provider: string;
  readonly workload: WorkloadInput;
  readonly profiles: readonly ProfileSource[];
}

/** Read of every run; what else is wanted or asserted is read too. */
const METRICS = ['goodputGbps', 'messagesPerSecond', 'pauseRatio', 'latencyNs.p99', 'anomaly'];

/** One workload, on several subsystems and with several seeds. */
export const run: CampaignKind<WorkloadBase> = {
  required: ['workload'],
  optional: ['on', 'provider', 'profile'],
  keepsAll: true,
  metrics: METRICS,
  plan: (description, reader) => plan(description, reader, []),
  hasMetric,
  run: measure,
};

/** A workload over ranges of its fields and of its subsystem's constants. */
export const sweep: CampaignKind<WorkloadBase> = {
  ...run,
  required: ['workload', 'vary'],
  keepsAll: false,
  plan: (description, reader) => plan(description, reader, reader.axes(description.vary!)),
};

function plan(
  { provider = 'simulated', ...description }: CampaignDescription,
  reader: CampaignReader,
  varied: readonly ListedAxis[],
): Planned<WorkloadBase> | null {
  const described = reader.described('workload', description.workload!);
  const workload =
    described === null
      ? null
      : reader.attempt(['workload'], () => parseWorkloadInput(described.text, described.file));
  const profiles = ownProfiles(description, reader);
  if (provider !== 'simulated') {
    for (const field of ['on', 'profile'] as const)
      if (description[field] !== undefined)
        reader.refuse([field], `the ${provider} provider has no profiles`, description[field], 'left out');
    const changed = varied.find(({ name }) => isChange(name));
    if (changed !== undefined)
      reader.refuse(
        ['vary', changed.name],
        `the ${provider} provider has no profiles`,
        changed.name,
        'a field',
      );
  }
  const on = provider === 'simulated' ? subsystems(description, profiles, reader) : [];
  if (workload === null || profiles === null || on === null) return null;
  const base = { provider, workload, profiles };
  const where = { on: on[0]?.values[0] ?? '', seed: 1 };
  reader.attemptVaried(varied, where, (point) => arranged(base, point));
  return { axes: [...on, ...varied], base };
}

/** The axis of subsystems, each checked. */
export function subsystems(
  { on }: CampaignDescription,
  profiles: readonly ProfileSource[] | null,
  reader: CampaignReader,
): ListedAxis[] | null {
  if (profiles === null) return null;
  const names = on === undefined ? [subsystemName({ profiles: [...profiles] })] : listOf(on);
  // Nothing more is said of those that do not exist.
  const values = reader
    .distinct(['on'], names)
    .filter((name) => reader.attempt(['on'], () => libraryOf({ profiles }).find('subsystem', name)) !== null);
  return [{ name: 'on', values }];
}

/** The user's own profiles, with their text. */
export function ownProfiles(
  { profile }: CampaignDescription,
  reader: CampaignReader,
): readonly ProfileSource[] | null {
  if (profile === undefined) return [];
  return reader.attempt(['profile'], () => {
    const sources = listOf(profile).map((file) => ({ text: reader.readText(file, 'profile'), file }));
    libraryOf({ profiles: sources });
    return sources;
  });
}

/** The workload and the testbed of a point. */
function arranged({ provider, workload: given, profiles }: WorkloadBase, point: CampaignPoint) {
  const { on, seed, ...varied } = point;
  let input = given;
  const changes: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(varied)) {
    if (isChange(name)) changes[name] = value;
    else input = withField(input, name, value);
  }
  const workload = resolveWorkload(input);
  if (provider !== 'simulated') return { workload, testbed: { provider, seed: Number(seed) } };
  const changed = changeSubsystem(String(on), changes, profiles);
  const { subsystem, ablate } = changed;
  const impairments = lossesOf(changed);
  return {
    workload,
    testbed: { provider, subsystem, profiles: changed.profiles, ablate, impairments, seed: Number(seed) },
  };
}

function hasMetric({ workload }: WorkloadBase, metric: string): boolean {
  return metricReader(metric, resolveWorkload(workload)) !== null;
}

async function measure(base: WorkloadBase, point: CampaignPoint, options: TaskOptions): Promise<Measured> {
  const { workload, testbed: description } = arranged(base, point);
  const testbed = await openTestbedFor(workload, description);
  try {
    const measurement = await runWorkload(workload, testbed, {
      ...{ seed: description.seed, watchLinks: false, followLatency: true, onSlice: eventTurn },
      ...options.run,
    });
    const { verdict, total } = measurement;
    const numbers = [...METRICS, ...options.metrics].map((metric) => {
      const value = metricReader(metric, workload)?.(measurement);
      return [metric, typeof value === 'number' ? value : null] as const;
    });
    return {
      metrics: { ...Object.fromEntries(numbers), anomaly: Number(verdict.anomaly) },
      says: `${total.goodputGbps.toFixed(1)} Gb/s${verdict.anomaly ? ', an anomaly' : ''}`,
      found: verdict.anomaly,
      ...(options.keepsAll ? { detail: withoutSeries(measurement) } : {}),
    };
  } finally {
    await testbed.close();
  }
}

/** The series are most of a measurement, and one run gives them again. */
function withoutSeries(measurement: Measurement): Measurement {
  return { ...measurement, series: { timeNs: [], tenants: {}, hosts: {} } };
}
