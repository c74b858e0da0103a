import type { Measurement, TenantInput } from '../../../workload/index.js';
import type { Bench } from '../bench.js';
import { conclude, figures, must, single } from '../check.js';
import { millions, tenant } from '../readings.js';
import { type RowOutcome, type Row, type RowSpec, rowsOf } from '../row.js';
import { perfTargets } from '../targets/perf.js';
import type { Target } from '../targets/target.js';

/** The subsystem of the paper. */
export const ON = 'perf';

// §5.1: applications of perftest, one QP and one core each, WRITE. MTU 4096 is our reading: the goodput of §2.3.1
// (97.94 Gb/s) is above what a smaller one allows. Queue depth 128 is perftest's default; 8 of 1 MB keep a port busy.
/** The bandwidth application, */
export const B: TenantInput = {
  name: 'B',
  opcode: 'WRITE',
  sizes: [1 << 20],
  mrBytes: 1 << 20,
  sendQueueDepth: 8,
};
/** the one of many short messages, */
export const M: TenantInput = { name: 'M', opcode: 'WRITE', sizes: [16], batch: 32, sendQueueDepth: 128 };
/** and the one that wants low delay. */
export const D: TenantInput = { name: 'D', opcode: 'WRITE', sizes: [16], outstanding: 1 };
/** What was chosen where the paper is silent. */
export const PERF_FACTS = [
  'MTU 4096, send queues of 128 (1 MB messages: 8); perftest defaults where the paper is silent',
];

/** Flat is within 5 %. */
const FLAT = 0.05;

/** P3: sizes of the sixth message. */
const SIXTH = [1024, 2048, 4096] as const;
/** P4: MTUs and background messages, 64 B to 1 GB. */
const MTUS = [1024, 2048, 4096] as const;
const BACKGROUND = [64, 256, 1024, 2048, 4096, 16384, 1 << 20, 1 << 30] as const;
/** P7: queue pairs of the greedy application. */
const GREEDY = [1, 2, 4, 8] as const;

/** PeRF's rows that need no isolation scheme. */
export const perfRows: readonly Row[] = rowsOf('PeRF', perfTargets, {
  P1: { facts: PERF_FACTS, run: async (bench, target) => single(target, millions(await messages(bench, 1))) },
  P2: { facts: PERF_FACTS, run: async (bench, target) => single(target, millions(await messages(bench, 9))) },
  P3: { unit: 'Mmps', facts: [...PERF_FACTS, 'the five send 16 B, all in batches of 32'], run: roundRobin },
  P4: {
    unit: 'Mmps, us',
    facts: [
      ...PERF_FACTS,
      'rate of M and mean latency of D, each beside the background in batches of up to 8',
    ],
    run: beside,
  },
  P5: { facts: PERF_FACTS, run: (bench, target) => throughputOfB(bench, target, M) },
  P6: { facts: PERF_FACTS, run: (bench, target) => throughputOfB(bench, target, D) },
  P7: { unit: 'share', facts: [...PERF_FACTS, "'about' is taken as ±10 %"], run: shares },
} satisfies Record<string, RowSpec>);

async function messages(bench: Bench, qps: number): Promise<Measurement['total']> {
  return (await bench.measure(ON, { tenants: [{ ...M, qps }] })).total;
}

async function throughputOfB(bench: Bench, target: Target, other: TenantInput): Promise<RowOutcome> {
  const measurement = await bench.measure(ON, { tenants: [B, other] });
  return single(target, tenant(measurement, 'B').goodputGbps);
}

