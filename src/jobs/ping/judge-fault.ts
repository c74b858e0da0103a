import type { Diagnosis } from './diagnosis/diagnose.js';
import { isTarget, targetOf } from './fault-target.js';
import type { FaultKind } from './faults/fault-kind.js';
import type { Localisation } from './localise/localisation.js';
import type { Plan } from './plan.js';
import type { HealthyTwin } from './server.js';

/** One fault at one place of one host. */
export interface EvaluatedFault {
  readonly host: string;
  readonly fault: string;
  readonly place: string;
  readonly severity: number;
  /** The RNIC that carries service traffic meanwhile; null on an idle host. */
  readonly busyRnic: string | null;
  /** Whether a path became significantly slower or later. Only then can probes see it at all. */
  readonly visible: boolean;
  /** Why not. */
  readonly invisibleBecause?: string;
  /** Whether there was any finding, by probes or by a setting that was read. */
  readonly found: boolean;
  /** Whether the one finding names the link, or links that no probe tells from it. */
  readonly link: boolean;
  /** Whether the one finding names the cause, and whether it names a set of causes that has it. */
  readonly cause: boolean;
  readonly causeInSet: boolean;
  /** Whether each localiser names the link alone; null where the fault does not slow a link. */
  readonly binary: boolean | null;
  readonly capacity: boolean | null;
  /** What was said instead, for one whose link is wrong. */
  readonly said?: string;
}

/** Faults that leave a link less of its rate, or read through it with less: what localisers look for. */
const SLOWS_A_LINK = new Set([
  'pcie-width',
  'pcie-speed',
  'pcie-silent',
  'memory-channel',
  'upi-degraded',
  'mrrs-small',
  'root-port',
  'slow-start',
  'tx-window',
  'load-upi',
  'load-memory',
  'load-pcie',
]);

/** A fault at a place, with a severity. */
export interface InjectedFault {
  readonly kind: FaultKind;
  readonly place: string;
  readonly severity: number;
  readonly busyRnic: string | null;
}

/** What a sweep says. */
export interface Swept {
  readonly diagnosis: Diagnosis;
  /** Whether a path is slow or late, or an RNIC's own link full. */
  readonly visible: boolean;
}

/** Holds what a sweep says against what was injected. */
export function judged(
  host: string,
  { plan, baseline }: HealthyTwin,
  { kind, place, severity, busyRnic }: InjectedFault,
  { diagnosis, visible }: Swept,
): EvaluatedFault {
  const { findings, binary, capacity } = diagnosis;
  const [first] = findings;
  const target = targetOf(plan, kind, place);
  const alone = findings.length === 1;
  const cause = alone && first.cause === kind.id;
  const link = alone && isTarget(first.links, target, kind.id, place);
  const slows = SLOWS_A_LINK.has(kind.id);
  const names = (localisation: Localisation) =>
    localisation.suspects.length === 1 &&
    localisation.suspects[0].links.every((each) => target.includes(plan.links[each].name));
  return {
    ...{ host, fault: kind.id, place, severity, busyRnic, visible, link, cause },
    found: findings.length > 0,
    causeInSet: alone && (cause || first.alternatives.includes(kind.id)),
    binary: slows ? names(binary) : null,
    capacity: slows ? names(capacity) : null,
    ...(visible ? {} : { invisibleBecause: whyInvisible(plan, baseline, kind, place, severity) }),
    ...(link || findings.length === 0
      ? {}
      : { said: findings.map((each) => `${each.cause}@${each.links.join('|')}`).join(', ') }),
  };
}

/** What a fault leaves is still enough for what one RNIC asks of it, or it has no part in what is probed. */
function whyInvisible(
  plan: Plan,
  { paths }: HealthyTwin['baseline'],
  { id }: FaultKind,
  place: string,
  severity: number,
): string {
  const link = plan.links.findIndex(({ name }) => name === place);
  if (link >= 0 && SLOWS_A_LINK.has(id)) {
    const most = Math.max(
      0,
      ...paths.flatMap(({ gbps }, path) => (plan.paths[path].links.includes(link) ? [gbps] : [])),
    );
    // Loopback reads and writes: both cross a memory's channels, and a link in opposite directions.
    const asked = plan.links[link].place === 'memory' ? 2 * most : most;
    const left = id.startsWith('load-') ? 1 - severity : severity;
    if (left * plan.links[link].gbps > 0.8 * asked) return 'the link still carries what one RNIC asks';
  }
  if (id === 'ats-off' && plan.paths.every(({ rnic, throughRoot }) => rnic !== place || throughRoot))
    return 'the RNIC has no peer below its switch';
  if (id === 'rnic-buffer') return 'only traffic from outside shows it';
  if (id === 'c-states') return 'probes that do not pause let no core sleep';
  return 'no path changes by a fifth';
}
