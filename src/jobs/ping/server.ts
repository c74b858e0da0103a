import type { PartSettings } from '../../models/index.js';
import type { FaultDescription } from '../../profiles/index.js';
import { openSimulatedServer, type ServerChoice } from '../../testbeds/index.js';
import { type Plan, planOf } from './plan.js';
import { type ProbeOptions, Prober, type Sweep } from './probe.js';
import { type Baseline, baselineOf } from './status.js';

/** A simulated server that can be swept. */
export interface PingedServer {
  readonly plan: Plan;
  sweep(wanted?: (path: number) => boolean): Promise<Sweep>;
  /** What a program on the server could read of its ports and RNICs now. */
  readSettings(): readonly PartSettings[];
  close(): Promise<void>;
}

/** What a healthy server of the same kind gives and how it is set up. */
export interface HealthyTwin {
  readonly plan: Plan;
  readonly baseline: Baseline;
  readonly settings: readonly PartSettings[];
}

/** Opens a simulated server, healthy or with faults. */
export async function openServer(
  choice: ServerChoice,
  faults: readonly FaultDescription[] = [],
  options: ProbeOptions = {},
): Promise<PingedServer> {
  const server = await openSimulatedServer(choice, faults);
  const plan = planOf(server.host);
  const prober = new Prober(plan, (rnic) => server.context(rnic), options);
  return {
    plan,
    sweep: (wanted) => prober.sweep(wanted),
    readSettings: () => server.readSettings(),
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
    return { plan: server.plan, baseline, settings: server.readSettings() };
  } finally {
    await server.close();
  }
}
