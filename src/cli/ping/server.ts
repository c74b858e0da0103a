import {
  type Baseline,
  baselineOf,
  type Plan,
  type ProbeOptions,
  Prober,
  planOf,
  type Sweep,
} from '../../jobs/ping/index.js';
import { type FaultDescription, ProfileLibrary, resolveHost } from '../../profiles/index.js';
import { SimulatedProvider } from '../../providers/simulated/index.js';
import type { Context } from '../../verbs/index.js';

/** A server to be pinged: which host, with which device in every RNIC's place. */
export interface ServerChoice {
  readonly host: string;
  readonly device: string;
  readonly seed: number;
}

/** A simulated server with all its RNICs open. */
export interface PingedServer {
  readonly plan: Plan;
  sweep(wanted?: (path: number) => boolean): Promise<Sweep>;
  close(): Promise<void>;
}

/** Opens a simulated server, healthy or with faults. */
export async function openServer(
  { host, device, seed }: ServerChoice,
  faults: readonly FaultDescription[] = [],
  options: ProbeOptions = {},
): Promise<PingedServer> {
  const plan = planOf(resolveHost(new ProfileLibrary().find('host', host)));
  const provider = new SimulatedProvider({ world: { hosts: [{ host, device }], faults }, seed });
  const contexts = new Map<string, Context>();
  for (const rnic of plan.rnics) contexts.set(rnic, await provider.open(`h0/${rnic}`));
  const prober = new Prober(plan, (rnic) => contexts.get(rnic)!, options);
  return {
    plan,
    sweep: (wanted) => prober.sweep(wanted),
    close: async () => void (await Promise.all([...contexts.values()].map((context) => context.close()))),
  };
}

/** What the same server gives without faults: there are no equal hosts to take a baseline from, so the model is asked. */
export async function modelBaseline(choice: ServerChoice, options: ProbeOptions = {}): Promise<Baseline> {
  const server = await openServer(choice, [], options);
  try {
    const { readings } = await server.sweep();
    return baselineOf([readings.map((reading) => reading!)], `the model of ${choice.host} without faults`);
  } finally {
    await server.close();
  }
}
