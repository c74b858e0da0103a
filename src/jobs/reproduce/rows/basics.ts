import type { Measurement, TenantInput, WorkloadInput } from '../../../workload/index.js';
import type { Bench } from '../bench.js';
import { conclude, figures, must, outside, single } from '../check.js';
import { counter, millions } from '../readings.js';
import { type RowOutcome, paperNumber, type Row, rowsOf } from '../row.js';
import { basicsTargets } from '../targets/basics.js';
import type { Target } from '../targets/target.js';

const DIRECT = 'basics-direct';
const SWITCHED = 'husky';
const GPU = 'basics-gpu';
/** ConnectX-6 back to back. */
const DIRECT_6 = 'srnic';

/** perftest's latency tests inline up to this much, unless the memory is a GPU's. */
const INLINE_BYTES = 220;
/** A trend 'no loss' is within this share. */
const FLAT = 0.05;

// perftest: one process with one thread and one completion queue; a completion for every hundredth message of a rate test.
const ONE_THREAD = { threads: 1, cqSharing: 'thread' } satisfies Partial<TenantInput>;
const RATE = {
  ...ONE_THREAD,
  signalEvery: 100,
  sendQueueDepth: 128,
  receiveQueueDepth: 512,
} satisfies WorkloadInput;
// Storm and HERD keep many connections busy from many cores.
const MANY = {
  opcode: 'READ',
  sizes: [64],
  threads: 16,
  cqSharing: 'thread',
  mrScope: 'thread',
} satisfies WorkloadInput;

const V1_SIZES = [2, 64, 1024, 4096, 65536] as const;
const V2_SIZES = [64, 256, 1024, 2048, 4096, 65536] as const;
const V12_SIZES = [2, 8, 28, 32, 64, 128, 256, 512, 1024, 2048, 4096] as const;
/** V6: a WQE of 65 B is 36 B of headers and 29 B of payload in mlx5. */
const V6_PAYLOAD_BYTES = 29;
const V6_WQES = 10;
const V3_NAMES = ['direct', 'switched'] as const;
const V4_NAMES = ['idle', 'busy'] as const;
const V6_NAMES = ['BlueFlame', 'one doorbell'] as const;
const V13_SENDERS = [4, 16] as const;
const V13_QUEUE_BYTES = 100_000;
const V13_MEASURE = { minNs: 30e6, maxNs: 30e6, sliceNs: 100_000 };

const bytes = (size: number) => `${size} B`;

