import { z } from 'zod';
import { type SettingName, type Settings, settings } from '../../profiles/settings.js';
import { withWords } from '../../schema/index.js';
import {
  canonical,
  DEVICE_NAME,
  DEVICE_NAME_WORDS,
  hostNameLike,
  MAX_HOSTS,
  parseDeviceName,
  placeOf,
} from './device-name.js';

/** The operations that a workload can ask for. */
export const OPERATIONS = [
  'WRITE',
  'WRITE_WITH_IMM',
  'READ',
  'SEND',
  'SEND_WITH_IMM',
  'COMPARE_SWAP',
  'FETCH_ADD',
] as const;

/** The name of an operation. */
export type Operation = (typeof OPERATIONS)[number];

/** Greatest message of every transport but UD (specification: 2^31 bytes). */
const MAX_MESSAGE_BYTES = 2 ** 31;
const deviceName = withWords(z.string().regex(DEVICE_NAME), DEVICE_NAME_WORDS);
const count = (max: number) => z.int().min(1).max(max);
const nanoseconds = z.number().min(0).max(1e12);
const messageBytes = z.int().min(0).max(MAX_MESSAGE_BYTES);

const operationShare = z.strictObject({
  opcode: z.enum(OPERATIONS).describe('The operation.'),
  share: count(1000).describe('How many messages of the mix, relative to the other shares.'),
});

const controlVerbs = z.strictObject({
  host: deviceName.default('a').describe('Where the verbs are called.'),
  verb: z
    .enum(['register', 'deregister', 'both'])
    .describe('What is called at the rate; both = register one and deregister it the next time.'),
  perSecond: z.number().min(1).max(1e7).describe('Calls per second.'),
  spreadNs: nanoseconds
    .optional()
    .describe('The first call comes at a random time within this time; default: one period.'),
  mrBytes: count(2 ** 40)
    .default(65536)
    .describe('Bytes of each region.'),
  pds: z
    .enum(['shared', 'own'])
    .default('shared')
    .describe('Whether each region has a protection domain of its own.'),
});

