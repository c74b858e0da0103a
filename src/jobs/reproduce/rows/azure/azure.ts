import { AZURE_LISTING, notifyNsOf, PUBLISHED_DCQCN, reactionOf } from '../../../../models/fabric/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, outside, single } from '../../check.js';
import { type RowOutcome, type Row, rowsOf } from '../../row.js';
import { azureTargets } from '../../targets/azure.js';
import type { Target } from '../../targets/target.js';
import { appendixA, chassis, headroomPool, pausePoints } from './buffers.js';
import {
  azureFabric,
  azureNic,
  DENSE,
  flow,
  goodputs,
  laboratory,
  MS,
  markingOf,
  meanOfMaxima,
  p99Us,
  portTo,
  rack,
  SPARSE,
  streams,
  WRITE_BYTES,
} from './fabric.js';
import { mixedGenerations, notifications } from './generations.js';
import { congestionLeaking } from './leak.js';
import { contextMisses, loopback, lostPacket, pacedIntoGen1 } from './nics.js';
import { slowReceiver, storm, watchdog } from './pauses.js';

/** Hosts of the laboratory: the receiver, one in its rack, one across the regional hub. */
const RECEIVER = 0;
const NEAR = 1;
const FAR = 31;
const FOREVER = 1e12;

const LABORATORY =
  'the region of the laboratory with light NICs: MTU 1024, DCQCN as published without its byte counter, Gen1 notifications, the buffers of appendix A';

/** Azure's rows that are about the fabric. */
export const azureRows: readonly Row[] = rowsOf('Azure', azureTargets, {
  A1: { facts: [LABORATORY, 'goodput from 40 to 200 ms'], run: nearAndFar },
  A2: {
    facts: [LABORATORY, 'the mean of the maxima of 10 ms, looked at every 10 us, from 40 to 200 ms'],
    run: congestedQueue,
  },
  A4: {
    unit: 'Gbps',
    facts: [
      'four senders into one 40 Gb/s host of a rack, 10 MB each: in the steady state, where marks are few, it is 1 %; CNP and cut windows of 50 us, 4 us when fixed; slowed is by a tenth or more',
    ],
    run: mixedGenerations,
  },
  A5: {
    unit: 'Gbps',
    facts: [
      "two hosts with DCQCN's 40 Gb/s device, which is of the kind of Gen1; 16,000 QPs, WRITEs of 64 KiB at MTU 1024; single packets and bursts of 16 are what the sender's scheduler sends of a QP in one visit; slowed is by a tenth or more",
    ],
    run: pacedIntoGen1,
  },
  A6: {
    unit: 'Gbps',
    facts: [
      'a rack of 40 Gb/s hosts; one NIC sends to three, which 0, 1 and 7 others send to; its packets wait for their pace in one line, or each flow by itself; Gen2 with the fix; goodput from 40 to 120 ms; near is within a quarter',
    ],
    run: congestionLeaking,
  },
  A7: {
    facts: [
      "two full NICs (collie-f, the load of Collie's #13) on a switch with light ones, 3 ms; a watchdog that looks for 1 ms, where SONiC's looks for 200: what it does not find, SONiC's does not",
    ],
    run: loopback,
  },
  A8: {
    unit: 'switch ports held',
    facts: ["two leaves and a spine at 40 Gb/s; host 0 storms for 1 s; SONiC's default watchdog"],
    run: storm,
  },
  A9: {
    facts: ['60 senders, 1 MiB each into one 40 Gb/s host, in chunks of 64 KiB or at once; sparse marking'],
    run: chunks,
  },
  A10: {
    unit: 'bytes',
    facts: [
      'one lossless, one lossy queue driven until they pause or lose; all 64 lossless queues in their headroom',
    ],
    run: appendixA,
  },
  A13: {
    unit: 'us',
    facts: ['a packet and its acknowledgement on an idle fabric'],
    encoded: 'the latencies of chassis and NICs are chosen so that the round trips are what was measured',
    run: baseRtt,
  },
  A14: {
    unit: 'Gbps',
    facts: [LABORATORY, 'one flow with a window of so many messages of 64 KiB'],
    run: inFlight,
  },
  A15: { unit: 'bytes', facts: ['64 ports; 1,248 bytes kept for each lossless queue'], run: pausePoints },
  A16: { facts: ['64 lossless queues in the headroom one by one, in cells of 208 bytes'], run: headroomPool },
  A17: {
    unit: 'GB',
    facts: ["two classes per port, bytes on the cable there and back; SONiC's xoff beside it"],
    run: chassis,
  },
  A18: {
    unit: 'us',
    facts: ['48 senders, 500 KB each into one 40 Gb/s host of a rack, three rounds 2 ms apart'],
    run: marking,
  },
  A19: {
    unit: 'ms',
    facts: [
      "two leaves and a spine at 40 Gb/s; SONiC's default watchdog; two connections to the host that storms, a chunk of 64 KiB in flight on each, as Azure's backend sends, and again after 67 ms; another pair shares their spine; then two senders that do not wait, 8 MB each",
    ],
    run: watchdog,
  },
  A20: {
    facts: [
      "host 0 holds its link for 1 of every 2 ms, or all the time, for 1.5 s; SONiC's default watchdog",
    ],
    run: slowReceiver,
  },
  A21: {
    unit: 'Gbps',
    facts: [LABORATORY, 'two flows across the hub into one host, 40 to 160 ms'],
    run: farFlows,
  },
  A22: {
    facts: ['12 hosts at 100 Gb/s, each to one at 40 Gb/s of its own; alpha 1/8 and 1'],
    run: pauseBeforeMark,
  },
  A23: {
    facts: [
      'incast of 16 into one host; hosts that take pauses for corrupt frames, and hosts that read them',
    ],
    run: macsec,
  },
  A24: { facts: [LABORATORY, 'the load of A1; goodput from 40 to 200 ms'], run: sameGeneration },
  A25: { facts: ['the load of A4'], run: notifications },
  A26: {
    facts: [
      "two hosts with DCQCN's 40 Gb/s device, whose cache has 1,000 contexts; 16,000 QPs, WRITEs of 64 KiB at MTU 1024; bursts are the packets of a QP that the sender's scheduler sends in one visit; misses are the receiver's",
    ],
    run: contextMisses,
  },
  A30: {
    unit: 'us',
    facts: [
      'frontend: 64 KiB messages between pairs that share their ports with an incast of 24 backend hosts',
    ],
    run: classes,
  },
  A31: {
    unit: 'us',
    facts: [
      "two hosts with DCQCN's 40 Gb/s device, one QP, WRITEs of 64 KiB at MTU 1024, two packets in ten thousand lost for 40 ms; the time that is missing, divided by the losses",
    ],
    encoded: "how long Gen1's firmware handles a NAK is the paper's own figure",
    run: lostPacket,
  },
});

