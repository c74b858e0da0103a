import { Random } from '../../engine/index.js';
import type { ServerChoice } from '../../testbeds/index.js';
import { checkUp } from './check-up.js';
import type { Finding } from './diagnosis/finding.js';
import { JITTER_NS } from './evaluate.js';
import { isTarget, targetOf } from './fault-target.js';
import { faultKinds } from './faults/catalogue.js';
import type { FaultKind } from './faults/fault-kind.js';
import { faultAt, placesOf } from './faults/fault-text.js';
import type { ProbeOptions } from './probe.js';
import { type HealthyTwin, healthyTwin, openServer } from './server.js';

/** What is evaluated: every pair of kinds of faults on a host, at places that a seed draws. */
export interface PairOptions {
  readonly choice: ServerChoice;
  readonly probes: ProbeOptions;
  /** The kinds to be paired; all by default. */
  readonly faults?: readonly FaultKind[];
  readonly onProgress?: (done: number, of: number) => void;
  readonly signal?: AbortSignal;
}

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

/** A kind of fault where it was drawn. */
interface Drawn {
  readonly kind: FaultKind;
  readonly place: string;
  readonly severity: number;
}

/** Injects every pair of kinds of faults at once, each at its middle severity, into a host whose probes jitter. */
export async function evaluatePairs({
  choice,
  probes,
  faults: wanted = faultKinds,
  onProgress,
  signal,
}: PairOptions): Promise<EvaluatedPair[]> {
  const twin = await healthyTwin(choice, probes);
  const random = new Random(choice.seed);
  const jitterNs = () => JITTER_NS * (random.nextUint32() / 2 ** 31 - 1);
  const named = async (drawn: readonly Drawn[]): Promise<readonly Finding[]> => {
    const faults = drawn.map(({ kind, place, severity }) => faultAt(kind, twin.plan, place, severity));
    const server = await openServer(choice, faults, { ...probes, jitterNs });
    const { diagnosis } = await checkUp(server, twin);
    await server.close();
    return diagnosis.findings;
  };
  const kinds = wanted.filter((kind) => placesOf(kind, twin.plan).length > 0);
  const drawn = (kind: FaultKind): Drawn => {
    const places = placesOf(kind, twin.plan);
    const severity = kind.severities[Math.floor(kind.severities.length / 2)] ?? 1;
    return { kind, place: places[random.nextUint32() % places.length], severity };
  };
  const pairs = kinds.flatMap((kind, place) => kinds.slice(place + 1).map((other) => [kind, other] as const));
  const evaluated: EvaluatedPair[] = [];
  for (const pair of pairs) {
    if (signal?.aborted) break;
    const both = pair.map(drawn);
    const alone: { readonly link: boolean }[] = [];
    for (const each of both) alone.push(names(twin, await named([each]), each));
    const findings = await named(both);
    const faults = both.map((each, place) => ({
      ...{ fault: each.kind.id, place: each.place, alone: alone[place].link },
      ...names(twin, findings, each),
    }));
    const wrong = findings.filter(({ links }) => !both.some((each) => isOf(twin, links, each)));
    evaluated.push({
      faults: [faults[0], faults[1]],
      wrong: wrong.map(({ cause, links }) => `${cause}@${links.join('|')}`),
    });
    onProgress?.(evaluated.length, pairs.length);
  }
  return evaluated;
}

/** Whether findings name the link of a fault, and its cause there. */
function names(
  twin: HealthyTwin,
  findings: readonly Finding[],
  drawn: Drawn,
): { link: boolean; cause: boolean } {
  const there = findings.filter(({ links }) => isOf(twin, links, drawn));
  return { link: there.length > 0, cause: there.some(({ cause }) => cause === drawn.kind.id) };
}

function isOf({ plan }: HealthyTwin, links: readonly string[], { kind, place }: Drawn): boolean {
  return isTarget(links, targetOf(plan, kind, place), kind.id, place);
}
