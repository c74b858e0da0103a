import { KelpieError } from '../error.js';
import { type Operation, resolveWorkload, type TenantInput, type Workload } from '../workload/index.js';
import type { OptionSpec } from './command.js';
import { numberFlag } from './flag-value.js';

/** What perftest's tools test. */
export const PERFTEST_VERBS = ['write', 'read', 'send', 'atomic'] as const;
export type PerftestVerb = (typeof PERFTEST_VERBS)[number];

/** Rate or latency. */
export type PerftestKind = 'bw' | 'lat';

/** The flags of perftest that have a meaning here, by perftest's own names. */
export const perftestFlags: readonly OptionSpec[] = [
  { flags: '-s, --size <bytes>', description: 'message size (bw 65536, lat 2, atomic 8)' },
  { flags: '-a, --all', description: 'sizes from 2 to 2^23' },
  { flags: '-q, --qp <number>', description: 'queue pairs', default: '1' },
  { flags: '-c, --connection <type>', description: 'transport', default: 'RC', choices: ['RC', 'UC', 'UD'] },
  { flags: '-b, --bidirectional', description: 'both directions (bw)' },
  { flags: '-l, --post_list <number>', description: 'work requests per post (bw)', default: '1' },
  { flags: '-t, --tx-depth <number>', description: 'send queue depth (bw 128, lat 1)' },
  { flags: '-r, --rx-depth <number>', description: 'receive queue depth (send)', default: '512' },
  {
    flags: '-n, --iters <number>',
    description: 'messages per queue pair; bw without it measures until steady (lat 1000)',
  },
  { flags: '-D, --duration <seconds>', description: 'measure for so long, in time of the provider' },
  { flags: '-m, --mtu <bytes>', description: 'path MTU', default: '4096' },
  { flags: '-Q, --cq-mod <number>', description: 'one completion per so many sends (100, or the post list)' },
  { flags: '-I, --inline_size <bytes>', description: 'messages up to this size are inlined (bw 0, lat 220)' },
  { flags: '-o, --outs <number>', description: 'READs and atomics in flight per queue pair', default: '16' },
  {
    flags: '-A, --atomic_type <type>',
    description: 'atomic operation',
    default: 'FETCH_AND_ADD',
    choices: ['FETCH_AND_ADD', 'CMP_AND_SWAP'],
  },
  { flags: '-S, --sl <number>', description: 'service level', default: '0' },
  { flags: '--tos <number>', description: 'traffic class', default: '0' },
  { flags: '--rate_limit <gbps>', description: 'limit of the rate, Gb/s (bw)' },
  { flags: '--report_gbits', description: 'Gb/s instead of MiB/s (bw)' },
  {
    flags: '-F, --cpu-freq',
    description: "taken for perftest's sake; there is no processor frequency to warn of",
  },
];

const OPERATION: Readonly<Record<Exclude<PerftestVerb, 'atomic'>, Operation>> = {
  write: 'WRITE',
  read: 'READ',
  send: 'SEND',
};
const DEFAULT_CQ_MODERATION = 100;
const LATENCY_INLINE_BYTES = 220;
const LATENCY_ITERATIONS = 1000;
const LARGEST_POWER = 23;

/** The workloads that a perftest command line means: one for each size. */
export function perftestWorkloads(
  kind: PerftestKind,
  verb: string,
  options: Readonly<Record<string, unknown>>,
): Workload[] {
  if (!(PERFTEST_VERBS as readonly string[]).includes(verb))
    throw new KelpieError('BAD_ARGUMENT', 'there is no such test', {
      field: 'verb',
      given: verb,
      allowed: PERFTEST_VERBS.join(', '),
    });
  const tenant = tenantOf(kind, verb as PerftestVerb, options);
  const duration = numberFlag(options, 'duration', '--duration', { min: 1e-6, max: 1000, fraction: true });
  if (duration !== undefined && options['iters'] !== undefined)
    throw new KelpieError('BAD_FLAG', 'one of the two', {
      field: '--duration',
      given: duration,
      allowed: '--iters or --duration',
    });
  const timed =
    duration === undefined
      ? {}
      : {
          measure: {
            minNs: duration * 1e9,
            maxNs: duration * 1e9,
            sliceNs: Math.max(100, Math.min(20_000, (duration * 1e9) / 50)),
          },
        };
  return sizesOf(kind, verb as PerftestVerb, options, tenant).map((size) =>
    resolveWorkload({ name: `${verb}_${kind}`, ...timed, ...tenant, sizes: [size] }),
  );
}

