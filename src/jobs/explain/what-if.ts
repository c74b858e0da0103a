import type { DeviceConstants, HostConstants, Subsystem, UnitSendConstants } from '../../profiles/index.js';
import type { LimitKind, Measurement, Tenant, Workload } from '../../workload/index.js';

/** A run with one thing changed: what is suspected is off, or twice as fast, and all else as it was. */
export interface WhatIf {
  /** In words: `the context cache holds everything`. */
  name: string;
  /** The kinds of parts that it relieves; none where it was tried for want of a suspect. */
  relieves: readonly LimitKind[];
  /** Mechanisms of the models to switch off. */
  ablate?: readonly string[];
  subsystem?: (subsystem: Subsystem) => Subsystem;
  workload?: (workload: Workload) => Workload;
  /** Nothing is lost on the way. */
  lossless?: boolean;
}

/** A change before it is known what it is tried for. */
type Change = Omit<WhatIf, 'relieves'>;

/** Every mechanism with what its absence means, by its name in the models. */
export type Mechanisms = Readonly<Record<string, string>>;

/** Times that a rate is raised: enough to show whether it was the limit. */
const FACTOR = 2;
const MOST_DEPTH = 32768;
/** Requests that cover the latency of most devices. */
const FULL_DEPTH = 16;
/** Parts that are used this much are suspected. */
const SUSPECT_SHARE = 0.5;

const halvedSend: readonly (keyof DeviceConstants | keyof UnitSendConstants)[] = [
  'deviceMessageGapNs',
  'deviceReadGapNs',
  'readResponseGapNs',
  'qpMessageGapNs',
  'qpPacketGapNs',
];
const halvedReceive: readonly (keyof DeviceConstants)[] = [
  'receiveOnlyNs',
  'receiveMultiNs',
  'readRequestNs',
  'readResponseOnlyNs',
  'readResponseMultiNs',
  'ackNs',
  'fetchAddNs',
  'compareSwapNs',
];
const halvedCore: readonly (keyof HostConstants)[] = [
  'postNs',
  'wqeNs',
  'elementNs',
  'doorbellNs',
  'pollNs',
  'receiveWqeNs',
];

/** What to change for each kind of part. */
const byKind: Readonly<Record<LimitKind, (mechanisms: Mechanisms) => Change[]>> = {
  line: () => [{ name: 'ports and cables are twice as fast', subsystem: fasterPorts }],
  'PCIe link': (mechanisms) => [
    { name: "the RNICs' PCIe links are twice as fast", subsystem: fasterPcie },
    ...off(mechanisms, 'pcie-up-link', 'read-credit'),
  ],
  'host link': (mechanisms) => [
    ...off(mechanisms, 'cross-socket-link', 'acs-redirect'),
    { name: 'the links of the hosts are twice as fast', subsystem: fasterHostLinks },
  ],
  'PCIe ordering': (mechanisms) => off(mechanisms, 'pcie-ordering'),
  'processing units': (mechanisms) => [
    {
      name: 'the processing units are twice as fast',
      subsystem: (subsystem) => withDevice(subsystem, halvedSend, 1 / FACTOR),
    },
    ...off(mechanisms, 'shared-processors', 'burst-grant'),
  ],
  'receive engine': (mechanisms) => [
    ...off(
      mechanisms,
      'read-response-cost',
      'send-wqe-cache',
      'receive-wqe-window',
      'receive-wqe-cache',
      'engine-shared',
      'rnr-hold',
      'atomic-fence',
    ),
    {
      name: 'the receive engine is twice as fast',
      subsystem: (subsystem) => withDevice(subsystem, halvedReceive, 1 / FACTOR),
    },
  ],
  'context cache': (mechanisms) => off(mechanisms, 'context-cache'),
  'translation cache': (mechanisms) => off(mechanisms, 'translation-cache'),
  'receive WQE cache': (mechanisms) => off(mechanisms, 'receive-wqe-cache', 'receive-wqe-window'),
  'send WQE cache': (mechanisms) => off(mechanisms, 'send-wqe-cache'),
  'control verbs': (mechanisms) => off(mechanisms, 'invalidation-hold'),
  'posting core': (mechanisms) => [
    {
      name: 'the cores are twice as fast',
      subsystem: (subsystem) => withHost(subsystem, halvedCore, 1 / FACTOR),
    },
    ...off(mechanisms, 'doorbell-back-pressure'),
  ],
  loss: () => [{ name: 'nothing is lost on the way', lossless: true }],
  workload: () => [
    {
      name: 'a receive is posted for every message',
      workload: (workload) => withTenants(workload, () => ({ receives: 'posted' })),
    },
    { name: 'queues are kept full', workload: streaming },
    { name: 'twice as many requests are in flight', workload: deeper },
    { name: 'no rate limit', workload: (workload) => withTenants(workload, () => ({ rateLimit: null })) },
  ],
};