async function roundRobin(bench: Bench): Promise<RowOutcome> {
  const small = [1, 2, 3, 4, 5].map((index): TenantInput => ({ ...M, name: `small${index}` }));
  const alone = await bench.measure(ON, { tenants: small });
  const means: Record<string, number> = { 'five alone': mean(alone.tenants.map(millions)) };
  const complaints: (string | null)[] = [];
  for (const size of SIXTH) {
    const sixth: TenantInput = { ...M, name: 'sixth', sizes: [size] };
    const { tenants } = await bench.measure(ON, { tenants: [...small, sixth] });
    const rates = tenants.map(millions);
    const spread = Math.max(...rates) / Math.min(...rates) - 1;
    complaints.push(must(spread <= FLAT, `beside ${size} B the rates differ by ${figures(spread * 100)} %`));
    means[`beside ${size} B`] = mean(rates);
  }
  const values = Object.values(means);
  complaints.push(
    must(
      values.every((value, index) => index === 0 || value < values[index - 1]),
      'the rate does not fall as the sixth message grows',
    ),
  );
  return conclude(rounded(means), complaints);
}

async function beside(bench: Bench): Promise<RowOutcome> {
  const complaints: (string | null)[] = [];
  const simulated: Record<string, number> = {};
  const last: { rate: number; latency: number }[] = [];
  for (const mtu of MTUS) {
    const points: { size: number; rate: number; latency: number }[] = [];
    for (const size of BACKGROUND) {
      const depth = size > 1 << 20 ? 2 : size > 1 << 16 ? 16 : 128;
      const background: TenantInput = {
        ...B,
        mtu,
        name: 'background',
        sizes: [size],
        mrBytes: size,
        sendQueueDepth: depth,
        batch: Math.min(8, depth / 2),
      };
      const both = await bench.measure(ON, { tenants: [{ ...M, mtu }, background] });
      const slow = await bench.measure(ON, { tenants: [{ ...D, mtu }, background] });
      const latency = (tenant(slow, 'D').latencyNs?.mean ?? Number.NaN) / 1000;
      points.push({ size, rate: millions(tenant(both, 'M')), latency });
    }
    const knee = points.find(({ size }) => size === mtu)!;
    const below = points.filter(({ size }) => size <= mtu);
    const beyond = points.filter(({ size }) => size >= mtu);
    const worsens = below.every(
      (point, index) =>
        index === 0 ||
        (point.rate <= below[index - 1].rate * (1 + FLAT) &&
          point.latency >= below[index - 1].latency * (1 - FLAT)),
    );
    complaints.push(
      must(
        worsens && knee.rate < points[0].rate && knee.latency > points[0].latency,
        `MTU ${mtu}: rate or latency does not worsen up to the MTU`,
      ),
    );
    for (const key of ['rate', 'latency'] as const) {
      const apart = Math.max(...beyond.map((point) => Math.abs(point[key] / knee[key] - 1)));
      complaints.push(
        must(
          apart <= FLAT,
          `MTU ${mtu}: ${key} beyond the MTU is ${figures(apart * 100)} % from that at the MTU`,
        ),
      );
    }
    simulated[`MTU ${mtu} beside 64 B, Mmps`] = points[0].rate;
    simulated[`MTU ${mtu} beside its MTU, Mmps`] = knee.rate;
    simulated[`MTU ${mtu} beside 64 B, us`] = points[0].latency;
    simulated[`MTU ${mtu} beside its MTU, us`] = knee.latency;
    last.push(knee);
  }
  complaints.push(
    must(
      last.every(
        (knee, index) =>
          index === 0 || (knee.rate < last[index - 1].rate && knee.latency > last[index - 1].latency),
      ),
      'a larger MTU is not worse',
    ),
  );
  return conclude(rounded(simulated), complaints);
}

async function shares(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const qps of GREEDY) {
    const measurement = await bench.measure(ON, { tenants: [B, { ...B, name: 'greedy', qps }] });
    const share = tenant(measurement, 'B').goodputGbps / measurement.total.goodputGbps;
    simulated[`n = ${qps}`] = share;
    complaints.push(
      must(
        Math.abs(share * (qps + 1) - 1) <= 0.1,
        `n = ${qps}: share ${figures(share)} is not about ${figures(1 / (qps + 1))}`,
      ),
    );
  }
  return conclude(rounded(simulated), complaints);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Figures as they are printed. */
export function rounded(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, figures(value)]));
}
