import { KelpieError } from '../../../error.js';
import type { CampaignDescription } from '../description.js';
import { hostLabel } from '../host.js';
import type { Measured, Planned, TaskOptions } from '../kind.js';
import { type CampaignReader, listOf } from '../reader.js';

/** What all examinations have in common. */
export interface HostBase {
  readonly processes: number;
  readonly repetitions: number;
}

const PROCESSES = 4;
const REPETITIONS = 11;
/** Fields of simulated servers. */
const SIMULATED = ['on', 'faults', 'device'] as const;

/** Numbers that the examination of a host gives. */
export const HOST_METRICS: readonly string[] = ['admitted', 'smallUs', 'largeGbps'];

/** Examinations of real hosts, each by a worker on it. */
export function planHosts(description: CampaignDescription, reader: CampaignReader): Planned<HostBase> {
  for (const field of SIMULATED)
    if (description[field] !== undefined)
      reader.refuse([field], 'real hosts have no such field', field, 'hosts and processes');
  const hosts = reader.distinct(['hosts'], listOf(description.hosts!));
  const labels = hosts.map(hostLabel);
  for (const [index, label] of labels.entries())
    if (labels.indexOf(label) !== index)
      reader.refuse(
        ['hosts'],
        'two hosts have one label',
        hosts[index],
        'names that differ in their first letters',
      );
  const { processes = PROCESSES } = description;
  return { axes: [{ name: 'host', values: hosts }], base: { processes, repetitions: REPETITIONS } };
}

/** Examines the host that this runs on. */
export async function runHost(base: HostBase, { keepsAll, run }: TaskOptions): Promise<Measured> {
  if (run.examineHost === undefined)
    throw new KelpieError('CANNOT_RUN', 'there is no machine to examine here', {
      ...{ field: 'hosts', allowed: 'kelpie worker on the host' },
    });
  const { signal } = run;
  const examined = await run.examineHost({ ...base, ...(signal === undefined ? {} : { signal }) });
  const { admitted, notes, findings, smallUs, largeGbps } = examined;
  // An answer, not a failure: another try on this host would find as little.
  if (admitted === null && smallUs === null)
    throw new KelpieError('NOTHING_TO_MEASURE', `nothing of this host can be measured: ${notes.join('; ')}`);
  const all = [...findings, ...(admitted ?? [])];
  const unknown = admitted === null || smallUs === null ? ` (not known: ${notes.at(-1)})` : '';
  return {
    metrics: { findings: all.length, named: null, admitted: admitted?.length ?? null, smallUs, largeGbps },
    says: `${all.length === 0 ? 'nothing' : all.join('; ')}${unknown}`,
    found: all.length > 0,
    ...(keepsAll ? { detail: examined } : {}),
  };
}
