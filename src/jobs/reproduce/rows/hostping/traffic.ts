import {
  type FaultDescription,
  findProfile,
  resolveDevice,
  type Settings,
} from '../../../../profiles/index.js';
import { pacedWrites, ring } from '../../../../services/index.js';
import { openTestbed } from '../../../../testbeds/index.js';
import { resolveWorkload, runWorkload } from '../../../../workload/index.js';
import { affinities, healthyTwin, Prober } from '../../../ping/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, outside } from '../../check.js';
import { counter } from '../../readings.js';
import type { RowOutcome, RowSpec } from '../../row.js';
import type { Target } from '../../targets/target.js';
import { DEVICE, PROBES } from './sweeps.js';

const { fabric } = findProfile('subsystem', 'hostping');
/** More than DMA may fill of the last-level cache, so that memory channels are used. */
const REGION_BYTES = 64 * 2 ** 20;
const WINDOW_NS = 400_000;
/** DCQCN comes back from its first reaction in milliseconds. */
const MARKED_WINDOW_NS = 4e6;

/** A place of Fig. 3 at the receiver that is slow, and where the traffic goes that meets it. */
interface SlowPlace {
  readonly title: string;
  readonly fault: FaultDescription;
  readonly memory: string;
}

const PLACES: readonly SlowPlace[] = [
  { title: 'RNIC link', fault: { at: 'h1/rnic0-up', lanes: 4 }, memory: 'memory0' },
  { title: 'GPU link', fault: { at: 'h1/gpu0-up', lanes: 4 }, memory: 'gpu0' },
  { title: 'root port', fault: { at: 'h1/switch0-up', rate: 0.4 }, memory: 'memory0' },
  { title: 'memory', fault: { at: 'h1/memory0-up', rate: 0.06 }, memory: 'memory0' },
  { title: 'UPI', fault: { at: 'h1/socket0-socket1', rate: 0.2 }, memory: 'memory1' },
  { title: 'contention', fault: { at: 'h1/switch0-up', load: 0.9 }, memory: 'memory0' },
];

const PORT_GBPS = resolveDevice(findProfile('device', DEVICE)).portGbps;
const SERVICE_SHARE = 0.6;
const SERVICE_BYTES = 2 ** 16;
const RING_HOSTS = 8;
/** Long enough for the ring on a quarter of its rate. */
const RING_TIMEOUT_NS = 50e6;
const RING_FACTS = [
  'three all-reduces of 8 MiB round a ring of eight servers, out of and into the GPU next to an RNIC of each; what each sends in the last two',
  'the paper gives neither sizes nor how much of the link is left; adding up takes no time',
];

/** Hostping's rows with traffic between hosts. */
export const trafficRows: Readonly<Record<string, RowSpec>> = {
  G4: {
    facts: [...RING_FACTS, 'one link of an RNIC trained with 4 of its 16 lanes'],
    run: (bench, target) => ringRow(bench, target, [{ at: 'h3/rnic0-up', lanes: 4 }]),
  },
  G9: { facts: RING_FACTS, run: (bench, target) => ringRow(bench, target, []) },
  G10: {
    unit: 'share of the healthy rate; share of time paused',
    facts: [
      '8 QPs of 1 MB WRITEs from one server to another; the paper gives neither sizes nor severities',
      'each place of the receiver in turn: x4 links, root port at 40 %, memory at 6 %, UPI at 20 %, 90 % of the root port taken',
    ],
    run: async (bench) => {
      const shares: Record<string, string> = {};
      const complaints: (string | null)[] = [];
      for (const { title, fault, memory } of PLACES) {
        const healthy = await inbound(bench, memory, []);
        const slow = await inbound(bench, memory, [fault]);
        const share = slow.gbps / healthy.gbps;
        shares[title] = `${figures(share)}, ${figures(slow.paused)}`;
        complaints.push(
          must(share < 0.8, `${title}: ${figures(share)} of the rate is left`),
          must(slow.paused > 0.001, `${title}: paused for ${figures(slow.paused)} of the time`),
        );
      }
      return conclude(shares, complaints);
    },
  },
  G21: {
    unit: 'share of time paused, Gb/s',
    facts: [
      'traffic of G10 with DCQCN at the sender; at each of its places in turn the receiver marks, or does not',
      'marks above XON of the receive buffer: the paper gives neither threshold nor figures',
    ],
    run: async (bench) => {
      const shares: Record<string, string> = {};
      const complaints: (string | null)[] = [];
      const settings = { congestionControl: 'dcqcn' } as const;
      for (const { title, fault, memory } of PLACES) {
        const without = await inbound(bench, memory, [fault], settings, MARKED_WINDOW_NS);
        const marking = { ...settings, receiverEcn: 'enabled' } as const;
        const marked = await inbound(bench, memory, [fault], marking, MARKED_WINDOW_NS);
        shares[title] =
          `${figures(without.paused)}, ${figures(without.gbps)}; marked: ${figures(marked.paused)}, ${figures(marked.gbps)}`;
        complaints.push(
          must(marked.paused < without.paused, `${title}: paused for ${figures(marked.paused)} all the same`),
        );
      }
      return conclude(shares, complaints);
    },
  },
  G20: {
    unit: 'Gb/s; share of a second; ms',
    facts: [
      'WRITEs of 64 KB from another server at 60 % of the port; what they fall behind in an affinitive sweep without spacing',
    ],
    run: async (bench) => {
      const { gbps, lost, sweepMs } = await serviceLost(bench);
      return conclude({ service: figures(gbps), lost: figures(lost), sweep: figures(sweepMs) }, [
        must(
          gbps > 0.95 * SERVICE_SHARE * PORT_GBPS,
          `the service has ${figures(gbps)} Gb/s without a sweep`,
        ),
        must(lost <= 0.01, `the service loses ${figures(lost)} of a second`),
      ]);
    },
  },
};

