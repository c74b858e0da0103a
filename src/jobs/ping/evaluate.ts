import { Random } from '../../engine/index.js';
import type { ServerChoice } from '../../testbeds/index.js';
import { checkUp } from './check-up.js';
import type { Diagnosis } from './diagnosis/diagnose.js';
import { isTarget, targetOf } from './fault-target.js';
import { faultKinds } from './faults/catalogue.js';
import type { FaultKind } from './faults/fault-kind.js';
import { faultAt, placesOf } from './faults/fault-text.js';
import type { Localisation } from './localise/localisation.js';
import type { Plan } from './plan.js';
import type { ProbeOptions } from './probe.js';
import { type HealthyTwin, healthyTwin, openServer, type PingedServer } from './server.js';
import { serviceOf } from './service.js';
import { THRESHOLDS } from './thresholds.js';

/** What is evaluated: every fault at every place of these hosts, at each severity, and healthy sweeps between. */
export interface EvaluationOptions {
  readonly hosts: readonly string[];
  readonly device: string;
  /** Profiles of a user, which hosts or the device may be among. */
  readonly profiles?: ServerChoice['profiles'];
  readonly seed: number;
  readonly probes: ProbeOptions;
  /** Sweeps of each host without any fault. */
  readonly healthySweeps: number;
  /** Each fault also on a host with service traffic, and healthy sweeps of such hosts; no by default. */
  readonly busy?: boolean;
  /** Whether settings are read; they are by default. */
  readonly settings?: boolean;
  /** The faults to be injected; all by default. */
  readonly faults?: readonly FaultKind[];
  /** A place of each fault and host that this refuses is left out; none by default. */
  readonly wanted?: (fault: string, place: string, severity: number) => boolean;
  readonly onProgress?: (done: number, of: number) => void;
  readonly signal?: AbortSignal;
}

/** One fault at one place of one host. */
export interface EvaluatedFault {
  readonly host: string;
  readonly fault: string;
  readonly place: string;
  readonly severity: number;
  /** The RNIC that carries service traffic meanwhile; null on an idle host. */
  readonly busyRnic: string | null;
  /** Whether a path became slow or late by as much as counts. Only then can probes see it at all. */
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

/** What came of an evaluation. */
export interface Evaluation {
  readonly seed: number;
  readonly faults: readonly EvaluatedFault[];
  readonly healthy: readonly {
    readonly host: string;
    readonly busyRnic: string | null;
    readonly sweeps: number;
    readonly alarms: number;
  }[];
  /** Set where it was stopped before its end. */
  readonly partial: boolean;
}

/** Spread of the time of a probe on a real processor: 5 % of about 2.5 us, either way. */
export const JITTER_NS = 125;

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

/** Service traffic of an RNIC on a busy host, as a share of its port's rate. */
const SERVICE = 0.6;

/**
 * Injects every fault at every place, one at a time, into hosts whose probes jitter, and counts what is found: idle hosts,
 * and busy ones if that is asked.
 */
export async function evaluate(options: EvaluationOptions): Promise<Evaluation> {
  const { hosts, device, profiles = [], seed, healthySweeps, busy = false, settings = true } = options;
  const { onProgress, signal } = options;
  const random = new Random(seed);
  const probes: ProbeOptions = {
    ...options.probes,
    jitterNs: () => JITTER_NS * (random.nextUint32() / 2 ** 31 - 1),
  };
  const twins: { choice: ServerChoice; twin: HealthyTwin }[] = [];
  for (const host of hosts) {
    const choice = { host, device, seed, profiles };
    twins.push({ choice, twin: await healthyTwin(choice, options.probes) });
  }
  const cases = twins.flatMap((each) => casesOf(each.twin.plan, options).map((one) => ({ ...each, ...one })));
  const all = cases.length + healthySweeps * hosts.length * (busy ? 2 : 1);
  let done = 0;
  const faults: EvaluatedFault[] = [];
  for (const { choice, twin, ...one } of cases) {
    if (signal?.aborted) break;
    const { kind, place, severity, busyRnic } = one;
    const service = busyRnic === null ? [] : serviceOf(twin.plan, busyRnic, SERVICE * twin.portGbps);
    const server = await openServer(choice, [faultAt(kind, twin.plan, place, severity), ...service], probes);
    faults.push(judged(choice.host, twin, one, await swept(server, twin, settings)));
    await server.close();
    onProgress?.(++done, all);
  }
  const healthy = [];
  for (const { choice, twin } of twins) {
    for (const busyRnic of busy ? [null, twin.plan.rnics[0]] : [null]) {
      const service = busyRnic === null ? [] : serviceOf(twin.plan, busyRnic, SERVICE * twin.portGbps);
      const server = await openServer(choice, service, probes);
      let alarms = 0;
      let sweeps = 0;
      for (; sweeps < healthySweeps && !signal?.aborted; sweeps++) {
        const { diagnosis } = await swept(server, twin, settings);
        if (diagnosis.findings.length > 0) alarms++;
        onProgress?.(++done, all);
      }
      await server.close();
      healthy.push({ host: choice.host, busyRnic, sweeps, alarms });
    }
  }
  return { seed, faults, healthy, partial: signal?.aborted === true };
}

/** A fault at a place, with a severity. */
interface Case {
  readonly kind: FaultKind;
  readonly place: string;
  readonly severity: number;
  readonly busyRnic: string | null;
}

function casesOf(
  plan: Plan,
  { faults = faultKinds, wanted = () => true, busy = false }: EvaluationOptions,
): Case[] {
  const cases = faults.flatMap((kind) =>
    placesOf(kind, plan).flatMap((place) =>
      (kind.severities.length === 0 ? [1] : kind.severities)
        .filter((severity) => wanted(kind.id, place, severity))
        .map((severity): Case => ({ kind, place, severity, busyRnic: null })),
    ),
  );
  const inUse = cases.map((each): Case => ({ ...each, busyRnic: rnicUnderTest(plan, each.place) }));
  return busy ? [...cases, ...inUse] : cases;
}

/** The RNIC that is nearest to a place: the one with the fewest links on a path over it. */
function rnicUnderTest(plan: Plan, place: string): string {
  const over = plan.paths.filter(
    ({ rnic, endpoint, links }) =>
      rnic === place || endpoint === place || links.some((link) => plan.links[link].name === place),
  );
  const nearest = over.reduce(
    (least, path) => (path.links.length < least.links.length ? path : least),
    over[0],
  );
  return nearest?.rnic ?? plan.rnics[0];
}

interface Swept {
  readonly diagnosis: Diagnosis;
  readonly visible: boolean;
}

async function swept(server: PingedServer, twin: HealthyTwin, settings: boolean): Promise<Swept> {
  const { statuses, diagnosis, utilisation } = await checkUp(server, twin, { settings });
  const slow = statuses.some(
    ({ state, latencyAbnormal }) => latencyAbnormal || state === 'abnormal' || state === 'failed',
  );
  // Of an RNIC's own link use alone tells; other full links make paths slow.
  const full = twin.plan.links.some(
    ({ place }, link) => place === 'rnic' && (utilisation.get(link) ?? 0) > THRESHOLDS.overloaded,
  );
  return { diagnosis, visible: slow || full };
}

function judged(
  host: string,
  { plan, baseline }: HealthyTwin,
  { kind, place, severity, busyRnic }: Case,
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
