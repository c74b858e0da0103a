import { KelpieError } from '../../error.js';
import { type Operation, resolveWorkload, type TenantInput, type Workload } from '../../workload/index.js';
import { numberFlag, sizeFlag } from '../flag-value.js';
import type { OptionSpec, OptionsOf } from '../option.js';

/** What perftest's tools test. */
export const PERFTEST_VERBS = ['write', 'read', 'send', 'atomic'] as const;
export type PerftestVerb = (typeof PERFTEST_VERBS)[number];

/** Rate or latency. */
export type PerftestKind = 'bw' | 'lat';

/** The flags of perftest that have a meaning here, by perftest's own names. */
export const perftestFlags = [
  {
    flags: '-s, --size <bytes>',
    description: 'message size, 64K for example; default: bw 65536, lat 2, atomic 8',
  },
  { flags: '-a, --all', description: 'sizes from 2 to 2^23' },
  { flags: '-q, --qp <number>', description: 'queue pairs', default: '1' },
  { flags: '-c, --connection <type>', description: 'transport', default: 'RC', choices: ['RC', 'UC', 'UD'] },
  { flags: '-b, --bidirectional', description: 'both directions (bw)' },
  { flags: '-l, --post_list <number>', description: 'work requests per post (bw)', default: '1' },
  { flags: '-t, --tx-depth <number>', description: 'send queue depth; default: bw 128, lat 1' },
  { flags: '-r, --rx-depth <number>', description: 'receive queue depth (send)', default: '512' },
  {
    flags: '-n, --iters <number>',
    description: 'messages per queue pair; default: bw until steady, lat 1000',
  },
  { flags: '-D, --duration <seconds>', description: "how long to measure, on the provider's clock" },
  { flags: '-m, --mtu <bytes>', description: 'path MTU', default: '4096' },
  { flags: '-Q, --cq-mod <number>', description: 'sends per completion; default: 100, or the post list' },
  {
    flags: '-I, --inline_size <bytes>',
    description: 'messages up to this size are inlined; default: bw 0, lat 220',
  },
  { flags: '-o, --outs <number>', description: 'READs and atomics in flight per queue pair', default: '16' },
  {
    flags: '-A, --atomic_type <type>',
    description: 'atomic operation',
    default: 'FETCH_AND_ADD',
    choices: ['FETCH_AND_ADD', 'CMP_AND_SWAP'],
  },
  { flags: '-S, --sl <number>', description: 'service level', default: '0' },
  { flags: '-T, --tos <number>', description: 'traffic class', default: '0' },
  { flags: '--rate_limit <gbps>', description: 'limit of the rate, Gb/s (bw)' },
  { flags: '--report_gbits', description: 'Gb/s instead of MiB/s (bw)' },
  {
    flags: '-F, --cpu-freq',
    description: 'accepted for compatibility with perftest; has no effect',
  },
  { flags: '-N, --noPeak', description: 'accepted for compatibility with perftest; has no effect' },
  { flags: '-i, --ib-port <number>', description: 'port of the device; there is only one', choices: ['1'] },
  { flags: '--out_json', description: "perftest's name for --json" },
  { flags: '-d, --ib-dev <device>', description: 'not supported: see --bind and --subsystem' },
  { flags: '-e, --events', description: 'not supported: the provider decides how to wait for completions' },
  { flags: '--cpu_util', description: 'not supported: see kelpie run' },
  { flags: '-z, --comm_rdma_cm', description: 'not supported: see --rdma_cm' },
  { flags: '--use-srq', description: 'not supported: a peer may use one' },
] as const satisfies readonly OptionSpec[];

/** Flags of perftest that mean nothing here: refused at once, with what to use instead. */
const INSTEAD = [
  ['ibDev', '--ib-dev', '--bind ADDRESS with software, else --subsystem'],
  ['events', '--events', 'nothing: the provider decides how to wait for completions'],
  ['cpu_util', '--cpu_util', 'nothing: kelpie run shows the busiest core of each host'],
  ['comm_rdma_cm', '--comm_rdma_cm', 'the exchange over TCP; -R for all by RDMA-CM'],
  ['useSrq', '--use-srq', 'nothing: a peer may use one, this side receives on its queue pairs'],
] as const;

/** Refuses what perftest takes and this does not, by name. */
function refuseForeign(options: PerftestOptions): void {
  for (const [key, field, allowed] of INSTEAD) {
    const given = options[key];
    if (given === undefined) continue;
    throw new KelpieError('BAD_FLAG', 'this perftest flag is not supported', { field, given, allowed });
  }
}