function tenantOf(
  kind: PerftestKind,
  verb: PerftestVerb,
  options: Readonly<Record<string, unknown>>,
): Omit<TenantInput, 'name'> {
  const depth = { min: 1, max: 32768 };
  const number = (key: string, flag: string, range: { min: number; max: number }) =>
    numberFlag(options, key, flag, range);
  const latency = kind === 'lat';
  if (latency) refuseForLatency(options);
  const batch = number('post_list', '--post_list', depth) ?? 1;
  const sendQueueDepth = number('txDepth', '--tx-depth', depth) ?? (latency ? 1 : Math.max(128, batch));
  const moderation =
    number('cqMod', '--cq-mod', depth) ??
    (latency ? 1 : batch > 1 ? batch : Math.min(DEFAULT_CQ_MODERATION, sendQueueDepth));
  const iterations =
    number('iters', '--iters', { min: 1, max: 1e9 }) ??
    (latency && options['duration'] === undefined ? LATENCY_ITERATIONS : undefined);
  const rate = numberFlag(options, 'rate_limit', '--rate_limit', { min: 1e-6, max: 1e5, fraction: true });
  return {
    transport: options['connection'] as TenantInput['transport'],
    opcode:
      verb === 'atomic'
        ? options['atomic_type'] === 'CMP_AND_SWAP'
          ? 'COMPARE_SWAP'
          : 'FETCH_ADD'
        : OPERATION[verb],
    mode: latency ? 'pingPong' : 'stream',
    qps: number('qp', '--qp', { min: 1, max: 1_000_000 }),
    direction: options['bidirectional'] === true ? 'bi' : 'uni',
    batch,
    sendQueueDepth,
    receiveQueueDepth: number('rxDepth', '--rx-depth', depth),
    receiveBatch: 1,
    signalEvery: moderation,
    iterations,
    mtu: number('mtu', '--mtu', { min: 256, max: 4096 }) as TenantInput['mtu'],
    inlineBytes:
      number('inline_size', '--inline_size', { min: 0, max: 4096 }) ??
      (latency && (verb === 'write' || verb === 'send') ? LATENCY_INLINE_BYTES : 0),
    maxRdAtomic: number('outs', '--outs', { min: 1, max: 255 }),
    serviceLevel: number('sl', '--sl', { min: 0, max: 7 }),
    trafficClass: number('tos', '--tos', { min: 0, max: 255 }),
    // perftest is one process with one thread that looks at one completion queue.
    threads: 1,
    cqSharing: 'thread',
    ...(rate === undefined ? {} : { rateLimit: { gbps: rate } }),
  };
}

function refuseForLatency(options: Readonly<Record<string, unknown>>): void {
  for (const [key, flag] of [
    ['bidirectional', '--bidirectional'],
    ['rate_limit', '--rate_limit'],
    ['report_gbits', '--report_gbits'],
  ] as const) {
    if (options[key] !== undefined)
      throw new KelpieError('BAD_FLAG', 'a latency test has no such flag', {
        field: flag,
        given: options[key],
        allowed: 'kelpie bw',
      });
  }
  if (options['post_list'] !== '1')
    throw new KelpieError('BAD_FLAG', 'a latency test posts one at a time', {
      field: '--post_list',
      given: options['post_list'],
      allowed: '1',
    });
}

function sizesOf(
  kind: PerftestKind,
  verb: PerftestVerb,
  options: Readonly<Record<string, unknown>>,
  tenant: Omit<TenantInput, 'name'>,
): number[] {
  const given = numberFlag(options, 'size', '--size', { min: 1, max: 2 ** 31 });
  if (options['all'] === true) {
    if (given !== undefined)
      throw new KelpieError('BAD_FLAG', 'one of the two', {
        field: '--size',
        given,
        allowed: '--size or --all',
      });
    if (verb === 'atomic') return [8];
    const sizes = Array.from({ length: LARGEST_POWER }, (_, index) => 2 ** (index + 1));
    return tenant.transport === 'UD' ? sizes.filter((size) => size <= (tenant.mtu ?? 4096)) : sizes;
  }
  if (given !== undefined) return [given];
  if (verb === 'atomic') return [8];
  if (kind === 'lat') return [2];
  return [tenant.transport === 'UD' ? (tenant.mtu ?? 4096) : 65536];
}
