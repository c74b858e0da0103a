import type { SettingOverrides } from '../../../../workload/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, outside, single } from '../../check.js';
import { counter } from '../../readings.js';
import { type RowOutcome, type Row, type RowSpec, rowsOf } from '../../row.js';
import { hostpingTargets } from '../../targets/hostping.js';
import type { Target } from '../../targets/target.js';
import { causeRows } from './causes.js';
import { sweepRows, withoutAts } from './sweeps.js';
import { trafficRows } from './traffic.js';

const ON = 'hostping';
const LINE_GBPS = 200;

// Fig. 4: the RNIC reads a GPU and sends it. The paper gives neither sizes nor queue pairs: 8 QPs of 1 MB WRITEs keep the
// device reading; for the latency one 64 B WRITE is in flight, and the counters of its payload reads are taken, as the
// authors take NEO-Host's.
const FACTS = [
  'bandwidth: 8 QPs, 1 MB WRITEs out of the GPU; latency: mean of the payload reads with one 64 B WRITE in flight',
  "'almost the line rate' is taken as within the tolerance of 200 Gb/s goodput",
];

/** Hostping's rows of GPU reads: the GPU's place in the host of the profile. */
export const hostpingRows: readonly Row[] = rowsOf('Hostping', hostpingTargets, {
  G1: readFrom('gpu0'),
  G2: readFrom('gpu2'),
  G3: readFrom('gpu4'),
  G4: trafficRows.G4,
  G5: sweepRows.G5,
  G6: sweepRows.G6,
  G7: {
    unit: 'share',
    facts: FACTS,
    run: async (bench, target) =>
      single(target, 1 - (await goodput(bench, 'gpu4')) / (await goodput(bench, 'gpu0'))),
  },
  G8: causeRows.G8,
  G9: trafficRows.G9,
  G10: trafficRows.G10,
  G11: {
    unit: 'us, Gb/s',
    facts: FACTS,
    run: (bench, target) => read(bench, target, 'gpu0', { acs: 'redirect' }),
  },
  G12: {
    unit: 'us, Gb/s',
    facts: [...FACTS, 'that only its own row is slow: by a sweep with ATS off on rnic0'],
    run: async (bench, target) => {
      const finding = await read(bench, target, 'gpu0', { ats: 'disabled' });
      const { slow, expected } = await withoutAts(bench);
      const alone = must(slow.join() === expected.join(), `slow paths are ${slow.join(', ') || 'none'}`);
      return conclude(finding.simulated, [finding.reason ?? null, alone]);
    },
  },
  G13: sweepRows.G13,
  G14: causeRows.G14,
  G15: causeRows.G15,
  G16: causeRows.G16,
  G17: causeRows.G17,
  G18: causeRows.G18,
  G19: causeRows.G19,
  G20: trafficRows.G20,
  G21: trafficRows.G21,
  G22: sweepRows.G22,
});

function readFrom(gpu: string): RowSpec {
  return { unit: 'us, Gb/s', facts: FACTS, run: (bench, target) => read(bench, target, gpu) };
}

async function read(
  bench: Bench,
  target: Target,
  gpu: string,
  settings: SettingOverrides = {},
): Promise<RowOutcome> {
  const memory = { a: gpu, b: 'memory0' };
  const goodputGbps = await goodput(bench, gpu, settings);
  const one = await bench.measure(ON, { opcode: 'WRITE', sizes: [64], outstanding: 1, memory, settings });
  const latencyUs = counter(one, 'a', 'pcie_payload_read_ps') / counter(one, 'a', 'pcie_payload_reads') / 1e6;
  const [latency, bandwidth] = (target.value as readonly string[]).map((each) => Number.parseFloat(each));
  return conclude({ latency: figures(latencyUs), bandwidth: figures(goodputGbps) }, [
    must(Number.isFinite(latencyUs), 'the device counts no PCIe reads'),
    Number.isFinite(latencyUs) ? outside('latency', latencyUs, latency, target.tolerance!) : null,
    outside('bandwidth', goodputGbps, Number.isFinite(bandwidth) ? bandwidth : LINE_GBPS, target.tolerance!),
  ]);
}

/** What a device reads out of a GPU and sends, in Gb/s. */
async function goodput(bench: Bench, gpu: string, settings: SettingOverrides = {}): Promise<number> {
  const wide = await bench.measure(ON, {
    qps: 8,
    opcode: 'WRITE',
    sizes: [1 << 20],
    mrBytes: 1 << 20,
    sendQueueDepth: 16,
    memory: { a: gpu, b: 'memory0' },
    settings,
  });
  return wide.total.goodputGbps;
}