async function nearAndFar({ seed }: Bench, target: Target): Promise<RowOutcome> {
  const fabric = azureFabric(laboratory, [flow(NEAR, RECEIVER, FOREVER), flow(FAR, RECEIVER, FOREVER)], seed);
  const [near, far] = goodputs(fabric, 40 * MS, 200 * MS);
  const { value, tolerance = 0 } = target;
  return conclude({ near: figures(near), far: figures(far) }, [
    outside('near', near, value as number, tolerance),
    outside('far', far, value as number, tolerance),
  ]);
}

async function congestedQueue({ seed }: Bench, target: Target): Promise<RowOutcome> {
  const fabric = azureFabric(laboratory, [flow(NEAR, RECEIVER, FOREVER), flow(FAR, RECEIVER, FOREVER)], seed);
  fabric.run(40 * MS);
  const mean = meanOfMaxima(fabric, portTo(fabric, RECEIVER), 40 * MS, 200 * MS, 10 * MS, 10_000);
  return single(target, mean / 1e6);
}

async function sameGeneration({ seed }: Bench, target: Target): Promise<RowOutcome> {
  const [one, two] = (['gen1', 'gen2'] as const).map((generation) => {
    const flows = [flow(NEAR, RECEIVER, FOREVER), flow(FAR, RECEIVER, FOREVER)];
    const fabric = azureFabric(laboratory, flows, seed, {
      nic: { ...azureNic, notifyNs: notifyNsOf(generation) },
      control: reactionOf(PUBLISHED_DCQCN, generation),
    });
    return goodputs(fabric, 40 * MS, 200 * MS).reduce((sum, each) => sum + each, 0);
  });
  return single(target, two / one);
}

