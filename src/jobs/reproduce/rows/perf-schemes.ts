import {
  justitia,
  justitiaRelaxed,
  type PerfSettings,
  perf,
  perfWith,
  type Scheme,
} from '../../../schemes/index.js';
import type { Measurement, TenantInput, WorkloadInput } from '../../../workload/index.js';
import type { Bench } from '../bench.js';
import { conclude, figures, must, outside, single } from '../check.js';
import { millions, tenant } from '../readings.js';
import { type RowOutcome, type Row, type RowSpec, rowsOf } from '../row.js';
import { perfTargets } from '../targets/perf.js';
import type { Target } from '../targets/target.js';
import { B, D, M, ON, PERF_FACTS, rounded } from './perf.js';

/** The bandwidth application begins when the other is already known, as it would be in a run of seconds. */
const LATER_NS = 100_000;
/** PeRF looks at queues every 5 ms: an application of many short messages is known for one after the first look. */
const CLASSIFIED_NS = 5_200_000;
/** Time that the applications run together. */
const TOGETHER_NS = 700_000;
/** P19: how often the rate of M is looked at, and how many of the last looks count. */
const SHORT_SLICE_NS = 10_000;
const STEADY_SLICES = 50;
/** P15: by then nothing is left of the tokens that B began with. */
const DRAINED_NS = 4_000_000;
/** 'about': half, give or take 15 %. */
const ABOUT = 0.15;
/** A latency of the papers is met within a quarter (as P10). */
const LATENCY_TOLERANCE = 0.25;

/** DCQCN, and a switch that marks: without marks there is nothing for it to act on. */
const DCQCN = { congestionControl: 'dcqcn', ecn: 'enabled' } as WorkloadInput['settings'];
/** P20: one bandwidth application starts this long after the other, and this long the three run. */
const APART_NS = 2_000_000;
const CONGESTED_NS = 16_000_000;

const FACTS = [
  ...PERF_FACTS,
  'the bandwidth application starts 0.1 ms after the other, so that the scheme knows both',
];

/** P12: queue pairs of the message application. */
const MANY = [2, 8] as const;
/** P13: bandwidth applications of 8 queue pairs. */
const CROWD = [1, 4, 40] as const;
/** P18: rates of the two bandwidth applications. */
const SPLITS = [
  [10, 90],
  [30, 70],
  [50, 50],
] as const;

/** PeRF's rows that need an isolation scheme. */
export const perfSchemeRows: readonly Row[] = rowsOf('PeRF', perfTargets, {
  P8: { facts: FACTS, run: (bench, target) => gainOfM(bench, target, 'SEND') },
  P9: { facts: FACTS, run: (bench, target) => gainOfM(bench, target, 'READ') },
  P10: { facts: FACTS, run: latencyOfD },
  P11: { unit: 'Gbps', facts: FACTS, run: lossOfB },
  P12: {
    facts: [
      ...FACTS,
      `M has ${MANY.join(', ')} queue pairs and runs for 5.2 ms before B: it is classified then`,
    ],
    run: manyQueuePairs,
  },
  P13: {
    facts: [
      ...FACTS,
      `${CROWD.join(', ')} B applications, not 1,000: a thousand tenants of 8 queue pairs take minutes; M runs first`,
    ],
    run: crowd,
  },
  P14: { unit: 'Gbps', facts: [...FACTS, "'about' is taken as ±15 %"], run: halfOfB },
  P15: {
    facts: [
      ...FACTS,
      'the last quarter of 4 ms: before, the device still drains the tokens of 1 MB that B had at first',
    ],
    run: relaxed,
  },
  P16: { unit: 'share', facts: [...FACTS, "'about' is taken as ±15 %"], run: halves },
  P17: { facts: [...FACTS, 'throughput of B beside D, the best case of the paper'], run: bestCase },
  P18: {
    unit: 'us',
    facts: [
      ...FACTS,
      `token buckets of ${SPLITS.map((split) => split.join('/')).join(', ')} Gb/s; 'up to 70 %' is taken as the best of them, ±25 %`,
    ],
    run: weights,
  },
  P19: {
    unit: 'Mmps, Gbps',
    facts: [...FACTS, 'oscillation is the coefficient of variation of the rate of M in slices of 10 us'],
    run: parameters,
  },
  P20: {
    unit: 'Gbps, us',
    facts: [
      'DCQCN with marking (ECN) in the switch; one switch, three hosts that send to a fourth: its link is the bottleneck that the link between racks is',
      "D goes from the first host to a fifth: this device's DCQCN has one rate a destination, which D would share",
      'started 2 ms apart, not 20 s; equal within 25 %; the latency of D while the first B is alone, and beside all three',
    ],
    run: congested,
  },
} satisfies Record<string, RowSpec>);

