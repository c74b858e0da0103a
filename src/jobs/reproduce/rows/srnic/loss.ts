import type { Measurement, WorkloadInput } from '../../../../workload/index.js';
import type { Changes } from '../../../compare/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, outside, several, single } from '../../check.js';
import { counter, host } from '../../readings.js';
import { type RowOutcome, paperNumber, type Row, rowsOf } from '../../row.js';
import { srnicTargets } from '../../targets/srnic.js';
import type { Target } from '../../targets/target.js';
import { connections, FLAT, MANY_FACTS, MTU, ON } from './connections.js';
import { IRN, MELO, SRNIC, srnicConstants } from './device.js';
import { bytesAQueuePair, ledger } from './ledger.js';

// §6.3: perftest sends 4 KB messages, an FPGA between the NICs drops packets at random, no congestion control. One queue
// pair, and losses on the way of the data alone, are our reading.
const MESSAGES: WorkloadInput = { opcode: 'WRITE', sizes: [4096], mtu: MTU };
const LOSS_FACTS = [
  'one QP of 4 KB WRITEs, packets lost at random on their way to the receiver (the paper tells neither)',
];
/** As Figure 11 has them, by their names on the board. */
const LOSSES = { '0.01 %': 0.0001, '0.03 %': 0.0003, '0.1 %': 0.001, '0.3 %': 0.003, '1 %': 0.01 } as const;

/** Data-centre loss is below this (§3); at it few packets come out of order. */
const RARE = LOSSES['0.01 %'];
const MANY_LOSS = LOSSES['0.1 %'];
/** S36: what many connections keep. */
const KEPT = 0.9;

/** SRNIC's rows about loss: go-back-N, IRN and SRNIC. */
export const srnicLossRows: readonly Row[] = rowsOf('SRNIC', srnicTargets, {
  S6: {
    facts: [...LOSS_FACTS, 'payload'],
    run: async (bench, target) =>
      several(target, {
        SRNIC: (await lossy(bench, LOSSES['1 %'], SRNIC)).total.goodputGbps,
        'ConnectX-6': (await lossy(bench, LOSSES['1 %'])).total.goodputGbps,
      }),
  },
  S8: {
    unit: 'share',
    facts: [
      ...LOSS_FACTS,
      "events of the slow path over all else that the receiver's NIC writes to its host",
    ],
    run: async (bench, target) => single(target, slowPathShare(await lossy(bench, LOSSES['1 %'], SRNIC))),
  },
  S26: {
    unit: 'ratio',
    facts: [...LOSS_FACTS, 'payload', 'SRNIC keeps 95 % of its loss-free rate up to 0.1 %'],
    run: sideBySide,
  },
  S29: { facts: [...LOSS_FACTS, 'events of the responder over data packets'], run: outOfOrder },
  S36: {
    unit: 'share',
    facts: [...MANY_FACTS, 'losses on the way of the data'],
    run: manyInRecovery,
  },
  S35: {
    unit: 'B, Gbps',
    facts: [...LOSS_FACTS, 'state from the ledgers of both devices, over that of ConnectX-6'],
    encoded:
      'the bytes of a queue pair are a constant of the device, from the paper; the goodput is measured',
    run: sharedBits,
  },
  S7: { unit: 'Gbps', facts: [...LOSS_FACTS, 'near 97 is within 10 %'], run: fallsFast },
  S27: { facts: [...LOSS_FACTS, 'payload'], run: shape },
  S28: {
    facts: LOSS_FACTS,
    run: async (bench, target) => single(target, sentGbps(await lossy(bench, LOSSES['1 %']))),
  },
});

/** Long enough for a dozen losses at the lowest rate. */
const SHORT_NS = 10_000_000;
/** Long enough for a hundred: what happens after each of them is counted. */
const LONG_NS = 100_000_000;

/** The messages of a device whose packets are lost. */
function lossy(bench: Bench, loss: number, device: Changes = {}, minNs = SHORT_NS): Promise<Measurement> {
  const measure = { minNs, maxNs: 3 * minNs };
  return bench.measure(ON, { ...MESSAGES, measure }, { changes: { ...device, loss } });
}

/** What the sender's port carried. */
function sentGbps(measurement: Measurement): number {
  return host(measurement, 'a').port?.txGbps ?? Number.NaN;
}

async function fallsFast(bench: Bench): Promise<RowOutcome> {
  const clean = (await lossy(bench, 0)).total.goodputGbps;
  const before = await lossy(bench, LOSSES['0.01 %']);
  const at = await lossy(bench, LOSSES['0.1 %']);
  const past = await lossy(bench, LOSSES['1 %']);
  const wire = Math.min(...[before, at, past].map(sentGbps));
  return conclude(
    {
      'no loss': figures(clean),
      '0.01 %': figures(before.total.goodputGbps),
      '0.1 %': figures(at.total.goodputGbps),
      '1 %': figures(past.total.goodputGbps),
      'least wire rate': figures(wire),
    },
    [
      must(before.total.goodputGbps >= clean * (1 - FLAT), 'it has fallen at 0.01 %'),
      must(past.total.goodputGbps <= at.total.goodputGbps / 2, 'it does not fall fast past 0.1 %'),
      must(wire >= 97 * 0.9, `the wire carries ${figures(wire)} Gb/s`),
    ],
  );
}

