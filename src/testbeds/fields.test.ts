import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PacketRecorder } from '../link/index.js';
import { type SettingName, type Settings, settings, type WorldDescription } from '../profiles/index.js';
import type { tenantSchema } from '../workload/description/description.js';
import { resolveWorkload, runWorkload, type TenantInput } from '../workload/index.js';
import { openTestbedFor } from './index.js';

// Goal: every field of a workload and every setting has an effect.
// Method: run two workloads that differ only in that field, with the same seed, and check that the Measurements differ
// in more than the workload they repeat.

const MEASURE = { sliceNs: 5000, minNs: 60_000, maxNs: 60_000 };

/** Two values of a field, and what else the workload needs for the field to matter. */
interface Difference {
  values: readonly [unknown, unknown];
  beside?: TenantInput;
  /** A second tenant. */
  neighbour?: TenantInput;
  /** Default: two hosts of collie-f. */
  world?: WorldDescription;
}

const READS: TenantInput = { opcode: 'READ', qps: 4, sizes: [64] };
const SENDS: TenantInput = { opcode: 'SEND', qps: 4, sizes: [64] };
/** A device that takes short timeouts as given, and a cable that loses everything from a certain time on. */
const LOSSES: WorldDescription = {
  hosts: [{ subsystem: 'collie-h', count: 2 }],
  faults: [{ at: 'h1/rnic0-switch0', loss: 1, from: '10us' }],
};
/** The receiver is never ready, so that the settings for waiting show. */
const NOT_READY: TenantInput = { opcode: 'SEND', receives: 'none' };

const differences: Readonly<Record<keyof typeof tenantSchema.shape, Difference>> = {
  name: { values: ['one', 'other'] },
  transport: { values: ['RC', 'UC'] },
  opcode: { values: ['WRITE', 'READ'] },
  mode: { values: ['stream', 'pingPong'] },
  qps: { values: [1, 2] },
  mrs: { values: [1, 4000], beside: { qps: 16, mrBytes: 4096, sizes: [64] } },
  mrScope: { values: ['qp', 'tenant'], beside: { qps: 64, mrs: 400, mrBytes: 4096, sizes: [64] } },
  mrBytes: { values: [65536, 2 ** 30], beside: { sizes: [64] } },
  mrChoice: { values: ['roundRobin', 'random'], beside: { mrs: 40_000, mrBytes: 4096, sizes: [64] } },
  mrOffsets: { values: ['sequential', 'random'] },
  sendQueueDepth: { values: [2, 64], beside: { sizes: [64] } },
  receiveQueueDepth: { values: [2, 64], beside: SENDS },
  batch: { values: [1, 16], beside: { sizes: [64] } },
  receiveBatch: { values: [1, 16], beside: SENDS },
  sge: { values: [1, 4], beside: { sizes: [256] } },
  receiveSge: { values: [1, 8], beside: { opcode: 'SEND', qps: 16, receiveQueueDepth: 1024, sizes: [256] } },
  sizes: { values: [[64], [4096]] },
  mtu: { values: [1024, 4096] },
  signalEvery: { values: [1, 16], beside: { sizes: [64] } },
  outstanding: { values: [1, 16], beside: { sizes: [64] } },
  inlineBytes: { values: [0, 64], beside: { sizes: [64] } },
  direction: { values: ['uni', 'bi'] },
  from: { values: ['a', 'c'] },
  to: { values: ['b', 'c'] },
  senders: { values: [{ otherHost: 1 }, { otherHost: 3 }], beside: { direction: 'nToOne' } },
  memory: { values: ['memory0', 'memory1'] },
  threads: { values: [1, 4], beside: { qps: 8, sizes: [64] } },
  deal: { values: ['roundRobin', 'blocks'], beside: { qps: 8, threads: 2, sizes: [64] } },
  threadSocket: { values: [0, 1], beside: { sizes: [64] } },
  cqSharing: { values: ['qp', 'thread'], beside: { qps: 8, threads: 2, sizes: [64] } },
  rateLimit: { values: [{ gbps: 10 }, { gbps: 50 }] },
  receives: { values: ['posted', 'none'], beside: SENDS },
  control: {
    values: [[], [{ verb: 'register', perSecond: 1e6 }]],
    beside: { sizes: [64] },
  },
  startNs: { values: [0, 20_000] },
  stopNs: { values: [20_000, 40_000] },
  iterations: { values: [10, 100], beside: { sizes: [64] } },
  trafficClass: { values: [0, 2] },
  serviceLevel: { values: [0, 3], neighbour: { qps: 4, sizes: [65536] } },
  maxRdAtomic: { values: [1, 16], beside: READS },
  minRnrTimer: { values: [1, 12], beside: NOT_READY },
  rnrRetry: { values: [0, 7], beside: NOT_READY },
  retryCount: { values: [0, 7], beside: { timeout: 1 }, world: LOSSES },
  timeout: { values: [1, 3], world: LOSSES },
};

