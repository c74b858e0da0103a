import { Random } from '../../engine/index.js';
import type { ServerChoice } from '../../testbeds/index.js';
import { checkUp } from './check-up.js';
import type { Finding } from './diagnosis/finding.js';
import { isTarget, targetOf } from './fault-target.js';
import { findFault } from './faults/catalogue.js';
import type { FaultKind } from './faults/fault-kind.js';
import { faultAt } from './faults/fault-text.js';
import { type EvaluatedFault, judged, type Swept } from './judge-fault.js';
import type { ProbeOptions } from './probe.js';
import { type HealthyTwin, healthyTwin, openServer, type PingedServer } from './server.js';
import { serviceOf } from './service.js';
import { THRESHOLDS } from './thresholds.js';

/** A server type as it is evaluated: plain data that can go to another thread. */
export interface EvaluatedServer {
  readonly choice: ServerChoice;
  /** Without jitter: each task adds its own. */
  readonly probes: Omit<ProbeOptions, 'jitterNs'>;
  readonly settings: boolean;
}

/** A fault where it is injected. */
export interface PlacedFault {
  readonly fault: string;
  readonly place: string;
  readonly severity: number;
}

/** One step of an evaluation. */
export type PingTask = { readonly job: 'ping'; readonly server: EvaluatedServer } & (
  | { readonly kind: 'fault'; readonly fault: PlacedFault; readonly busyRnic: string | null }
  | { readonly kind: 'pair'; readonly faults: readonly [PlacedFault, PlacedFault] }
  | {
      readonly kind: 'healthy';
      readonly sweeps: number;
      readonly busyRnic: string | null;
    }
);

/** One of two faults that are there at once. */
export interface PairedFault {
  readonly fault: string;
  readonly place: string;
  /** Whether a finding names its link where it is alone, and beside the other; and its cause there. */
  readonly alone: boolean;
  readonly link: boolean;
  readonly cause: boolean;
}

/** Two faults at once. */
export interface EvaluatedPair {
  readonly faults: readonly [PairedFault, PairedFault];
  /** Findings at places where neither is. */
  readonly wrong: readonly string[];
}

/** Healthy sweeps of a server type. */
export interface HealthySweeps {
  readonly host: string;
  readonly busyRnic: string | null;
  readonly sweeps: number;
  readonly alarms: number;
}

/** What a task gives. */
export type PingAnswer = EvaluatedFault | EvaluatedPair | HealthySweeps;

/** Spread of the time of a probe on a real processor: 5 % of about 2.5 us, either way. */
export const JITTER_NS = 125;

/** Service traffic of an RNIC on a busy host, as a share of its port's rate. */
const SERVICE = 0.6;
/** Healthy twins are kept for this many server types: each takes a sweep. */
const MOST_TWINS = 16;

const twins = new Map<string, Promise<HealthyTwin>>();

/** The healthy twin of a server; made once per thread for each of the last few server types. */
export function twinOf({ choice, probes }: EvaluatedServer): Promise<HealthyTwin> {
  const key = JSON.stringify([choice, probes]);
  const known = twins.get(key);
  if (known !== undefined) return known;
  const [oldest] = twins.keys();
  if (twins.size >= MOST_TWINS && oldest !== undefined) twins.delete(oldest);
  const made = healthyTwin(choice, probes);
  twins.set(key, made);
  return made;
}

/**
 * Runs one step of an evaluation. Its jitter depends on the seed and on what is injected alone, so that steps can be
 * made in any order, on any number of threads.
 *
 * @example
 * const { link, cause } = await runPingTask({ job: 'ping', kind: 'fault', server, fault, busyRnic: null });
 */
export async function runPingTask(
  task: PingTask,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: (done: number) => void } = {},
): Promise<PingAnswer> {
  const twin = await twinOf(task.server);
  if (task.kind === 'fault') return evaluateFault(task.server, twin, task.fault, task.busyRnic);
  if (task.kind === 'pair') return evaluatePair(task.server, twin, task.faults);
  return sweepHealthy(task.server, twin, task, signal, onProgress);
}