/** What to try for a run, most suspected first; `all` adds every mechanism that no part of it points to. */
export function whatIfs({ limits, workload }: Measurement, mechanisms: Mechanisms, all: boolean): WhatIf[] {
  const suspects = [
    ...(limits.part === null ? [] : [limits.part]),
    ...limits.parts.filter(({ share }) => share >= SUSPECT_SHARE),
  ];
  const kinds = [...new Set(suspects.map(({ kind }) => kind))];
  const found = new Map<string, WhatIf>();
  const add = (change: Change, relieves: readonly LimitKind[]) => {
    const known = found.get(change.name)?.relieves ?? [];
    found.set(change.name, { ...change, relieves: [...known, ...relieves] });
  };
  for (const kind of kinds) for (const change of byKind[kind](mechanisms)) add(change, [kind]);
  if (all) for (const change of off(mechanisms, ...Object.keys(mechanisms))) add(change, []);
  // What changes nothing of this workload proves nothing.
  return [...found.values()].filter(
    ({ workload: change }) =>
      change === undefined || JSON.stringify(change(workload)) !== JSON.stringify(workload),
  );
}

/** Runs with mechanisms switched off, those that the models have. */
function off(mechanisms: Mechanisms, ...names: readonly string[]): Change[] {
  return names.flatMap((name) =>
    mechanisms[name] === undefined ? [] : [{ name: `${mechanisms[name]} (without ${name})`, ablate: [name] }],
  );
}

function fasterPorts(subsystem: Subsystem): Subsystem {
  const { fabric } = subsystem;
  const { linkGbps } = fabric.constants;
  return {
    ...withDevice(subsystem, ['portGbps'], FACTOR),
    fabric: { ...fabric, constants: { ...fabric.constants, linkGbps: linkGbps * FACTOR } },
  };
}

function fasterPcie(subsystem: Subsystem): Subsystem {
  return withLinks(withDevice(subsystem, ['pcieGbps'], FACTOR), (ends) => ends.includes('rnic'));
}

function fasterHostLinks(subsystem: Subsystem): Subsystem {
  return withLinks(subsystem, (ends) => !ends.includes('rnic'));
}

/** Twice the rate for links between nodes of some kinds. */
function withLinks(subsystem: Subsystem, wanted: (ends: readonly string[]) => boolean): Subsystem {
  const { host } = subsystem;
  const links = host.links.map((link) =>
    wanted(link.ends.map((end) => host.nodes[end].kind)) ? { ...link, gbps: link.gbps * FACTOR } : link,
  );
  return { ...subsystem, host: { ...host, links } };
}

function withDevice(subsystem: Subsystem, names: readonly string[], factor: number): Subsystem {
  const { device } = subsystem;
  return { ...subsystem, device: { ...device, constants: scaled(device.constants, names, factor) } };
}

function withHost(subsystem: Subsystem, names: readonly (keyof HostConstants)[], factor: number): Subsystem {
  const { host } = subsystem;
  return { ...subsystem, host: { ...host, constants: scaled(host.constants, names, factor) } };
}

function scaled<T extends Readonly<Record<string, number>>>(
  constants: T,
  names: readonly (keyof T)[],
  factor: number,
): T {
  // A device of another architecture has only some of them.
  const there = names.filter((name) => Object.hasOwn(constants, name));
  const changed = Object.fromEntries(there.map((name) => [name, constants[name] * factor]));
  return { ...constants, ...changed };
}

function deeper(workload: Workload): Workload {
  const twice = (value: number) => Math.min(MOST_DEPTH, FACTOR * value);
  return withTenants(workload, ({ sendQueueDepth, receiveQueueDepth, outstanding, maxRdAtomic }) => ({
    sendQueueDepth: twice(sendQueueDepth),
    receiveQueueDepth: twice(receiveQueueDepth),
    outstanding: twice(outstanding),
    maxRdAtomic: Math.min(255, FACTOR * maxRdAtomic),
  }));
}

/** Who waits for an answer before it sends again has requests in flight all the time instead. */
function streaming(workload: Workload): Workload {
  return withTenants(workload, ({ mode, sendQueueDepth, receiveQueueDepth }) =>
    mode === 'pingPong'
      ? {
          mode: 'stream',
          sendQueueDepth: Math.max(FULL_DEPTH, sendQueueDepth),
          receiveQueueDepth: Math.max(FULL_DEPTH, receiveQueueDepth),
          outstanding: FULL_DEPTH,
        }
      : {},
  );
}

function withTenants(workload: Workload, change: (tenant: Tenant) => Partial<Tenant>): Workload {
  return { ...workload, tenants: workload.tenants.map((tenant) => ({ ...tenant, ...change(tenant) })) };
}