/** Rows of everyday measurements. */
export const basicsRows: readonly Row[] = rowsOf('Everyday', basicsTargets, {
  V1: {
    names: V1_SIZES.map(bytes),
    facts: ['ib_send_lat, median; both hosts use the GPU next to the RNIC'],
    run: (bench, target) =>
      each(
        V1_SIZES.map(bytes),
        V1_SIZES,
        target,
        async (size) => (await pingNs(bench, GPU, 'SEND', size, 0)) / 1000,
      ),
  },
  V2: {
    names: V2_SIZES.map(bytes),
    facts: ["ib_send_bw: depth 128, receives 512, a completion every 100, perftest's defaults"],
    run: (bench, target) =>
      each(V2_SIZES.map(bytes), V2_SIZES, target, async (size) => {
        const { total } = await bench.measure(GPU, { ...RATE, opcode: 'SEND', sizes: [size] });
        return total.goodputGbps;
      }),
  },
  V3: {
    names: V3_NAMES,
    facts: ['2 B SEND, inlined, twice the median of ib_send_lat'],
    run: (bench, target) =>
      each(
        V3_NAMES,
        [DIRECT, SWITCHED],
        target,
        async (on) => 2 * (await pingNs(bench, on, 'SEND', 2, INLINE_BYTES)),
      ),
  },
  V4: {
    names: V4_NAMES,
    facts: [
      'mean of the payload reads of the device; idle: one 64 B WRITE in flight; busy: 16 QPs of 64 KB WRITEs at line rate',
    ],
    run: (bench, target) =>
      each(V4_NAMES, V4_NAMES, target, async (load) => {
        const input: WorkloadInput =
          load === 'idle' ? { sizes: [64], outstanding: 1 } : { qps: 16, sizes: [65536] };
        const measurement = await bench.measure(DIRECT, { opcode: 'WRITE', ...input });
        return (
          counter(measurement, 'a', 'pcie_payload_read_ps') /
          counter(measurement, 'a', 'pcie_payload_reads') /
          1000
        );
      }),
  },
  V5: {
    facts: ['8 B, ib_read_lat, median'],
    run: async (bench, target) => single(target, (await pingNs(bench, SWITCHED, 'READ', 8, 0)) / 1000),
  },
  V6: {
    names: V6_NAMES,
    facts: [
      '29 B inlined, which makes a WQE of mlx5 65 B; what goes towards the device, for ten messages; a completion every 100',
    ],
    run: (bench, target) =>
      each(V6_NAMES, [1, V6_WQES], target, async (batch) => {
        const measurement = await bench.measure(DIRECT, {
          ...{ opcode: 'WRITE', sizes: [V6_PAYLOAD_BYTES], inlineBytes: 64, batch, signalEvery: 100 },
        });
        const messages = counter(measurement, 'a', 'tx_packets_phy');
        return (V6_WQES * counter(measurement, 'a', 'pcie_inbound_bytes')) / messages;
      }),
  },
  V7: {
    facts: ['16 threads; depth 128'],
    run: async (bench, target) =>
      single(target, (await connections(bench, 1280)) / (await connections(bench, 160))),
  },
  V8: {
    facts: ['16 threads; depth 128; the peak is the best of 16, 64 and 160 connections'],
    run: async (bench, target) => {
      const rates: number[] = [];
      for (const qps of [16, 64, 160]) rates.push(await connections(bench, qps));
      return single(target, (await connections(bench, 10_000)) / Math.max(...rates));
    },
  },
  V9: {
    unit: 'Mmps',
    facts: [
      '64 B on ConnectX-5, 16 threads, to four hosts: the finding is about a sender; no loss is within 5 %',
    ],
    run: async (bench) => {
      const [few, many] = [await datagrams(bench, 16), await datagrams(bench, 256)];
      return conclude({ '16 QPs': figures(few), '256 QPs': figures(many) }, [
        must(many >= few * (1 - FLAT), `256 QPs have ${figures(many / few)} of the rate of 16`),
      ]);
    },
  },
  V10: {
    facts: ['collie-g: EPYC, ConnectX-6 at 200 Gb/s; 8 QPs, 64 KB'],
    run: async (bench, target) => {
      const gbps = async (ordering: 'strict' | 'relaxed') => {
        const { total } = await bench.measure('collie-g', { qps: 8, settings: { ordering } });
        return total.goodputGbps;
      };
      return single(target, (await gbps('strict')) / (await gbps('relaxed')));
    },
  },
  V11: {
    facts: ['bandwidth: 4 KB; rate: 8 B (the paper gives no sizes); 16 QPs'],
    run: async (bench, target) => {
      const read = (size: number) =>
        bench.measure('basics-25g', { opcode: 'READ', qps: 16, threads: 16, sizes: [size] });
      const [long, short] = [await read(4096), await read(8)];
      const found = { bandwidth: long.total.goodputGbps, rate: millions(short.total) };
      return conclude(
        { bandwidth: figures(found.bandwidth), rate: figures(found.rate) },
        (['bandwidth', 'rate'] as const).map((name) =>
          outside(name, found[name], paperNumber(target, name), target.tolerance!),
        ),
      );
    },
  },
  V12: {
    unit: 'us',
    facts: ['ib_write_lat with WRITE with immediate, inline up to 220 B, median'],
    run: overSizes,
  },
  V13: {
    unit: 'share, KB',
    facts: [
      'one QP per sender, 64 KB WRITEs, MTU 1024; 30 ms, of which the last third counts as settled; the greatest queue at the port of the receiver, sampled every 0.1 ms',
    ],
    run: incast,
  },
});

/** A row with a list of numbers, one run for each. */
async function each<T>(
  names: readonly string[],
  points: readonly T[],
  target: Target,
  measure: (point: T) => Promise<number>,
): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const [index, point] of points.entries()) {
    const value = await measure(point);
    const name = names[index];
    simulated[name] = figures(value);
    const paper = (target.value as readonly number[])[index];
    complaints.push(
      Number.isFinite(value)
        ? outside(`${name}:`, value, paper, target.tolerance!)
        : `${name}: nothing was measured`,
    );
  }
  return conclude(simulated, complaints);
}