/** Jitter of its own for what is evaluated. */
function jittered({ choice, probes }: EvaluatedServer, name: string): ProbeOptions {
  const random = new Random(choice.seed).split(`${choice.host} ${name}`);
  return { ...probes, jitterNs: () => JITTER_NS * (random.nextUint32() / 2 ** 31 - 1) };
}

function kindOf({ fault }: PlacedFault): FaultKind {
  const kind = findFault(fault);
  if (kind === undefined) throw new Error(`there is no fault ${fault}`);
  return kind;
}

function serviceOn({ plan, portGbps }: HealthyTwin, busyRnic: string | null) {
  return busyRnic === null ? [] : serviceOf(plan, busyRnic, SERVICE * portGbps);
}

async function evaluateFault(
  server: EvaluatedServer,
  twin: HealthyTwin,
  placed: PlacedFault,
  busyRnic: string | null,
): Promise<EvaluatedFault> {
  const { place, severity } = placed;
  const kind = kindOf(placed);
  const probes = jittered(server, `${kind.id} ${place} ${severity} ${busyRnic ?? 'idle'}`);
  const faults = [faultAt(kind, twin.plan, place, severity), ...serviceOn(twin, busyRnic)];
  const opened = await openServer(server.choice, faults, probes);
  try {
    const seen = await swept(opened, twin, server.settings);
    return judged(server.choice.host, twin, { kind, place, severity, busyRnic }, seen);
  } finally {
    await opened.close();
  }
}

async function evaluatePair(
  server: EvaluatedServer,
  twin: HealthyTwin,
  pair: readonly [PlacedFault, PlacedFault],
): Promise<EvaluatedPair> {
  const findingsOf = async (placed: readonly PlacedFault[]): Promise<readonly Finding[]> => {
    const faults = placed.map((each) => faultAt(kindOf(each), twin.plan, each.place, each.severity));
    const probes = jittered(server, placed.map(({ fault, place }) => `${fault} ${place}`).join(' '));
    const opened = await openServer(server.choice, faults, probes);
    try {
      return (await checkUp(opened, twin)).diagnosis.findings;
    } finally {
      await opened.close();
    }
  };
  const alone = [await findingsOf([pair[0]]), await findingsOf([pair[1]])];
  const findings = await findingsOf(pair);
  const [one, other] = pair.map(
    (placed, index): PairedFault => ({
      ...{ fault: placed.fault, place: placed.place },
      ...{ alone: names(twin, alone[index], placed).link, ...names(twin, findings, placed) },
    }),
  );
  const wrong = findings.filter(({ links }) => !pair.some((placed) => isOf(twin, links, placed)));
  return {
    faults: [one, other],
    wrong: wrong.map(({ cause, links }) => `${cause}@${links.join('|')}`),
  };
}

/** Whether findings name the link of a fault, and its cause there. */
function names(
  twin: HealthyTwin,
  findings: readonly Finding[],
  placed: PlacedFault,
): { link: boolean; cause: boolean } {
  const there = findings.filter(({ links }) => isOf(twin, links, placed));
  return { link: there.length > 0, cause: there.some(({ cause }) => cause === placed.fault) };
}

function isOf({ plan }: HealthyTwin, links: readonly string[], placed: PlacedFault): boolean {
  return isTarget(links, targetOf(plan, kindOf(placed), placed.place), placed.fault, placed.place);
}

async function sweepHealthy(
  server: EvaluatedServer,
  twin: HealthyTwin,
  { sweeps: wanted, busyRnic }: { sweeps: number; busyRnic: string | null },
  signal: AbortSignal | undefined,
  onProgress: ((done: number) => void) | undefined,
): Promise<HealthySweeps> {
  const probes = jittered(server, `healthy ${busyRnic ?? 'idle'}`);
  const opened = await openServer(server.choice, serviceOn(twin, busyRnic), probes);
  let alarms = 0;
  let sweeps = 0;
  while (sweeps < wanted && signal?.aborted !== true) {
    const { diagnosis } = await swept(opened, twin, server.settings);
    if (diagnosis.findings.length > 0) alarms++;
    sweeps++;
    onProgress?.(sweeps);
  }
  await opened.close();
  return { host: server.choice.host, busyRnic, sweeps, alarms };
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
