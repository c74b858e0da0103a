import type { Measurement, WorkloadInput } from '../../../../workload/index.js';
import type { Changes } from '../../../compare/index.js';
import type { Bench } from '../../bench.js';
import { because, conclude, figures, must, outside } from '../../check.js';
import { type RowOutcome, paperNumber, type Row, rowsOf } from '../../row.js';
import { srnicTargets } from '../../targets/srnic.js';
import type { Target } from '../../targets/target.js';

/** SRNIC's servers: two NICs back to back; rows change the device. */
export const ON = 'srnic';
export const MTU = 1024;

// §6.1: two NICs back to back, 16 threads a side, 512 B SENDs by perftest. Depth of the queues, and one CQ and one MR a
// thread, are our choice: the paper does not tell.
const MANY: WorkloadInput = {
  opcode: 'SEND',
  sizes: [512],
  mtu: MTU,
  threads: 16,
  sendQueueDepth: 128,
  receiveQueueDepth: 128,
  cqSharing: 'thread',
  mrScope: 'thread',
};
export const MANY_FACTS = [
  'queues of 128, one CQ and one MR a thread (the paper does not tell)',
  'each queue pair sends twice or more',
];
/** Flat is within 5 %. */
export const FLAT = 0.05;
/** The shortest run; and per connection, two SENDs at half of the line rate. */
const LEAST_NS = 500_000;
const TURNS_NS = 175;

const CONNECTX_5: Changes = { device: 'connectx-5-100g' };
/** S13: on both sides of the knee, up to the end of Figure 2a. */
const CURVE = [128, 256, 512, 1024, 16_384] as const;
const SIMILAR = 0.15;
/** S20: what eRPC (NSDI 2019) says of a ConnectX-5. */
const CHIP_BYTES = 2 * 2 ** 20;
const CONTEXT_BYTES = 375;
/** S20: steps in which the knee is looked for. */
const KNEE_STEPS = [128, 256, 512, 1024, 2048] as const;
/** S37: beyond the knee. */
const BEYOND = 1024;

/** SRNIC's rows about connections of the devices that it is compared with. */
export const srnicConnectionRows: readonly Row[] = rowsOf('SRNIC', srnicTargets, {
  S13: { unit: 'Gbps L2', facts: MANY_FACTS, run: connectx5 },
  S20: { facts: [...MANY_FACTS, 'the knee is the last step that is flat within 5 %'], run: puzzle },
  S37: {
    unit: 'Gbps L2',
    facts: [...MANY_FACTS, 'structures are made resident by ablation, at 1024 QPs'],
    run: ablations,
  },
});

/** Many connections of a device, for long enough that each has a turn or two: else a few of them stand for all. */
export function connections(bench: Bench, qps: number, changes: Changes = {}): Promise<Measurement> {
  const minNs = Math.max(LEAST_NS, qps * TURNS_NS);
  return bench.measure(ON, { ...MANY, qps, measure: { minNs, maxNs: 6 * minNs } }, { changes });
}

async function connectx5(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  const own: number[] = [];
  for (const qps of CURVE) {
    const { total: five } = await connections(bench, qps, CONNECTX_5);
    const { total: six } = await connections(bench, qps);
    own.push(five.wireGbps);
    simulated[`${qps} QPs, ConnectX-5`] = figures(five.wireGbps);
    simulated[`${qps} QPs, ConnectX-6`] = figures(six.wireGbps);
    complaints.push(outside(`${qps} QPs:`, five.wireGbps, six.wireGbps, SIMILAR));
  }
  const [first, at, past] = own;
  return conclude(simulated, [
    ...because(
      complaints,
      "ConnectX-5's cache of contexts is fitted to Storm's curve (V7), which falls later",
    ),
    must(Math.abs(at / first - 1) <= FLAT, 'the bandwidth has changed at 256 QPs'),
    must(past < at * (1 - FLAT), 'the bandwidth does not fall past 256 QPs'),
  ]);
}

async function puzzle(bench: Bench, target: Target): Promise<RowOutcome> {
  const byMemory = Math.floor(CHIP_BYTES / CONTEXT_BYTES);
  let knee: number = KNEE_STEPS[0];
  let first = 0;
  for (const qps of KNEE_STEPS) {
    const { total } = await connections(bench, qps, CONNECTX_5);
    if (first === 0) first = total.wireGbps;
    if (total.wireGbps < first * (1 - FLAT)) break;
    knee = qps;
  }
  const simulated = { 'by memory': byMemory, knee };
  return conclude(
    simulated,
    Object.entries(simulated).map(([name, value]) =>
      outside(name, value, paperNumber(target, name), target.tolerance!),
    ),
  );
}

async function ablations(bench: Bench): Promise<RowOutcome> {
  const measure = async (...ablate: string[]) =>
    (await bench.measure(ON, { ...MANY, qps: BEYOND }, { ablate })).total.wireGbps;
  const [flat, shipped] = [(await connections(bench, 128)).total.wireGbps, await measure()];
  const alone = {
    contexts: await measure('context-cache'),
    'receive WQEs': await measure('receive-wqe-cache'),
  };
  const both = await measure('context-cache', 'receive-wqe-cache');
  const most = Object.entries(alone).reduce((one, other) => (other[1] > one[1] ? other : one));
  return conclude(
    {
      '128 QPs': figures(flat),
      'as shipped': figures(shipped),
      'contexts resident': figures(alone.contexts),
      'receive WQEs resident': figures(alone['receive WQEs']),
      both: figures(both),
      'structure that makes it': most[0],
    },
    [
      must(shipped < flat * (1 - FLAT), 'there is no knee'),
      must(both >= flat * (1 - FLAT), 'the knee stays without both structures'),
      must(most[1] > shipped * (1 + FLAT) || both > shipped * (1 + FLAT), 'neither structure matters'),
    ],
  );
}
