import type { Diagnosis, PathStatus, Plan, Reading, ProbeSweep } from '../../jobs/ping/index.js';
import { findFault, sweepLoad } from '../../jobs/ping/index.js';
import { formatTable } from '../terminal.js';

/** One sweep with what it means. */
export interface PingResult {
  readonly host: string;
  readonly plan: Plan;
  readonly sweep: ProbeSweep;
  readonly statuses: readonly PathStatus[];
  readonly diagnosis: Diagnosis;
  readonly baseline: string;
}

/** The matrices, then what is wrong, in words. */
export function formatPing(result: PingResult): string {
  const { plan, sweep, diagnosis, baseline, host } = result;
  const { cost } = sweep;
  const load = sweepLoad(plan, sweep);
  const percent = (share: number) => `${(100 * share).toPrecision(2)} %`;
  return [
    `${host}: ${headline(diagnosis)}\n`,
    `\nGb/s (! slow, ~ late, ? no reading, - not probed); baseline: ${baseline}\n`,
    matrix(plan, result, ({ gbps }) => gbps?.toFixed(0) ?? '?'),
    '\nlatency, us\n',
    matrix(plan, result, ({ latencyNs }) => (latencyNs === null ? '?' : (latencyNs / 1000).toFixed(2))),
    ...diagnosis.findings.map((finding, number) => {
      const title = titleOf(finding.cause);
      return [
        `\n${number + 1}. ${finding.links.join(' or ') || 'the host'}: ${title} (${finding.causeClass}, ${finding.certainty})\n`,
        ...finding.evidence.map((line) => `   - ${line}\n`),
        ...(finding.alternatives.length === 0
          ? []
          : [`   could also be: ${finding.alternatives.join(', ')}\n`]),
        ...finding.tellApart.map((line) => `   to tell apart: ${line}\n`),
        `   do: ${finding.advice}\n`,
      ].join('');
    }),
    ...diagnosis.unjudged.map((line) => `not judged: ${line}\n`),
    `\n${cost.probes} probes, ${(cost.bytes / 1e6).toFixed(1)} MB, ${(cost.busyNs / 1e6).toFixed(2)} ms; every five minutes that is ${percent(load.timeShare)} of the time, ${load.meanMbps.toFixed(1)} Mb/s, and ${percent(load.busShare)} of what ${load.busiestLink} carries\n`,
    `medians deviate by at most ${(100 * load.latencyDeviation).toFixed(2)} % (latency) and ${(100 * load.bandwidthDeviation).toFixed(2)} % (bandwidth), median absolute deviation\n`,
  ].join('');
}

/** Causes that nobody injects by their name. */
const TITLES: Readonly<Record<string, string>> = {
  'pcie-link': 'PCIe link is slower than it should be',
  flapping: 'comes and goes',
  overloaded: 'is overloaded',
};

/** A cause in words. */
export function titleOf(cause: string): string {
  return findFault(cause)?.title ?? TITLES[cause] ?? cause;
}

/** The first finding in a line. */
export function headline({ findings }: Pick<Diagnosis, 'findings'>): string {
  if (findings.length === 0) return 'these probes find nothing wrong';
  const [first] = findings;
  const what = titleOf(first.cause);
  const more = findings.length === 1 ? '' : `, and ${findings.length - 1} more`;
  return `${first.links.join(' or ') || 'the host'}: ${what}${more}`;
}

function matrix(plan: Plan, { sweep, statuses }: PingResult, cell: (reading: Reading) => string): string {
  const rows = plan.rnics.map((rnic) => [
    rnic,
    ...plan.endpoints.map((endpoint) => {
      const path = plan.paths.findIndex((each) => each.rnic === rnic && each.endpoint === endpoint);
      const reading = sweep.readings[path];
      if (reading === null) return '-';
      const { state, latencyAbnormal } = statuses[path];
      return `${cell(reading)}${state === 'abnormal' ? '!' : ''}${latencyAbnormal ? '~' : ''}`;
    }),
  ]);
  return formatTable(
    [['', ...plan.endpoints], ...rows],
    plan.endpoints.map((_, place) => place + 1),
  );
}

/** The same for programs. */
export function pingJson({ host, plan, sweep, statuses, diagnosis, baseline }: PingResult): object {
  const named = (links: readonly number[]) => links.map((link) => plan.links[link].name);
  const localisation = ({ suspects, gray, unexplained }: Diagnosis['binary']) => ({
    suspects: suspects.map((suspect) => ({ ...suspect, links: named(suspect.links) })),
    gray: named(gray),
    unexplained: unexplained.length,
  });
  return {
    host,
    baseline,
    findings: diagnosis.findings,
    matrix: plan.paths.map(({ rnic, endpoint, links }, path) => ({
      rnic,
      endpoint,
      links: named(links),
      ...sweep.readings[path],
      ...statuses[path],
    })),
    localisers: { binary: localisation(diagnosis.binary), capacity: localisation(diagnosis.capacity) },
    unjudged: diagnosis.unjudged,
    cost: { ...sweep.cost, ...sweepLoad(plan, sweep) },
  };
}