/** perftest's latency, median. */
async function pingNs(
  bench: Bench,
  on: string,
  opcode: 'SEND' | 'READ' | 'WRITE',
  size: number,
  inlineBytes: number,
): Promise<number> {
  const { tenants } = await bench.measure(on, {
    ...{
      name: 'ping',
      mode: 'pingPong',
      opcode,
      sizes: [size],
      inlineBytes,
      sendQueueDepth: 1,
      ...ONE_THREAD,
    },
  });
  return tenants[0].latencyNs?.p50 ?? Number.NaN;
}

async function connections(bench: Bench, qps: number): Promise<number> {
  return millions((await bench.measure(SWITCHED, { ...MANY, qps })).total);
}

async function datagrams(bench: Bench, qps: number): Promise<number> {
  const datagram = { ...MANY, transport: 'UD', opcode: 'SEND', qps: qps / 4, threads: 4 } as const;
  const tenants = ['b', 'c', 'd', 'e'].map((to): TenantInput => ({ ...datagram, name: to, from: 'a', to }));
  const { total } = await bench.measure(SWITCHED, { tenants });
  return millions(total);
}

async function overSizes(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const [name, on] of [
    ['ConnectX-5', DIRECT],
    ['ConnectX-6', DIRECT_6],
  ] as const) {
    const us: number[] = [];
    for (const size of V12_SIZES) us.push((await pingNs(bench, on, 'WRITE', size, INLINE_BYTES)) / 1000);
    for (const [index, size] of V12_SIZES.entries())
      simulated[`${name}, ${bytes(size)}`] = figures(us[index]);
    const at = (size: (typeof V12_SIZES)[number]) => us[V12_SIZES.indexOf(size)];
    const rise = at(256) - at(28);
    complaints.push(
      must(
        us.every((value, index) => index === 0 || value >= us[index - 1] - 1e-3),
        `${name}: not monotonic`,
      ),
      must(rise <= 0.5, `${name}: from 28 B to 256 B it rises by ${figures(rise)} us`),
      must(at(256) <= 1.5 * at(2), `${name}: 256 B take ${figures(at(256) / at(2))} times as long as 2 B`),
    );
  }
  return conclude(simulated, complaints);
}

async function incast(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const hosts of V13_SENDERS) {
    let settledBytes = 0;
    const measurement: Measurement = await bench.measure(
      'basics-dcqcn',
      {
        ...{ direction: 'nToOne', to: 'a', senders: { hosts, otherHost: 1 } },
        ...{ mtu: 1024, sizes: [65536], measure: V13_MEASURE },
      },
      {
        onSlice: (testbed, { timeNs }) => {
          if (timeNs < (2 / 3) * V13_MEASURE.maxNs) return;
          for (const { kind, directions } of testbed.links())
            if (kind === 'cable')
              for (const { towards, queuedBytes = 0 } of directions)
                if (towards.startsWith('h0')) settledBytes = Math.max(settledBytes, queuedBytes);
        },
      },
    );
    const share = settledShare(measurement);
    simulated[`${hosts} senders, share of the line`] = figures(share);
    simulated[`${hosts} senders, queue, KB`] = figures(settledBytes / 1000);
    complaints.push(
      must(share > 0.97, `${hosts} senders fill ${figures(share)} of the line`),
      must(
        settledBytes < V13_QUEUE_BYTES,
        `${hosts} senders: a queue of ${figures(settledBytes / 1000)} KB once settled`,
      ),
    );
  }
  return conclude(simulated, complaints);
}

/** What the port delivered in the last third of a run, headers, preambles and gaps included, of its line rate. */
function settledShare({ series, directions, total, verdict }: Measurement): number {
  const from = (2 / 3) * series.timeNs[series.timeNs.length - 1];
  const [tenant] = Object.values(series.tenants);
  const goodput = tenant.goodputGbps.filter((_, slice) => series.timeNs[slice] > from);
  const mean = goodput.reduce((sum, gbps) => sum + gbps, 0) / goodput.length;
  const wire = directions.reduce((sum, way) => sum + way.wireGbps + (way.packetsPerSecond * 160) / 1e9, 0);
  return (mean * (wire / total.goodputGbps)) / (verdict.bounds?.lineRateGbps ?? Number.NaN);
}