async function shape(bench: Bench, target: Target): Promise<RowOutcome> {
  const found: Record<string, number> = {};
  for (const [name, loss] of Object.entries(LOSSES))
    found[name] = (await lossy(bench, loss)).total.goodputGbps;
  return several(target, found);
}

async function sideBySide(bench: Bench, target: Target): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  let ratio = 0;
  const clean = (await lossy(bench, 0, SRNIC)).total.goodputGbps;
  for (const [name, loss] of Object.entries(LOSSES)) {
    const [goBackN, irn, srnic] = [
      (await lossy(bench, loss)).total.goodputGbps,
      (await lossy(bench, loss, IRN)).total.goodputGbps,
      (await lossy(bench, loss, SRNIC)).total.goodputGbps,
    ];
    simulated[`${name}, go-back-N`] = figures(goBackN);
    simulated[`${name}, IRN`] = figures(irn);
    simulated[`${name}, SRNIC`] = figures(srnic);
    complaints.push(
      must(irn >= goBackN, `IRN is below go-back-N at ${name}`),
      must(srnic >= goBackN, `SRNIC is below go-back-N at ${name}`),
      must(loss > MANY_LOSS || srnic >= clean * (1 - FLAT), `SRNIC has fallen at ${name}`),
    );
    ratio = srnic / goBackN;
  }
  simulated['SRNIC over go-back-N at 1 %'] = figures(ratio);
  return conclude(simulated, [
    ...complaints,
    outside('the ratio', ratio, paperNumber(target), target.tolerance!),
  ]);
}

/** An event of the slow path on PCIe, over everything else that the receiver's NIC writes. */
function slowPathShare(measurement: Measurement): number {
  const { slowPathEventBytes, pcieTlpOverheadBytes } = srnicConstants();
  const extra = counter(measurement, 'b', 'slow_path_events') * (slowPathEventBytes + pcieTlpOverheadBytes);
  return extra / (counter(measurement, 'b', 'pcie_outbound_bytes') - extra);
}

async function outOfOrder(bench: Bench, target: Target): Promise<RowOutcome> {
  const rare = await lossy(bench, RARE, SRNIC, LONG_NS);
  const packets = (rare.total.packetsPerSecond * rare.steadyState.measuredNs) / 1e9;
  return several(target, {
    'out of order': counter(rare, 'b', 'slow_path_events') / packets,
    'extra PCIe': slowPathShare(await lossy(bench, LOSSES['1 %'], SRNIC)),
  });
}

/** S35: bytes that MELO adds to a queue pair. */
const STATE_BYTES = 23;

async function sharedBits(bench: Bench): Promise<RowOutcome> {
  const added = (await bytesAQueuePair(MELO)) - (await bytesAQueuePair({}));
  const bitmaps = (await bytesAQueuePair(IRN)) - (await bytesAQueuePair({}));
  const melo = (await lossy(bench, LOSSES['1 %'], MELO)).total.goodputGbps;
  const goBackN = (await lossy(bench, LOSSES['1 %'])).total.goodputGbps;
  return conclude(
    {
      'MELO, B a QP': figures(added),
      'IRN, B a QP': figures(bitmaps),
      'MELO, Gb/s': figures(melo),
      'go-back-N, Gb/s': figures(goBackN),
    },
    [
      must(added === STATE_BYTES, `a queue pair takes ${figures(added)} B more`),
      must(melo > goBackN * (1 + FLAT), 'the goodput is not higher'),
    ],
  );
}

async function manyInRecovery(bench: Bench): Promise<RowOutcome> {
  const clean = (await connections(bench, 10_000, SRNIC)).total.wireGbps;
  const lost = (await connections(bench, 10_000, { ...SRNIC, loss: MANY_LOSS })).total.wireGbps;
  const kept = lost / clean;
  const [one, many] = [await ledger(SRNIC, 1), await ledger(SRNIC, 10_000)];
  const added = many['chipBytes']! - one['chipBytes']!;
  return conclude(
    {
      'no loss, Gb/s': figures(clean),
      '0.1 %, Gb/s': figures(lost),
      kept: figures(kept),
      'B on chip for bitmaps': many['chip: bitmaps'] ?? 0,
      'MB in the host for bitmaps': figures(many['host: bitmaps']! / 2 ** 20),
    },
    [
      must(kept >= KEPT, `${figures(kept)} of the bandwidth is left`),
      must(added === 0, `10,000 queue pairs take ${figures(added)} B more of the chip`),
    ],
  );
}
