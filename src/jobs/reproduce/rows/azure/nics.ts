import { parseFabric, runMixed } from '../../../fabric/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, outside } from '../../check.js';
import type { RowOutcome } from '../../row.js';
import { MS } from './fabric.js';

/** How long A7 looks. */
const LOOK_NS = 3 * MS;
/** Pauses are many from this share of the time on: Collie calls a thousandth an anomaly. */
const MANY_SHARE = 0.01;

/** Two hosts with full NICs on a switch; the second is written to, by itself too unless `sameHost` is 0. */
function loopbackFabric(sameHost: number, seed: number): string {
  return `
seed: ${seed}
topology: { kind: star, hosts: 4, host: { gbps: 200, delayNs: 1000 } }
workload: [{ kind: permutation, bytes: 100000 }]
pauses: { quanta: 65535 }
watchdog: { detectNs: 1000000, restoreNs: 1000000, pollNs: 500000 }
full:
  hosts: [0, 1]
  subsystem: collie-f
  workload:
    name: A7
    opcode: WRITE
    direction: nToOne
    to: b
    senders: { sameHost: ${sameHost}, otherHost: ${16 - sameHost}, hosts: 1 }
    mrs: 32
    mrBytes: 4194304
    sendQueueDepth: 128
    batch: 16
    sizes: [262144]
    mtu: 4096
    measure: { minNs: ${LOOK_NS}, maxNs: ${LOOK_NS} }
`;
}

/** The share of time that the receiver holds its switch, and how often watchdogs found a storm. */
async function held(sameHost: number, seed: number): Promise<{ share: number; storms: number }> {
  const job = parseFabric(loopbackFabric(sameHost, seed), 'A7', () => '');
  const { fabric, measurement } = await runMixed({ ...job, full: job.full! });
  return { share: measurement.hosts[1].pauseRatio ?? Number.NaN, storms: fabric.watchdogEvents.length };
}

/** A7: loopback and external traffic meet in one NIC. */
export async function loopback({ seed }: Bench): Promise<RowOutcome> {
  const both = await held(8, seed);
  const external = await held(0, seed);
  return conclude(
    {
      'share held': figures(both.share),
      'without loopback': figures(external.share),
      storms: both.storms,
    },
    [
      must(both.share > MANY_SHARE, 'there are few pauses'),
      must(external.share < both.share / 10, 'there are pauses without loopback'),
      must(both.storms === 0, 'the watchdog fires'),
    ],
  );
}

/** DCQCN's 40 Gb/s device, of the kind of Azure's Gen1. */
const GEN1 = 'basics-dcqcn';
/** QPs per entry of its context cache. */
const ENTRIES = 1000;
const QPS_PER_ENTRY = 16;
const BURSTS = [1, 4, 16];
/** QPs whose contexts all fit. */
const FEW_QPS = 16;

/** WRITEs of this many QPs into a Gen1 NIC, whose sender sends this many packets of one before it turns to the next. */
async function burstsInto(
  bench: Bench,
  qps: number,
  burst: number,
): Promise<{ goodputGbps: number; missShare: number }> {
  let misses = 0;
  let packets = 0;
  const { total } = await bench.measure(
    GEN1,
    {
      transport: 'RC',
      opcode: 'WRITE',
      mtu: 1024,
      qps,
      sizes: [65_536],
      batch: 1,
      sendQueueDepth: 2,
      settings: { congestionControl: 'none' },
      measure: { minNs: 2 * MS, maxNs: 2 * MS },
    },
    {
      changes: { 'device.visitPackets': burst },
      onSlice: ({ hosts }) => {
        const counters = hosts[1].context.counters();
        misses = counters['icm_cache_miss'];
        packets = counters['rx_packets_phy'];
      },
    },
  );
  return { goodputGbps: total.goodputGbps, missShare: misses / packets };
}

/** A5: packets of many QPs slow a Gen1 receiver, bursts do not. */
export async function pacedIntoGen1(bench: Bench): Promise<RowOutcome> {
  const many = ENTRIES * QPS_PER_ENTRY;
  const few = await burstsInto(bench, FEW_QPS, 1);
  const single = await burstsInto(bench, many, 1);
  const bursts = await burstsInto(bench, many, BURSTS[BURSTS.length - 1]);
  return conclude(
    {
      [`${FEW_QPS} QPs`]: figures(few.goodputGbps),
      'many QPs, single packets': figures(single.goodputGbps),
      'many QPs, bursts': figures(bursts.goodputGbps),
      'misses per packet': figures(single.missShare),
      'with bursts': figures(bursts.missShare),
    },
    [
      must(single.goodputGbps < 0.9 * few.goodputGbps, 'misses do not slow the receiver'),
      must(bursts.goodputGbps > 0.95 * few.goodputGbps, 'it does not recover with bursts'),
    ],
  );
}

/** Losses of A31: rare enough that each is recovered before the next. */
const LOSS = 2e-4;
const LOSS_NS = 40 * MS;

/** A31: what a lost packet costs a Gen1 sender: the time that is missing, by the losses that NAKs told of. */
export async function lostPacket(bench: Bench): Promise<RowOutcome> {
  const run = async (loss: number) => {
    let naks = 0;
    const { total } = await bench.measure(
      GEN1,
      {
        ...{ transport: 'RC', opcode: 'WRITE', mtu: 1024, qps: 1, sizes: [65_536], sendQueueDepth: 16 },
        settings: { congestionControl: 'none' },
        measure: { minNs: LOSS_NS, maxNs: LOSS_NS },
      },
      {
        changes: { loss },
        onSlice: ({ hosts }) => {
          naks = hosts[0].context.counters()['packet_seq_err'];
        },
      },
    );
    return { goodputGbps: total.goodputGbps, naks };
  };
  const [clean, lossy] = [await run(0), await run(LOSS)];
  const us = (LOSS_NS * (1 - lossy.goodputGbps / clean.goodputGbps)) / lossy.naks / 1000;
  return conclude({ 'us per loss': figures(us), losses: lossy.naks, 'Gb/s': figures(lossy.goodputGbps) }, [
    must(us >= 100 && us < 1000, 'not hundreds of microseconds'),
  ]);
}

/** A26: packets of many QPs miss the receiver's context cache once per burst. */
export async function contextMisses(bench: Bench): Promise<RowOutcome> {
  const found: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const burst of BURSTS) {
    const share = (await burstsInto(bench, ENTRIES * QPS_PER_ENTRY, burst)).missShare;
    found[`bursts of ${burst}`] = figures(share);
    complaints.push(outside(`bursts of ${burst}`, share, 1 / burst, 0.1));
  }
  return conclude(found, complaints);
}