/** Runs applications together under a scheme, B ones last. */
function together(
  bench: Bench,
  tenants: readonly TenantInput[],
  scheme?: Scheme,
  startNs = LATER_NS,
  sliceNs?: number,
): Promise<Measurement> {
  const placed = tenants.map((each) => (each.name?.startsWith('B') ? { ...each, startNs } : each));
  return bench.measure(
    ON,
    {
      tenants: placed,
      measure: { maxNs: startNs + TOGETHER_NS, ...(sliceNs === undefined ? {} : { sliceNs }) },
    },
    scheme === undefined ? {} : { scheme },
  );
}

async function gainOfM(bench: Bench, target: Target, opcode: 'SEND' | 'READ'): Promise<RowOutcome> {
  const pair = [
    { ...B, opcode },
    { ...M, opcode },
  ];
  const native = millions(tenant(await together(bench, pair), 'M'));
  const isolated = millions(tenant(await together(bench, pair, perf), 'M'));
  return single(target, isolated / native);
}

function meanUs(measurement: Measurement, name: string): number {
  return (tenant(measurement, name).latencyNs?.mean ?? Number.NaN) / 1000;
}

async function latencyOfD(bench: Bench, target: Target): Promise<RowOutcome> {
  const pair: TenantInput[] = [
    { ...B, opcode: 'SEND' },
    { ...D, opcode: 'SEND' },
  ];
  const native = meanUs(await together(bench, pair), 'D');
  const isolated = meanUs(await together(bench, pair, perf), 'D');
  return single(target, isolated / native);
}

async function besideD(bench: Bench, scheme?: Scheme): Promise<number> {
  return tenant(await together(bench, [B, D], scheme), 'B').goodputGbps;
}

async function lossOfB(bench: Bench): Promise<RowOutcome> {
  const native = await besideD(bench);
  const isolated = await besideD(bench, perf);
  const loss = 1 - isolated / native;
  return conclude(rounded({ native, PeRF: isolated }), [
    must(loss <= 0.05, `B loses ${figures(loss * 100)} %`),
  ]);
}

async function manyQueuePairs(bench: Bench, target: Target): Promise<RowOutcome> {
  const [gbps, mmps] = target.value as number[];
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const qps of MANY) {
    const measurement = await together(bench, [B, { ...M, qps }], perf, CLASSIFIED_NS);
    const rates = [tenant(measurement, 'B').goodputGbps, millions(tenant(measurement, 'M'))];
    simulated[`${qps} QPs: B, Gbps`] = rates[0];
    simulated[`${qps} QPs: M, Mmps`] = rates[1];
    complaints.push(outside(`B beside ${qps} QPs`, rates[0], gbps, target.tolerance!));
    complaints.push(outside(`M with ${qps} QPs`, rates[1], mmps, target.tolerance!));
  }
  return conclude(rounded(simulated), complaints);
}

async function crowd(bench: Bench, target: Target): Promise<RowOutcome> {
  const [mmps, gbps] = target.value as number[];
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const count of CROWD) {
    const many = Array.from({ length: count }, (_, index) => ({
      ...B,
      name: `B${index}`,
      qps: 8,
      threads: 1,
    }));
    const measurement = await together(bench, [M, ...many], perf);
    const rate = millions(tenant(measurement, 'M'));
    const total = measurement.total.goodputGbps - tenant(measurement, 'M').goodputGbps;
    simulated[`${count}: M, Mmps`] = rate;
    simulated[`${count}: B, Gbps`] = total;
    complaints.push(
      outside(`M beside ${count}`, rate, mmps, target.tolerance!),
      outside(`B of ${count}`, total, gbps, target.tolerance!),
    );
  }
  return conclude(rounded(simulated), complaints);
}

async function halfOfB(bench: Bench): Promise<RowOutcome> {
  const native = await besideD(bench);
  const paced = await besideD(bench, justitia);
  const share = paced / native;
  return conclude(rounded({ native, Justitia: paced }), [
    must(Math.abs(share - 0.5) <= ABOUT * 0.5, `B keeps ${figures(share * 100)} %`),
  ]);
}

async function relaxed(bench: Bench, target: Target): Promise<RowOutcome> {
  const { series } = await bench.measure(
    ON,
    { tenants: [D, { ...B, startNs: LATER_NS }], measure: { maxNs: DRAINED_NS, sliceNs: DRAINED_NS / 200 } },
    { scheme: justitiaRelaxed },
  );
  const last = series.tenants['B'].goodputGbps.slice(-50);
  return single(target, last.reduce((sum, gbps) => sum + gbps, 0) / last.length);
}

