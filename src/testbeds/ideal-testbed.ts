import { IdealProvider } from '../providers/ideal/index.js';
import { buildTestbed } from './build.js';
import { hostsOf, type TestbedRequest } from './description.js';
import type { ProviderEntry } from './registry.js';
import { type IsolatedTestbed, isolated } from './tenant-contexts.js';

/** Latency of every operation on an ideal testbed: with zero, programs that wait for each other would stop time. */
const LATENCY_NS = 1000;

/** The ideal provider for testbeds. */
export const idealProvider: ProviderEntry = {
  name: 'ideal',
  takesProfiles: false,
  hasPackets: false,
  open: openIdealTestbed,
};

async function openIdealTestbed(request: TestbedRequest): Promise<IsolatedTestbed> {
  const { seed = 1, settings = {}, isolation } = request;
  const plans = hostsOf(request);
  const devices = plans.reduce((sum, plan) => sum + plan.devices, 0);
  const provider = new IdealProvider({ devices, latencyNs: LATENCY_NS, seed });
  const names = (await provider.listDevices()).map(({ name }) => name);
  const opened = await Promise.all(
    names.map(async (name) => ({
      context: await provider.open(name),
      probe: { receiveWaitNs: () => provider.receiveWaitNs(name) },
    })),
  );
  const hosts = plans.map((plan) => ({ name: plan.name, devices: opened.splice(0, plan.devices) }));
  const notes = ['ideal devices take 1 us for anything: rates and latencies say nothing about hardware'];
  if (Object.keys(settings).length > 0)
    notes.push('ideal hosts have no settings: those of the workload change nothing');
  return isolated(buildTestbed({ provider: 'ideal', hosts, notes }), isolation, seed);
}
