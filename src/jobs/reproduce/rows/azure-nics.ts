import { parseFabric, runMixed } from '../../fabric/index.js';
import type { Bench } from '../bench.js';
import { conclude, figures, must, outside } from '../check.js';
import type { Finding } from '../row.js';
import { MS } from './azure-fabric.js';

/** How long A7 looks. */
const LOOK_NS = 3 * MS;
/** From so much of the time on pauses are many: Collie calls a thousandth an anomaly. */
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
export async function loopback({ seed }: Bench): Promise<Finding> {
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

/** QPs per entry of the context cache, of `dcqcn-40g`. */
const ENTRIES = 1000;
const QPS_PER_ENTRY = 16;
const BURSTS = [1, 4, 16];

/** A26: packets of many QPs miss the receiver's context cache once per burst. */
export async function contextMisses(bench: Bench): Promise<Finding> {
  const found: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const burst of BURSTS) {
    let misses = 0;
    let packets = 0;
    await bench.measure(
      'basics-dcqcn',
      {
        transport: 'RC',
        opcode: 'WRITE',
        mtu: 1024,
        qps: ENTRIES * QPS_PER_ENTRY,
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
    const share = misses / packets;
    found[`bursts of ${burst}`] = figures(share);
    complaints.push(outside(`bursts of ${burst}`, share, 1 / burst, 0.1));
  }
  return conclude(found, complaints);
}