/** What one tenant does; as it may stand in a file. */
export const tenantSchema = z.strictObject({
  name: z.string().min(1).max(100).optional().describe('How results name the tenant.'),
  transport: z.enum(['RC', 'UC', 'UD']).default('RC').describe('Type of the queue pairs.'),
  opcode: z
    .union([z.enum(OPERATIONS), z.array(operationShare).min(1).max(16)])
    .default('WRITE')
    .describe('One operation, or a mix with shares.'),
  mode: z
    .enum(['stream', 'pingPong'])
    .default('stream')
    .describe('stream keeps the queues full; pingPong sends, waits for the answer and sends again.'),
  qps: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('Queue pairs per direction; default: 1. 0: control verbs only.'),
  mrs: count(10_000_000).default(1).describe('Memory regions on each side, per mrScope.'),
  mrScope: z
    .enum(['qp', 'thread', 'tenant'])
    .default('qp')
    .describe(
      'Who shares a set of `mrs` regions: nobody (each QP has its own), the QPs of a thread, or the whole tenant.',
    ),
  mrBytes: count(2 ** 40)
    .default(65536)
    .describe('Bytes of each memory region.'),
  mrChoice: z
    .enum(['roundRobin', 'random', 'sequential', 'perPost'])
    .default('roundRobin')
    .describe(
      "How messages choose regions: the next one, any, the same until it is full, or one per post for each message of the pattern, and the peer's from the first on.",
    ),
  mrOffsets: z
    .enum(['sequential', 'random'])
    .default('sequential')
    .describe('Where messages are in a region: one after another, or on any cache line.'),
  sendQueueDepth: count(32768).default(128).describe('Send WQEs that a queue pair can hold.'),
  receiveQueueDepth: count(32768)
    .optional()
    .describe('Receive WQEs that a queue pair can hold; default: sendQueueDepth.'),
  batch: count(32768).default(1).describe('Send WQEs per post.'),
  receiveBatch: count(32768).optional().describe('Receive WQEs per post; default: batch.'),
  sge: count(256).default(1).describe('Scatter-gather elements of a send WQE.'),
  receiveSge: count(256).optional().describe('Elements of a receive WQE; default: sge.'),
  sizes: z
    .array(z.union([messageBytes, z.array(messageBytes).min(1).max(256)]))
    .min(1)
    .max(1024)
    .default([65536])
    .describe('The message pattern, repeated: bytes of a message, or of each of its elements.'),
  mtu: z
    .union([256, 512, 1024, 2048, 4096].map((value) => z.literal(value)))
    .default(4096)
    .describe('Path MTU, bytes of payload per packet.'),
  signalEvery: count(32768)
    .optional()
    .describe('One in this many sends asks for a completion; default: batch, the last of each post.'),
  outstanding: count(32768).optional().describe('Sends in flight per QP; default: sendQueueDepth.'),
  inlineBytes: z.int().min(0).max(4096).default(0).describe('Messages up to this size are posted inline.'),
  direction: z
    .enum(['uni', 'bi', 'loopback', 'nToOne'])
    .default('uni')
    .describe('Traffic from `from` to `to`, both ways, within `from`, or from several `senders` to `to`.'),
  from: deviceName
    .default('a')
    .describe(
      'Who sends: a host (a, h0, or the name that the testbed gives it), or a device of it (h0/rnic1).',
    ),
  to: deviceName.default('b').describe('Who receives; named as `from` is.'),
  senders: z
    .strictObject({
      sameHost: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(0)
        .describe("QPs on the receiver's own host: loopback."),
      otherHost: z.int().min(0).max(1_000_000).default(1).describe('QPs on each other host.'),
      hosts: z
        .union([
          count(MAX_HOSTS - 1),
          z
            .array(deviceName)
            .min(1)
            .max(MAX_HOSTS - 1),
        ])
        .default(1)
        .describe('How many other hosts send: the first ones; or which.'),
    })
    .optional()
    .describe('With direction nToOne: who sends.'),
  memory: z
    .union([z.string().min(1), z.record(deviceName, z.string().min(1))])
    .optional()
    .describe('Where the memory lies: for all hosts, by host, or by device (memory0, gpu0, ...).'),
  threads: count(4096).optional().describe('Posting threads per host; default: min(qps, 16).'),
  deal: z.enum(['roundRobin', 'blocks']).default('roundRobin').describe('How QPs are dealt to threads.'),
  threadSocket: z
    .int()
    .min(0)
    .max(15)
    .optional()
    .describe('The socket that its threads run on; default: the socket of the device.'),
  cqSharing: z.enum(['qp', 'thread']).default('qp').describe('One completion queue per QP or per thread.'),
  rateLimit: z
    .strictObject({
      gbps: z.number().positive().max(1e5).optional().describe('Payload, Gb/s.'),
      messagesPerSecond: z.number().positive().max(1e12).optional().describe('Messages per second.'),
    })
    .optional()
    .describe('Limit for the whole tenant, per direction, in payload.'),
  receives: z.enum(['posted', 'none']).default('posted').describe('none: the receiver is never ready.'),
  control: z
    .array(controlVerbs)
    .max(16)
    .default([])
    .describe('Control verbs that are called during the traffic.'),
  startNs: nanoseconds.default(0).describe('When the tenant begins.'),
  stopNs: nanoseconds.optional().describe('When it stops posting; default: never.'),
  iterations: count(1e9).optional().describe('Messages per QP, then it stops.'),
  trafficClass: z
    .int()
    .min(0)
    .max(255)
    .default(0)
    .describe('Traffic class of the IP header, DSCP and ECN bits, as captures and peers see it.'),
  serviceLevel: z.int().min(0).max(7).default(0).describe('The priority.'),
  maxRdAtomic: count(255).default(16).describe('READs and atomics in flight per QP.'),
  minRnrTimer: z
    .int()
    .min(0)
    .max(31)
    .default(12)
    .describe('Code of the wait that a receiver without a receive WQE asks for (12: 0.64 ms).'),
  rnrRetry: z
    .int()
    .min(0)
    .max(7)
    .default(7)
    .describe('Retries while the receiver is not ready; 7: unlimited.'),
  retryCount: z.int().min(0).max(7).default(7).describe('Retries after timeouts and lost packets.'),
  timeout: z
    .int()
    .min(0)
    .max(31)
    .default(14)
    .describe('Code of the ACK timeout: 4.096 us x 2^code; 0: none.'),
});

