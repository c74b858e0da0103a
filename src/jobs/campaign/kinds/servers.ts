import { findProfile, resolveHost } from '../../../profiles/index.js';
import {
  checkUp,
  faultKinds,
  healthyTwin,
  openServer,
  parseFault,
  placesOf,
  planOf,
  SIMULATED_PROBES,
} from '../../ping/index.js';
import type { CampaignPoint } from '../axis.js';
import { hostLabel } from '../host.js';
import type { CampaignKind } from '../kind.js';
import { listOf } from '../reader.js';
import { wayOf } from '../way.js';
import { HOST_METRICS, type HostBase, planHosts, runHost, runWay } from './hosts.js';

/** What all check-ups have in common. */
interface ServerBase {
  readonly device: string;
}

const DEVICE = 'connectx-6-200g';
const HOST = 'hostping';
const NONE = 'none';
const ALL = 'all';

/** Fields of real hosts beside their names. */
const HOST_FIELDS = ['processes', 'between', 'waitS'] as const;

function machinesOf({ host }: CampaignPoint): readonly string[] {
  if (host === undefined) return [];
  const way = wayOf({ host });
  return (way === null ? [String(host)] : [way.from, way.to]).map(hostLabel);
}

/** Check-ups of simulated servers, with a fault each or healthy, or of real hosts. */
export const ping: CampaignKind<ServerBase | HostBase> = {
  required: [],
  optional: ['on', 'faults', 'device', ...HOST_FIELDS, 'hosts'],
  keepsAll: true,
  metrics: ['findings', 'named'],
  hasMetric: (base, metric) => 'processes' in base && HOST_METRICS.includes(metric),
  // Of a way: the host that probes takes the task, and both are busy with it.
  labelsOf: (point) => machinesOf(point).slice(0, 1),
  machinesOf,
  plan(description, reader) {
    if (description.hosts !== undefined) return planHosts(description, reader);
    const { on = HOST, faults = NONE, device = DEVICE } = description;
    for (const field of HOST_FIELDS)
      if (description[field] !== undefined)
        reader.refuse([field], 'simulated servers have none', description[field], 'hosts beside it');
    const hosts = reader.distinct(['on'], listOf(on));
    const plans = hosts.flatMap(
      (host) => reader.attempt(['on'], () => planOf(resolveHost(findProfile('host', host)))) ?? [],
    );
    reader.attempt(['device'], () => findProfile('device', device));
    const asked = listOf(faults);
    if (asked.includes(ALL) && hosts.length > 1)
      reader.refuse(['faults'], 'hosts differ in the places of faults', ALL, 'one host, or faults by name');
    const all = plans
      .slice(0, 1)
      .flatMap((plan) =>
        faultKinds.flatMap((kind) => placesOf(kind, plan).map((place) => `${kind.id}@${place}`)),
      );
    const texts = reader.distinct(
      ['faults'],
      asked.flatMap((text) => (text === ALL ? all : [text])),
    );
    for (const plan of plans)
      for (const text of texts) if (text !== NONE) reader.attempt(['faults'], () => parseFault(text, plan));
    return {
      axes: [
        { name: 'on', values: hosts },
        { name: 'fault', values: texts },
      ],
      base: { device },
    };
  },
  async run(base, { on, fault, seed, host }, options) {
    if ('processes' in base) {
      const way = wayOf({ host });
      return way === null ? runHost(base, options) : runWay(base, way, options);
    }
    const { device } = base;
    const { keepsAll } = options;
    const choice = { host: String(on), device, seed: Number(seed) };
    const twin = await healthyTwin(choice, SIMULATED_PROBES);
    const asked = fault === NONE ? null : parseFault(String(fault), twin.plan);
    const server = await openServer(choice, asked === null ? [] : [asked.description], SIMULATED_PROBES);
    try {
      const { diagnosis } = await checkUp(server, twin);
      const { findings } = diagnosis;
      const named =
        asked === null ? findings.length === 0 : findings.some(({ cause }) => cause === asked.kind.id);
      return {
        metrics: { findings: findings.length, named: Number(named) },
        says:
          findings.length === 0
            ? 'nothing'
            : findings.map(({ links, cause }) => `${cause} at ${links}`).join('; '),
        found: findings.length > 0,
        ...(keepsAll ? { detail: findings } : {}),
      };
    } finally {
      await server.close();
    }
  },
};