/** What an affinitive sweep costs service traffic into the swept server, as a share of what that carries in a second. */
async function serviceLost({ seed }: Bench): Promise<{ gbps: number; lost: number; sweepMs: number }> {
  const world = { hosts: [{ host: 'hostping', device: DEVICE, count: 2 }], fabric };
  const testbed = await openTestbed({ world, seed });
  try {
    const [swept, client] = testbed.hosts;
    const { plan, baseline } = await healthyTwin({ host: 'hostping', device: DEVICE, seed }, PROBES);
    const affine = affinities(plan, baseline);
    const contextOf = (rnic: string) => swept.devices.find(({ name }) => name === rnic)!.context;
    const prober = new Prober(plan, contextOf, PROBES);
    const gbps = SERVICE_SHARE * PORT_GBPS;
    const service = pacedWrites(client.context, contextOf('rnic0'), { gbps, messageBytes: SERVICE_BYTES });
    const { clock } = client.context;
    const bytesIn = async (during: () => Promise<unknown>) => {
      const [startNs, startBytes] = [clock.nowNs, service.doneBytes];
      await during();
      return { bytes: service.doneBytes - startBytes, ns: clock.nowNs - startNs };
    };
    await clock.sleep(WINDOW_NS);
    const alone = await bytesIn(() => clock.sleep(4 * WINDOW_NS));
    const beside = await bytesIn(() => prober.sweep((path) => affine[path]));
    service.stop();
    const rate = alone.bytes / alone.ns;
    const lost = (rate * beside.ns - beside.bytes) / (rate * 1e9);
    return { gbps: 8 * rate, lost, sweepMs: beside.ns / 1e6 };
  } finally {
    await testbed.close();
  }
}

/** All hosts at the paper's rate, and as fast as each other within 5 %. */
async function ringRow(
  { seed }: Bench,
  target: Target,
  faults: readonly FaultDescription[],
): Promise<RowOutcome> {
  const world = { hosts: [{ host: 'hostping', device: DEVICE, count: RING_HOSTS }], fabric, faults };
  const testbed = await openTestbed({ world, seed });
  try {
    const contexts = testbed.hosts.map(({ context }) => context);
    const options = { rounds: 3, bufferBytes: 2 ** 23, placement: 'gpu0', timeoutNs: RING_TIMEOUT_NS };
    const rates = await ring(contexts, options);
    const [least, most] = [Math.min(...rates), Math.max(...rates)];
    return conclude({ least: figures(least), most: figures(most) }, [
      outside('the least', least, target.value as number, target.tolerance!),
      outside('the most', most, target.value as number, target.tolerance!),
      must(least > 0.95 * most, 'the hosts are not equally fast'),
    ]);
  } finally {
    await testbed.close();
  }
}

/** What a server receives in a place of its memory, and the share of time that it pauses the sender. */
async function inbound(
  { seed }: Bench,
  memory: string,
  faults: readonly FaultDescription[],
  settings: Partial<Settings> = {},
  windowNs = WINDOW_NS,
): Promise<{ gbps: number; paused: number }> {
  const world = { hosts: [{ host: 'hostping', device: DEVICE, count: 2, settings }], fabric, faults };
  const testbed = await openTestbed({ world, seed });
  try {
    const workload = resolveWorkload({
      ...{ from: 'h0/rnic0', to: 'h1/rnic0', memory: { h0: 'memory0', h1: memory } },
      ...{ qps: 8, opcode: 'WRITE', sizes: [2 ** 20], mrBytes: REGION_BYTES, sendQueueDepth: 16 },
      measure: { minNs: windowNs, maxNs: windowNs, sliceNs: windowNs / 20 },
    });
    const measured = await runWorkload(workload, testbed);
    const pausedUs = counter(measured, 'h1', 'tx_prio0_pause_duration');
    return {
      gbps: measured.total.goodputGbps,
      paused: (1000 * pausedUs) / measured.steadyState.measuredNs,
    };
  } finally {
    await testbed.close();
  }
}
