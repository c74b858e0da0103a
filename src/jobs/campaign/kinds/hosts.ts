import { KelpieError } from '../../../error.js';
import type { CampaignDescription } from '../description.js';
import { hostLabel } from '../host.js';
import type { Measured, Planned, TaskOptions } from '../kind.js';
import { type CampaignReader, listOf } from '../reader.js';
import { MOST_WAYS, WAY_MARK, type Way, waysBetween } from '../way.js';

/** What all examinations have in common. */
export interface HostBase {
  readonly processes: number;
  readonly repetitions: number;
}

const PROCESSES = 4;
const REPETITIONS = 11;
/** Fields of simulated servers. */
const SIMULATED = ['on', 'faults', 'device'] as const;

/** Numbers that the examination of a host gives, and those of a way between two. */
export const HOST_METRICS: readonly string[] = ['admitted', 'smallUs', 'largeGbps', 'wayUs', 'wayGbps'];

/** Examinations of real hosts, each by a worker on it. */
export function planHosts(description: CampaignDescription, reader: CampaignReader): Planned<HostBase> {
  for (const field of SIMULATED)
    if (description[field] !== undefined)
      reader.refuse([field], 'real hosts have no such field', field, 'hosts, processes, between, waitS');
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
  const values = [...hosts, ...planWays(hosts, description.between, reader)];
  return { axes: [{ name: 'host', values }], base: { processes, repetitions: REPETITIONS } };
}

function planWays(
  hosts: readonly string[],
  between: CampaignDescription['between'],
  reader: CampaignReader,
): string[] {
  if (between === undefined) return [];
  const refuse = (problem: string, given: unknown, allowed: string): string[] => {
    reader.refuse(['between'], problem, given, allowed);
    return [];
  };
  const others = hosts.length - 1;
  if (others < 1) return refuse('there is nothing between one host', between, 'two hosts or more');
  if (between !== 'all' && between > others)
    return refuse('a host does not have that many others', between, `all, or 1 to ${others}`);
  const marked = hosts.find((host) => host.includes(WAY_MARK));
  if (marked !== undefined) return refuse('no way can be named', marked, `hosts without${WAY_MARK}in them`);
  const ways = hosts.length * (between === 'all' ? others : between);
  const most = Math.floor(MOST_WAYS / hosts.length);
  if (ways > MOST_WAYS)
    return refuse('there are too many ways', ways, `${MOST_WAYS}: up to ${most} per host`);
  return waysBetween(hosts, between);
}

/** Probes the way from the host that this runs on to another. */
export async function runWay(base: HostBase, { to }: Way, { keepsAll, run }: TaskOptions): Promise<Measured> {
  if (run.probeWay === undefined)
    throw new KelpieError('CANNOT_RUN', 'no other machine can be reached from here', {
      ...{ field: 'between', allowed: 'kelpie worker on every host' },
    });
  const { signal } = run;
  const { repetitions } = base;
  const request = { to: hostLabel(to), repetitions, ...(signal === undefined ? {} : { signal }) };
  const examined = await run.probeWay(request);
  const { smallUs, largeGbps } = examined;
  return {
    // Whether it stands out is seen beside the others.
    metrics: { findings: 0, wayUs: smallUs, wayGbps: largeGbps },
    says: `${smallUs.toFixed(0)} us, ${largeGbps.toPrecision(3)} Gb/s`,
    found: false,
    ...(keepsAll ? { detail: examined } : {}),
  };
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