interface Where {
  world?: WorldDescription;
  subsystem?: string;
  settings?: Partial<Settings>;
}

/** The outcome of a workload, packets included, without the workload itself. */
async function outcome(tenants: TenantInput[], where: Where = {}): Promise<string> {
  const { settings: set = {}, ...place } = where;
  const workload = resolveWorkload({ tenants, settings: set, measure: MEASURE });
  const packets = createHash('sha256');
  const capture = new PacketRecorder('fields', (bytes) => packets.update(bytes));
  const testbed = await openTestbedFor(workload, { seed: 3, capture, ...place });
  try {
    const { workload: _, ...rest } = await runWorkload(workload, testbed, { seed: 3 });
    return `${JSON.stringify(rest)} ${packets.digest('hex')}`;
  } finally {
    await testbed.close();
  }
}

describe('every field of a tenant does something', () => {
  it.each(Object.entries(differences))('%s', async (field, { values, beside, neighbour, world }) => {
    const [one, other] = values.map((value) => [
      { ...beside, [field]: value } as TenantInput,
      ...(neighbour === undefined ? [] : [neighbour]),
    ]);
    const same = (await outcome(one, { world })) === (await outcome(other, { world }));
    expect(same).toBe(false);
  });
});

/** Enough traffic towards one port for the switch to mark. */
const INCAST: TenantInput = { direction: 'nToOne', senders: { otherHost: 4, hosts: 4 }, sizes: [65536] };
/** Makes a strictly ordered receiver pause its peer. */
const ELEMENTS: TenantInput = { direction: 'bi', qps: 4, sge: 3, sizes: [[64, 64, 65536]] };
const TO_GPU: TenantInput = { memory: 'gpu0', qps: 4 };

/** Where a setting matters, and the other settings it needs. */
const places: Readonly<Record<SettingName, Omit<Where, 'world'> & { tenant: TenantInput }>> = {
  ordering: { tenant: ELEMENTS },
  acs: { tenant: TO_GPU },
  ats: { tenant: TO_GPU },
  interSocket: { tenant: { memory: 'memory2', direction: 'bi', qps: 4 }, subsystem: 'collie-g' },
  ddio: { tenant: {} },
  pfc: { tenant: ELEMENTS, settings: { ordering: 'strict' } },
  ecn: { tenant: INCAST },
  receiverEcn: {
    tenant: { ...ELEMENTS, qps: 16, batch: 8 },
    settings: { ordering: 'strict', congestionControl: 'dcqcn' },
  },
  congestionControl: { tenant: { ...INCAST, mtu: 1024 }, subsystem: 'basics-dcqcn' },
};

describe('every setting does something', () => {
  it.each(Object.entries(settings))('%s', async (name, { values }) => {
    const { tenant, subsystem, settings: others } = places[name as SettingName];
    const [one, other] = values.map((value) => ({ subsystem, settings: { ...others, [name]: value } }));
    expect(await outcome([tenant], one)).not.toBe(await outcome([tenant], other));
  });
});
