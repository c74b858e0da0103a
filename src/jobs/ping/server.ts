import type { LinkReading, PartSettings } from '../../models/index.js';
import type { FaultDescription } from '../../profiles/index.js';
import { openSimulatedServer, type ServerChoice, type SimulatedServer } from '../../testbeds/index.js';
import { type Plan, planOf } from './plan.js';
import { type ProbeOptions, Prober, type ProbeSweep } from './probe.js';
import { examine } from './second-stage/examine.js';
import type { Questions, SecondStage } from './second-stage/second-stage.js';
import { type Flow, stream } from './second-stage/stream.js';
import { type Baseline, baselineOf } from './status.js';

/** How long the links are watched before a sweep. */
const WATCHED_NS = 100_000;

/** A simulated server that can be swept. */
export interface PingedServer {
  readonly plan: Plan;
  sweep(wanted?: (path: number) => boolean): Promise<ProbeSweep>;
  /** The use of each link of the plan, 0 to 1, in a while without probes. */
  utilisation(): Promise<ReadonlyMap<number, number>>;
  /** Loopback traffic without pauses: what each flow carries, in Gb/s. */
  stream(flows: readonly Flow[]): Promise<readonly number[]>;
  /** Probes what the first stage left open. */
  examine(questions: Questions, baseline: Baseline): Promise<SecondStage>;
  /** What a program on the server could read of its ports and RNICs now. */
  readSettings(): readonly PartSettings[];
  /** Rate of an RNIC's port. */
  readonly portGbps: number;
  close(): Promise<void>;
}

/** What a healthy server of the same kind gives and how it is set up. */
export interface HealthyTwin {
  readonly plan: Plan;
  readonly baseline: Baseline;
  readonly settings: readonly PartSettings[];
  /** Rate of an RNIC's port. */
  readonly portGbps: number;
}

/** Opens a simulated server, healthy or with faults. */
export async function openServer(
  choice: ServerChoice,
  faults: readonly FaultDescription[] = [],
  options: ProbeOptions = {},
): Promise<PingedServer> {
  return pingedServer(await openSimulatedServer(choice, faults), options);
}

/** An open server as one that can be swept. */
export function pingedServer(server: SimulatedServer, options: ProbeOptions = {}): PingedServer {
  const plan = planOf(server.host);
  const prober = new Prober(plan, (rnic) => server.context(rnic), options);
  return {
    plan,
    sweep: (wanted) => prober.sweep(wanted),
    utilisation: async () => {
      const before = server.readLinks();
      await server.context(plan.rnics[0]).clock.sleep(WATCHED_NS);
      return usedOf(plan, before, server.readLinks());
    },
    stream: (flows) => stream(flows, (rnic) => server.context(rnic)),
    examine: (questions, baseline) =>
      examine({ plan, baseline, probes: options, contextOf: (rnic) => server.context(rnic) }, questions),
    readSettings: () => server.readSettings(),
    portGbps: server.portGbps,
    close: () => server.close(),
  };
}

/** The same server without faults: there are no equal hosts to take a baseline from, so the model is asked. */
export async function healthyTwin(choice: ServerChoice, options: ProbeOptions = {}): Promise<HealthyTwin> {
  const server = await openServer(choice, [], options);
  try {
    const { readings } = await server.sweep();
    const source = `the model of ${choice.host} without faults`;
    const baseline = baselineOf([readings.map((reading) => reading!)], source);
    return { plan: server.plan, baseline, settings: server.readSettings(), portGbps: server.portGbps };
  } finally {
    await server.close();
  }
}

/** The use of the busier direction of each link between two readings. */
function usedOf(
  { links }: Plan,
  before: readonly LinkReading[],
  after: readonly LinkReading[],
): ReadonlyMap<number, number> {
  const used = new Map<number, number>();
  links.forEach(({ name }, link) => {
    const place = after.findIndex((each) => each.name === `h0/${name}`);
    if (place < 0) return;
    const busyNs = after[place].directions.map(
      (direction, way) => direction.busyNs - before[place].directions[way].busyNs,
    );
    used.set(link, Math.max(...busyNs) / WATCHED_NS);
  });
  return used;
}