const measureSchema = z
  .strictObject({
    sliceNs: z.number().min(100).max(1e9).default(20_000).describe('Facts are sampled once per slice.'),
    minNs: nanoseconds.default(500_000).describe('Shortest run, warm-up included.'),
    maxNs: nanoseconds.default(3_000_000).describe('Longest run, warm-up included.'),
    relativeError: z
      .number()
      .min(0.0001)
      .max(1)
      .default(0.02)
      .describe('The run ends when the 95 % confidence interval of the delivered rate is this narrow.'),
  })
  .describe("How long to measure, in the provider's time.");

type SettingSchemas = {
  [Name in SettingName]: z.ZodOptional<z.ZodEnum<{ [Value in Settings[Name]]: Value }>>;
};

const settingsShape = Object.fromEntries(
  Object.entries(settings).map(([name, spec]) => [
    name,
    z.enum(spec.values).optional().describe(spec.meaning),
  ]),
) as unknown as SettingSchemas;

const settingsSchema = z
  .strictObject({
    ...settingsShape,
    registers: z
      .enum(['shipped', 'fixed'])
      .optional()
      .describe("The device's registers as shipped, or as its vendor corrected them (Collie #17, #18)."),
  })
  .describe("Overrides of the profile's settings.");

const common = {
  name: z.string().min(1).max(200).default('workload').describe('How results name it.'),
  description: z.string().optional().describe('For people.'),
  settings: settingsSchema.optional(),
  measure: measureSchema.prefault({}),
};

/** A workload of several tenants side by side. */
export const manyTenantsSchema = z.strictObject({
  ...common,
  tenants: z.array(tenantSchema).min(1).max(1000).describe('What runs at the same time.'),
});

/** A workload of one tenant, its fields beside the workload's own. */
export const oneTenantSchema = z.strictObject({ ...tenantSchema.omit({ name: true }).shape, ...common });

/** Either form of a workload description. */
export const workloadSchema = z.union([oneTenantSchema, manyTenantsSchema]);

/** A tenant as it may be written: defaults left out. */
export type TenantInput = z.input<typeof tenantSchema>;

/** A workload as it may be written: defaults left out. */
export type WorkloadInput = z.input<typeof workloadSchema>;

/** How a run is measured. */
export type MeasureOptions = z.output<typeof measureSchema>;

/** Overrides of a profile's settings, by name. */
export type SettingOverrides = Readonly<Record<string, string>>;

/** A tenant with nothing left out. */
export type Tenant = Required<
  Omit<
    z.output<typeof tenantSchema>,
    'memory' | 'senders' | 'rateLimit' | 'stopNs' | 'iterations' | 'threadSocket'
  >
> & {
  memory: Readonly<Record<string, string>> | string | null;
  senders: { sameHost: number; otherHost: number; hosts: number | string[] } | null;
  rateLimit: { gbps?: number; messagesPerSecond?: number } | null;
  stopNs: number | null;
  /** Null: the socket that the device hangs on. */
  threadSocket: number | null;
  iterations: number | null;
};

/** A workload with nothing left out: what is run, and what a Measurement repeats. */
export interface Workload {
  name: string;
  description?: string;
  settings: SettingOverrides;
  measure: MeasureOptions;
  tenants: Tenant[];
}

/** The operations of a tenant with their shares. */
export function operationMix(
  tenant: Pick<Tenant, 'opcode'>,
): readonly { opcode: Operation; share: number }[] {
  return typeof tenant.opcode === 'string' ? [{ opcode: tenant.opcode, share: 1 }] : tenant.opcode;
}

/** Bytes of one entry of the message pattern. */
export function messageLength(entry: number | readonly number[]): number {
  return typeof entry === 'number' ? entry : entry.reduce((sum, length) => sum + length, 0);
}

