// How fast the simulator is, and what a packet costs it: `npm run bench:sim [-- --json] [--check] [--points N] [--seed S]`.
// Time is processor time of all threads (the garbage collector and the compiler count): what else the machine does does
// not. The best round of the packet rate counts, once the compiler has settled.

import { Random } from '../src/engine/index.js';
import { SimulatedProvider } from '../src/providers/simulated/index.js';
import { openSimulatedTestbed, subsystemWith } from '../src/testbeds/index.js';
import { Access } from '../src/verbs/index.js';
import { resolveWorkload, runWorkload, type WorkloadInput } from '../src/workload/index.js';
import { type Row, report } from './report.js';

const ROUNDS = 24;
const args = process.argv.slice(2);
const seed = numberOption('seed', 1);
const rows: Row[] = [];

function numberOption(name: string, otherwise: number): number {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(args[at + 1]);
}

function millisecondsSince(begin: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

async function measure(input: WorkloadInput, subsystem: string) {
  const workload = resolveWorkload(input);
  const begin = process.cpuUsage();
  const testbed = await openSimulatedTestbed({
    subsystem: subsystemWith(subsystem, workload.settings),
    hosts: 2,
    seed,
  });
  await runWorkload(workload, testbed, { seed });
  const milliseconds = millisecondsSince(begin);
  const counters = testbed.hosts.map(({ context }) => context.counters());
  const packets = counters.reduce((sum, each) => sum + each['tx_packets_phy'], 0);
  const events = testbed.events()!;
  await testbed.close();
  return { milliseconds, packets, events };
}

/** 200 Gb/s in both directions, 4 KB WRITEs, the whole model. */
async function packetRate(): Promise<void> {
  const input: WorkloadInput = {
    transport: 'RC',
    opcode: 'WRITE',
    qps: 16,
    sizes: [4096],
    batch: 4,
    direction: 'bi',
    measure: { minNs: 4e6, maxNs: 4e6 },
  };
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(input, 'collie-f'));
  const best = rounds.reduce((least, each) => (each.milliseconds < least.milliseconds ? each : least));
  rows.push({
    name: 'RC WRITE 4 KB, bidirectional 200 Gb/s',
    value: (best.packets / best.milliseconds) * 1000,
    unit: 'packets/s',
  });
  rows.push({ name: 'events per packet, same point', value: best.events / best.packets, unit: 'events' });
  rows.push({
    name: 'events, same point',
    value: (best.events / best.milliseconds) * 1000,
    unit: 'events/s',
  });
}

const pick = <T>(random: Random, list: readonly T[]): T => list[random.nextInt(list.length)];
const power = (random: Random, low: number, high: number): number =>
  2 ** (Math.log2(low) + random.nextInt(Math.log2(high / low) + 1));

/** A legal point of Collie's four dimensions (§4), drawn evenly over powers of two. */
function randomPoint(random: Random): WorkloadInput {
  const transport = pick(random, ['RC', 'RC', 'RC', 'UC', 'UD'] as const);
  const opcode =
    transport === 'UD'
      ? 'SEND'
      : pick(
          random,
          transport === 'UC' ? (['WRITE', 'SEND'] as const) : (['WRITE', 'READ', 'SEND'] as const),
        );
  const mtu = pick(random, [1024, 2048, 4096] as const);
  const depth = power(random, 16, 1024);
  const batch = Math.min(depth, power(random, 1, 128));
  const sizes = Array.from({ length: 1 + random.nextInt(4) }, () => {
    const bytes = power(random, 64, 1 << 18);
    return transport === 'UD' ? Math.min(bytes, mtu) : bytes;
  });
  return {
    transport,
    opcode,
    mtu,
    qps: power(random, 1, 1024),
    mrs: power(random, 1, 128),
    mrBytes: 1 << 18,
    sendQueueDepth: depth,
    receiveQueueDepth: depth,
    batch,
    sge: pick(random, [1, 1, 2, 4]),
    sizes,
    direction: pick(random, ['uni', 'bi'] as const),
  };
}

async function collieSpace(points: number): Promise<void> {
  const random = new Random(seed).split('collie space');
  const times: number[] = [];
  for (let point = 0; point < points; point++)
    times.push((await measure(randomPoint(random), 'collie-f')).milliseconds);
  times.sort((a, b) => a - b);
  rows.push({
    name: `Collie-space point to a verdict, median of ${points}`,
    value: times[points >> 1],
    unit: 'ms',
  });
  rows.push({
    name: `Collie-space point to a verdict, 90th percentile of ${points}`,
    value: times[Math.floor(points * 0.9)],
    unit: 'ms',
  });
}

/** The largest point of Collie's space: 20,000 queue pairs and 200,000 memory regions, connected. */
async function setUp(): Promise<void> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const begin = process.cpuUsage();
  const provider = new SimulatedProvider({ subsystem: 'collie-f', seed });
  const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
  const gid = [left.queryGid(1, 0), right.queryGid(1, 0)];
  const sides = [left, right].map((context) => ({ context, pd: context.allocPd() }));
  for (const { pd } of sides) {
    for (let region = 0; region < 100_000; region++)
      pd.regMr({ lengthBytes: 1 << 22 }, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  }
  const pairs = sides.map(({ context, pd }) =>
    Array.from({ length: 10_000 }, () => {
      const cq = context.createCq({ cqe: 256 });
      return pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap: { maxSendWr: 128, maxRecvWr: 128 } });
    }),
  );
  pairs.forEach((list, side) => {
    list.forEach((qp, index) => {
      const qpAccessFlags = Access.REMOTE_WRITE;
      qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags });
      const peer = pairs[1 - side][index];
      const ahAttr = { dgid: gid[1 - side] };
      qp.modify({
        state: 'RTR',
        ahAttr,
        pathMtu: 4096,
        destQpNum: peer.qpNum,
        rqPsn: 0,
        maxDestRdAtomic: 16,
        minRnrTimer: 12,
      });
      qp.modify({ state: 'RTS', sqPsn: 0, timeout: 14, retryCnt: 7, rnrRetry: 7, maxRdAtomic: 16 });
    });
  });
  rows.push({
    name: '20,000 QPs and 200,000 MRs set up and connected',
    value: millisecondsSince(begin),
    unit: 'ms',
  });
  rows.push({
    name: '20,000 QPs and 200,000 MRs, memory',
    value: (process.memoryUsage().rss - before) / 2 ** 20,
    unit: 'MiB',
  });
}

await packetRate();
await collieSpace(numberOption('points', 41));
await setUp();
report(rows, args);