async function chunks({ seed }: Bench): Promise<RowOutcome> {
  const senders = Array.from({ length: 60 }, (_, index) => index + 1);
  const topology = rack(61);
  const run = (flows: ReturnType<typeof streams>) => {
    const fabric = azureFabric(topology, flows, seed);
    fabric.run(1e9);
    return { pauses: fabric.totals.pauseFrames, tail: Math.max(...fabric.flows.endNs) / 1000 };
  };
  const chunked = run(
    streams(
      senders.map((source) => [source, 0] as const),
      WRITE_BYTES,
      16,
    ),
  );
  const at = run(senders.map((source) => flow(source, 0, 16 * WRITE_BYTES)));
  return conclude(
    {
      'pauses, chunks': chunked.pauses,
      'pauses, at once': at.pauses,
      'tail us, chunks': figures(chunked.tail),
      'tail us, at once': figures(at.tail),
    },
    [
      must(chunked.pauses < at.pauses, 'pauses do not fall'),
      must(
        chunked.tail < at.tail,
        'the tail does not fall: with one receiver the last byte arrives when its link has carried all of them',
      ),
    ],
  );
}

async function baseRtt({ seed }: Bench): Promise<RowOutcome> {
  const alone = (source: number) => {
    const fabric = azureFabric(laboratory, [flow(source, RECEIVER, 64)], seed);
    fabric.run(1e9);
    return fabric.flows.endNs[0] / 1000;
  };
  const [across, inside] = [alone(FAR), alone(NEAR)];
  return conclude({ 'across RH': figures(across), 'in a rack': figures(inside) }, [
    outside('across RH', across, 1770, 0.1),
    outside('in a rack', inside, 2, 0.3),
  ]);
}

async function inFlight({ seed }: Bench): Promise<RowOutcome> {
  const run = (count: number) => {
    const flows = [{ ...flow(FAR, RECEIVER, FOREVER), windowBytes: count * WRITE_BYTES }];
    const control = { ...PUBLISHED_DCQCN, window: 'fixed' } as const;
    const fabric = azureFabric(laboratory, flows, seed, { marking: new Map(), control });
    const rates = goodputs(fabric, 20 * MS, 50 * MS);
    return rates.reduce((sum, each) => sum + each, 0);
  };
  const [half, all] = [run(80), run(160)];
  return conclude({ '80': figures(half), '160': figures(all) }, [
    outside('80 in flight', half, 23.7, 0.05),
    must(all > 0.9 * 37, '160 in flight do not fill the link'),
  ]);
}

async function marking({ seed }: Bench): Promise<RowOutcome> {
  const senders = Array.from({ length: 48 }, (_, index) => index + 1);
  const topology = rack(49);
  const flows = [0, 1, 2].flatMap((round) =>
    senders.map((source) => flow(source, 0, 500_000, round * 2 * MS)),
  );
  const run = (thresholds: typeof SPARSE | null, factor = 1) => {
    const scaled = {
      ...AZURE_LISTING,
      bufferBytes: AZURE_LISTING.bufferBytes * factor,
      ingressPoolBytes: AZURE_LISTING.ingressPoolBytes * factor,
      headroomPoolBytes: AZURE_LISTING.headroomPoolBytes * factor,
      egressLossyPoolBytes: AZURE_LISTING.egressLossyPoolBytes * factor,
    };
    const fabric = azureFabric(topology, flows, seed, {
      marking: thresholds === null ? new Map() : markingOf(topology, thresholds),
      buffer: { kind: 'sonic', ...scaled },
    });
    fabric.run(1e9);
    return { p99: p99Us(fabric, [...flows.keys()]), pauses: fabric.totals.pauseFrames };
  };
  const [plain, dense, sparse, small, large] = [
    run(null),
    run(DENSE),
    run(SPARSE),
    run(SPARSE, 0.5),
    run(SPARSE, 2),
  ];
  return conclude(
    {
      'p99 PFC only': figures(plain.p99),
      'p99 dense': figures(dense.p99),
      'p99 sparse': figures(sparse.p99),
      'pauses PFC only': plain.pauses,
      'pauses dense': dense.pauses,
      'pauses sparse': sparse.pauses,
      'pauses, half of the buffer': small.pauses,
      'pauses, twice': large.pauses,
    },
    [
      must(
        sparse.p99 < plain.p99,
        'sparse marking is not faster than PFC alone: one receiver is the only bottleneck here, and pauses keep it busy',
      ),
      must(plain.p99 < dense.p99, 'dense marking is not the slowest'),
      must(plain.pauses >= sparse.pauses && plain.pauses > dense.pauses, 'PFC alone does not pause most'),
      must(
        small.pauses >= sparse.pauses && sparse.pauses >= large.pauses,
        'a smaller buffer does not pause more often: its pauses are longer',
      ),
    ],
  );
}