/** Whether an operation takes a receive WQE of the peer. */
export function takesReceive(operation: Operation): boolean {
  return operation === 'SEND' || operation === 'SEND_WITH_IMM' || operation === 'WRITE_WITH_IMM';
}

/** The devices that a tenant has something on, as it spells them, in the order of their names. */
export function deviceNamesOf(tenant: Tenant): string[] {
  const names = new Set<string>(tenant.control.map((each) => each.host));
  for (const { from, to } of routesOf(tenant)) names.add(from).add(to);
  return [...names].sort();
}

/**
 * The hosts that a workload needs, by place: a name where the workload uses one that is no place itself (`client`), null
 * otherwise. Names take the places that nothing else is at, in the order in which the workload mentions them.
 *
 * @example
 * hostsNeeded(resolveWorkload({ from: 'client', to: 'server' })); // ['client', 'server']
 * hostsNeeded(resolveWorkload({ to: 'c' })); // [null, null, null]
 */
export function hostsNeeded(workload: Pick<Workload, 'tenants'>): (string | null)[] {
  const hosts: (string | null)[] = [];
  const named = new Set<string>();
  const taken = new Set<number>();
  for (const tenant of workload.tenants) {
    for (const host of mentioned(tenant)) {
      const place = placeOf(host);
      if (place === null) named.add(host);
      else taken.add(place);
    }
  }
  const last = Math.max(1, ...taken);
  for (let place = 0; place <= last || named.size > 0; place++) {
    const [name] = taken.has(place) ? [] : named;
    hosts.push(name ?? null);
    named.delete(name);
  }
  return hosts;
}

/** Every host in the order in which a reader of the description meets it. */
function mentioned(tenant: Tenant): string[] {
  const ends = routesOf(tenant).flatMap(({ from, to }) => [from, to]);
  return [...ends, ...tenant.control.map((each) => each.host)].map((name) => parseDeviceName(name).host);
}

/** Where a tenant's memory lies at one of its devices; undefined where it does not say. */
export function placementOf({ memory }: Pick<Tenant, 'memory'>, at: string): string | undefined {
  if (memory === null || typeof memory === 'string') return memory ?? undefined;
  const { host } = parseDeviceName(canonical(at));
  const entries = Object.entries(memory).map(([key, place]) => [canonical(key), place] as const);
  return (entries.find(([key]) => key === canonical(at)) ?? entries.find(([key]) => key === host))?.[1];
}

/** One way that requests go: from where, to where, over how many queue pairs. */
export interface Route {
  from: string;
  to: string;
  qps: number;
}

/** The ways that a tenant's requests go. */
export function routesOf(tenant: Tenant): Route[] {
  const { from, to, qps } = tenant;
  if (qps === 0) return [];
  if (tenant.direction === 'loopback') return [{ from, to: from, qps }];
  if (tenant.direction === 'bi')
    return [
      { from, to, qps },
      { from: to, to: from, qps },
    ];
  if (tenant.direction === 'uni' || tenant.senders === null) return [{ from, to, qps }];
  const { otherHost, sameHost } = tenant.senders;
  const routes = sendersOf(tenant.senders.hosts, to).map((sender) => ({ from: sender, to, qps: otherHost }));
  routes.push({ from: to, to, qps: sameHost });
  return routes.filter((route) => route.qps > 0);
}

/** Queue pairs of all senders of an n-to-one together. */
export function queuePairsOf({ sameHost, otherHost, hosts }: NonNullable<Tenant['senders']>): number {
  return sameHost + otherHost * (typeof hosts === 'number' ? hosts : hosts.length);
}

/** The hosts other than the receiver that send to it. */
function sendersOf(hosts: number | readonly string[], to: string): string[] {
  if (typeof hosts !== 'number') return [...hosts];
  const { host } = parseDeviceName(to);
  const skipped = placeOf(host);
  return Array.from({ length: hosts }, (_, index) =>
    hostNameLike(host, skipped !== null && index >= skipped ? index + 1 : index),
  );
}