/** What perftest's flags were given. */
export type PerftestOptions = OptionsOf<typeof perftestFlags>;

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
export function perftestWorkloads(kind: PerftestKind, verb: string, options: PerftestOptions): Workload[] {
  if (!(PERFTEST_VERBS as readonly string[]).includes(verb))
    throw new KelpieError('BAD_ARGUMENT', 'there is no such test', {
      field: 'verb',
      given: verb,
      allowed: PERFTEST_VERBS.join(', '),
    });
  refuseForeign(options);
  const tenant = tenantOf(kind, verb as PerftestVerb, options);
  const duration = numberFlag(options, '--duration', { min: 1e-6, max: 1000, fraction: true });
  if (duration !== undefined && options.iters !== undefined)
    throw new KelpieError('BAD_FLAG', 'these flags exclude each other', {
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
  return sizesOf(kind, verb as PerftestVerb, options, tenant).map((size) => {
    const given = { name: `${verb}_${kind}`, ...timed, ...tenant, sizes: [size] };
    const workload = resolveWorkload(given);
    // perftest's buffers hold a message, however long.
    return size > workload.tenants[0].mrBytes ? resolveWorkload({ ...given, mrBytes: size }) : workload;
  });
}

function tenantOf(
  kind: PerftestKind,
  verb: PerftestVerb,
  options: PerftestOptions,
): Omit<TenantInput, 'name'> {
  const depth = { min: 1, max: 32768 };
  const latency = kind === 'lat';
  if (latency) refuseForLatency(options);
  const batch = numberFlag(options, '--post_list', depth) ?? 1;
  const sendQueueDepth = numberFlag(options, '--tx-depth', depth) ?? (latency ? 1 : Math.max(128, batch));
  const moderation =
    numberFlag(options, '--cq-mod', depth) ??
    (latency ? 1 : batch > 1 ? batch : Math.min(DEFAULT_CQ_MODERATION, sendQueueDepth));
  const iterations =
    numberFlag(options, '--iters', { min: 1, max: 1e9 }) ??
    (latency && options.duration === undefined ? LATENCY_ITERATIONS : undefined);
  const rate = numberFlag(options, '--rate_limit', { min: 1e-6, max: 1e5, fraction: true });
  return {
    transport: options.connection,
    opcode:
      verb === 'atomic'
        ? options.atomic_type === 'CMP_AND_SWAP'
          ? 'COMPARE_SWAP'
          : 'FETCH_ADD'
        : OPERATION[verb],
    mode: latency ? 'pingPong' : 'stream',
    qps: numberFlag(options, '--qp', { min: 1, max: 1_000_000 }),
    direction: options.bidirectional === true ? 'bi' : 'uni',
    batch,
    sendQueueDepth,
    receiveQueueDepth: numberFlag(options, '--rx-depth', depth),
    receiveBatch: 1,
    signalEvery: moderation,
    iterations,
    mtu: numberFlag(options, '--mtu', { min: 256, max: 4096 }) as TenantInput['mtu'],
    inlineBytes:
      numberFlag(options, '--inline_size', { min: 0, max: 4096 }) ??
      (latency && (verb === 'write' || verb === 'send') ? LATENCY_INLINE_BYTES : 0),
    maxRdAtomic: numberFlag(options, '--outs', { min: 1, max: 255 }),
    serviceLevel: numberFlag(options, '--sl', { min: 0, max: 7 }),
    trafficClass: numberFlag(options, '--tos', { min: 0, max: 255 }),
    // perftest is one process with one thread that looks at one completion queue.
    threads: 1,
    cqSharing: 'thread',
    ...(rate === undefined ? {} : { rateLimit: { gbps: rate } }),
  };
}

function refuseForLatency(options: PerftestOptions): void {
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
  if (options.post_list !== '1')
    throw new KelpieError('BAD_FLAG', 'a latency test posts one at a time', {
      field: '--post_list',
      given: options.post_list,
      allowed: '1',
    });
}

function sizesOf(
  kind: PerftestKind,
  verb: PerftestVerb,
  options: PerftestOptions,
  tenant: Omit<TenantInput, 'name'>,
): number[] {
  const given = sizeFlag(options, { min: 1, max: 2 ** 31 });
  if (options.all === true) {
    if (given !== undefined)
      throw new KelpieError('BAD_FLAG', 'these flags exclude each other', {
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
