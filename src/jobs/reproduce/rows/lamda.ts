import type { TenantInput } from '../../../workload/index.js';
import type { Bench } from '../bench.js';
import { conclude, figures, must, single } from '../check.js';
import { rate, tenant } from '../readings.js';
import { type RowOutcome, type Row, rowsOf } from '../row.js';
import { lamdaTargets } from '../targets/lamda.js';
import type { Target } from '../targets/target.js';

// §2.1: ConnectX-5, 100 Gb/s, PCIe 3.0 x16. Of the machines in the profiles Collie's B is one of these.
const ON = 'collie-b';
const PCIE_GBPS = 128;

/** L2: sizes of the loopback messages, and the largest payload of a TLP on that server. */
const LOOPBACK_SIZES = [64, 128, 192, 256, 512, 1024, 4096, 16384, 65536] as const;
const TLP_BYTES = 256;
/** Level is within 10 %: the figure is drawn, not tabled. */
const LEVEL = 0.1;
// One QP each way, as §2.1.2 has it; that the loopback posts in batches of 16 is our choice, it must outrun its core.
const LOOPBACK: TenantInput = {
  name: 'loopback',
  direction: 'loopback',
  from: 'b',
  opcode: 'WRITE',
  batch: 16,
  sendQueueDepth: 256,
};
const REMOTE: TenantInput = { name: 'remote', opcode: 'WRITE', sizes: [8192], batch: 8, sendQueueDepth: 128 };

// §2.1.3: what shares a NIC queue. Both flows leave one NIC here; queue pairs and depths are our choice, and the 8 KB
// answers are left out.
const ELEPHANTS: TenantInput = {
  name: 'elephants',
  opcode: 'SEND',
  sizes: [131072],
  mrBytes: 131072,
  sendQueueDepth: 16,
  qps: 8,
};
const MICE: TenantInput = {
  name: 'mice',
  opcode: 'SEND',
  sizes: [128],
  outstanding: 1,
};
/** L4: elephants on both sides of the 32 processing units that Lamda counts. */
const ELEPHANT_QPS = [8, 16, 32, 48, 64] as const;

/** Lamda's rows that need no engine of its own. */
export const lamdaRows: readonly Row[] = rowsOf('Lamda', lamdaTargets, {
  L2: {
    unit: 'pause frames/ms',
    facts: [
      'collie-b; one QP of loopback in batches of 16, one QP of 8 KB WRITEs from the peer; PCIe use counts payload',
      'the loopback has 256 messages in flight: its acknowledgements wait behind what arrives, so that fewer hold it back',
    ],
    run: loopback,
  },
  L3: {
    unit: 'ratio',
    facts: ['collie-b; 8 elephant QPs and one mouse in flight leave one NIC; mean latency; answers left out'],
    run: queues,
  },
  L4: {
    unit: 'us',
    facts: [
      'collie-b; elephants and mice leave one NIC, so that they share its processing units; mean latency',
    ],
    run: units,
  },
});

async function loopback(bench: Bench): Promise<RowOutcome> {
  const points: { size: number; frames: number; use: number }[] = [];
  for (const size of LOOPBACK_SIZES) {
    const measurement = await bench.measure(ON, { tenants: [REMOTE, { ...LOOPBACK, sizes: [size] }] });
    points.push({
      size,
      frames: rate(measurement, 'b', 'tx_pause_ctrl_phy') / 1000,
      use: measurement.total.goodputGbps / PCIE_GBPS,
    });
  }
  const small = points.filter(({ size }) => size < TLP_BYTES);
  const [beforeLast, last] = points.slice(-2);
  const simulated = Object.fromEntries(
    points.flatMap(({ size, frames, use }) => [
      [`${size} B`, figures(frames)],
      [`${size} B, PCIe use`, figures(use)],
    ]),
  );
  return conclude(simulated, [
    must(
      small.every(({ frames }) => frames > 0),
      'no pause frames below 256 B',
    ),
    must(
      small.every(({ use }) => use < 0.8),
      'PCIe use below 256 B is not under 80 %',
    ),
    must(last.frames > small[0].frames, 'pauses do not rise with the size'),
    must(Math.abs(last.frames / beforeLast.frames - 1) <= LEVEL, 'pauses are not level at the largest sizes'),
  ]);
}

async function queues(bench: Bench, target: Target): Promise<RowOutcome> {
  const one = await latencyUs(bench, [ELEPHANTS, MICE]);
  const separate = await latencyUs(bench, [ELEPHANTS, { ...MICE, serviceLevel: 1 }]);
  return single(target, one / separate);
}

async function units(bench: Bench): Promise<RowOutcome> {
  const latencies: number[] = [];
  for (const qps of ELEPHANT_QPS) latencies.push(await latencyUs(bench, [{ ...ELEPHANTS, qps }, MICE]));
  const simulated = Object.fromEntries(
    ELEPHANT_QPS.map((qps, index) => [`${qps} QPs`, figures(latencies[index])]),
  );
  const [few, , atUnits, , many] = latencies;
  return conclude(simulated, [
    must(many > atUnits * 1.05, 'the latency does not rise beyond 32 elephants'),
    must(
      many - atUnits > atUnits - few,
      'the latency rises as much before the elephants exceed the PUs as after',
    ),
  ]);
}

async function latencyUs(bench: Bench, tenants: TenantInput[]): Promise<number> {
  return (tenant(await bench.measure(ON, { tenants }), 'mice').latencyNs?.mean ?? Number.NaN) / 1000;
}