async function halves(bench: Bench): Promise<RowOutcome> {
  const alone = {
    B: (await bench.measure(ON, { tenants: [B] })).total.goodputGbps,
    M: (await bench.measure(ON, { tenants: [M] })).total.messagesPerSecond,
  };
  // Tokens are of 80 us each: a whole number of rounds of both.
  const measurement = await bench.measure(
    ON,
    { tenants: [M, B], measure: { minNs: 2_400_000, maxNs: 3_200_000 } },
    { scheme: justitia },
  );
  const shares = {
    B: tenant(measurement, 'B').goodputGbps / alone.B,
    M: tenant(measurement, 'M').messagesPerSecond / alone.M,
  };
  return conclude(
    rounded(shares),
    Object.entries(shares).map(([name, share]) =>
      must(Math.abs(share - 0.5) <= ABOUT * 0.5, `${name} keeps ${figures(share * 100)} %`),
    ),
  );
}

async function bestCase(bench: Bench, target: Target): Promise<RowOutcome> {
  return single(target, (await besideD(bench, perf)) / (await besideD(bench, justitia)));
}

async function weights(bench: Bench, target: Target): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  let best = 0;
  for (const [first, second] of SPLITS) {
    const targetGbps = { B1: first, B2: second };
    const run = (settings: Partial<PerfSettings>) =>
      together(bench, [D, { ...B, name: 'B1' }, { ...B, name: 'B2' }], perfWith({ targetGbps, ...settings }));
    const native = meanUs(await run({ isolation: 'never' }), 'D');
    const isolated = meanUs(await run({}), 'D');
    simulated[`${first}/${second} native`] = native;
    simulated[`${first}/${second} PeRF`] = isolated;
    best = Math.max(best, 1 - isolated / native);
    complaints.push(must(isolated < native, `${first}/${second}: the latency of D does not fall`));
  }
  const paper = 0.7;
  complaints.push(
    must(
      Math.abs(best / paper - 1) <= LATENCY_TOLERANCE,
      `the latency of D falls by ${figures(best * 100)} % at best (${target.trend})`,
    ),
  );
  return conclude(rounded(simulated), complaints);
}

async function parameters(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const units: { M: number; B: number }[] = [];
  for (const waitUnitBytes of [512, 1024, 2048]) {
    const measurement = await together(bench, [B, M], perfWith({ waitUnitBytes }));
    const rates = { M: millions(tenant(measurement, 'M')), B: tenant(measurement, 'B').goodputGbps };
    units.push(rates);
    simulated[`unit ${waitUnitBytes}: M, Mmps`] = rates.M;
    simulated[`unit ${waitUnitBytes}: B, Gbps`] = rates.B;
  }
  const spreads: number[] = [];
  for (const subMessageBytes of [16_384, 65_536, 262_144]) {
    const { series } = await together(bench, [B, M], perfWith({ subMessageBytes }), LATER_NS, SHORT_SLICE_NS);
    const spread = variation(series.tenants['M'].goodputGbps.slice(-STEADY_SLICES));
    spreads.push(spread);
    simulated[`sub-message ${subMessageBytes}: variation of M`] = spread;
  }
  return conclude(rounded(simulated), [
    must(units[0].M > units[1].M && units[1].M > units[2].M, 'a smaller unit does not give M more'),
    must(units[0].B < units[1].B && units[1].B < units[2].B, 'a smaller unit does not give B less'),
    must(
      spreads[0] < spreads[1] && spreads[1] < spreads[2],
      'a larger sub-message does not make M oscillate more',
    ),
  ]);
}

async function congested(bench: Bench): Promise<RowOutcome> {
  const senders = ['a', 'b', 'c'].map(
    (from, index): TenantInput => ({
      ...B,
      name: `B${index}`,
      from,
      to: 'd',
      startNs: LATER_NS + index * APART_NS,
    }),
  );
  const run = (maxNs: number, scheme?: Scheme) =>
    bench.measure(
      ON,
      { tenants: [{ ...D, to: 'e' }, ...senders], settings: DCQCN, measure: { maxNs, sliceNs: maxNs / 80 } },
      scheme === undefined ? {} : { scheme },
    );
  const native = meanUs(await run(APART_NS), 'D');
  const isolated = meanUs(await run(APART_NS, perf), 'D');
  const together = await run(CONGESTED_NS, perf);
  const shares = senders.map(({ name }) => tenant(together, name!).goodputGbps);
  const spread = Math.max(...shares) / Math.min(...shares) - 1;
  const beside = meanUs(together, 'D');
  return conclude(
    rounded({
      'B, Gbps': shares[0],
      'second B, Gbps': shares[1],
      'third B, Gbps': shares[2],
      'D native, us': native,
      'D with PeRF, us': isolated,
      'D with PeRF beside three, us': beside,
    }),
    [
      must(spread <= 0.25, `the shares differ by ${figures(spread * 100)} %`),
      must(Math.max(isolated, beside) < native, 'the latency of D is no lower with PeRF'),
    ],
  );
}

/** Standard deviation over mean. */
function variation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return Math.sqrt(square) / mean;
}