async function farFlows({ seed }: Bench): Promise<RowOutcome> {
  const run = (thresholds: typeof SPARSE) => {
    const flows = [flow(FAR, RECEIVER, FOREVER), flow(FAR - 1, RECEIVER, FOREVER)];
    const fabric = azureFabric(laboratory, flows, seed, { marking: markingOf(laboratory, thresholds) });
    return goodputs(fabric, 40 * MS, 160 * MS).reduce((sum, each) => sum + each, 0);
  };
  const [sparse, dense] = [run(SPARSE), run(DENSE)];
  return conclude({ sparse: figures(sparse), dense: figures(dense) }, [
    must(sparse > dense, 'dense marking is not slower'),
  ]);
}

async function pauseBeforeMark({ seed }: Bench): Promise<RowOutcome> {
  const count = 12;
  const topology = {
    ...rack(2 * count),
    links: rack(2 * count).links.map((link) => (link.from < count ? { ...link, rateBps: 100e9 } : link)),
  };
  const flows = Array.from({ length: count }, (_, index) => flow(index, count + index, 20_000_000));
  const first = (alpha: number) => {
    const buffer = {
      kind: 'sonic',
      ...AZURE_LISTING,
      lossless: { ...AZURE_LISTING.lossless, alpha },
    } as const;
    const fabric = azureFabric(topology, flows, seed, { buffer });
    for (let nowNs = 1000; nowNs < 5 * MS; nowNs += 1000) {
      fabric.run(nowNs);
      const { marks, pauseFrames } = fabric.totals;
      if (marks > 0 || pauseFrames > 0) return pauseFrames > 0 ? 'pause' : 'mark';
    }
    return 'nothing';
  };
  const [low, high] = [first(1 / 8), first(1)];
  return conclude({ 'alpha 1/8': low, 'alpha 1': high }, [
    must(low === 'pause', 'the first pause does not come before the first mark'),
    must(high === 'mark', 'the order does not turn with a larger alpha'),
  ]);
}

async function macsec({ seed }: Bench): Promise<RowOutcome> {
  const senders = Array.from({ length: 16 }, (_, index) => index + 1);
  const run = (deafNodes: readonly number[]) => {
    const flows = senders.map((source) => flow(source, 0, 4_000_000));
    const fabric = azureFabric(rack(17), flows, seed, { marking: new Map(), deafNodes });
    fabric.run(1e9);
    const { corruptPauses, drops } = fabric.totals;
    return { corruptPauses, drops, obeyed: fabric.pauseLog.count };
  };
  const [mismatch, equal] = [run(senders), run([])];
  return conclude(
    {
      corrupt: mismatch.corruptPauses,
      obeyed: mismatch.obeyed,
      drops: mismatch.drops,
      'drops with equal modes': equal.drops,
    },
    [
      must(mismatch.corruptPauses > 0 && mismatch.obeyed === 0, 'pauses are obeyed'),
      must(mismatch.drops > 0, 'nothing is lost'),
      must(equal.drops === 0 && equal.corruptPauses === 0 && equal.obeyed > 0, 'equal modes lose'),
    ],
  );
}

async function classes({ seed }: Bench): Promise<RowOutcome> {
  const backend = Array.from({ length: 24 }, (_, index) => index + 1);
  const pairs = backend.slice(0, 8).map((source, index) => [source, 25 + index] as const);
  const run = (backendClass: number) => {
    const front = streams(pairs, WRITE_BYTES, 20);
    const back = backend.map((source) => flow(source, 0, 2_000_000, 0, backendClass));
    const fabric = azureFabric(rack(33), [...front, ...back], seed, { marking: new Map() });
    fabric.run(1e9);
    let pauses = 0;
    for (let index = 0; index < fabric.pauseLog.count; index++)
      if (fabric.pauseLog.pauses[index] !== 0 && fabric.pauseLog.trafficClass[index] === 3) pauses++;
    return { p99: p99Us(fabric, [...front.keys()]), pauses };
  };
  const [one, two] = [run(3), run(4)];
  return conclude(
    {
      'p99, one class': figures(one.p99),
      'p99, two classes': figures(two.p99),
      'pauses, one class': one.pauses,
      'pauses, two classes': two.pauses,
    },
    [
      must(two.p99 < one.p99, "the frontend's p99 does not fall"),
      must(two.pauses < one.pauses, 'its pauses do not fall'),
    ],
  );
}
