import type { Bench } from '../../bench.js';
import { conclude, figures, must, outside } from '../../check.js';
import { counter, rate } from '../../readings.js';
import { type RowOutcome, paperNumber, type Row, rowsOf } from '../../row.js';
import { srnicTargets } from '../../targets/srnic.js';
import type { Target } from '../../targets/target.js';
import { connections, FLAT, MANY_FACTS } from './connections.js';

/** S2: queue pairs on both sides of the knee. */
const AROUND_KNEE = [128, 256, 512, 1024, 2048] as const;
/** SRNIC's rows for ConnectX-6. */
export const srnicRows: readonly Row[] = rowsOf('SRNIC', srnicTargets, {
  S1: { facts: MANY_FACTS, run: manyConnections },
  S2: { unit: 'Gbps L2', facts: MANY_FACTS, run: knee },
});

async function manyConnections(bench: Bench, target: Target): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const qps of [128, 16384]) {
    const { total } = await connections(bench, qps);
    simulated[qps] = figures(total.wireGbps);
    complaints.push(
      outside(`${qps} QPs:`, total.wireGbps, paperNumber(target, String(qps)), target.tolerance!),
    );
  }
  return conclude(simulated, complaints);
}

async function knee(bench: Bench): Promise<RowOutcome> {
  const simulated: Record<string, number> = {};
  const points: { gbps: number; misses: number; extraBytes: number }[] = [];
  for (const qps of AROUND_KNEE) {
    const measurement = await connections(bench, qps);
    const { messagesPerSecond, wireGbps } = measurement.total;
    const messages = (messagesPerSecond * measurement.steadyState.measuredNs) / 1e9;
    // Both NICs: what they read from the host beyond the payload, and the contexts that were not on chip.
    const read =
      counter(measurement, 'a', 'pcie_inbound_bytes') + counter(measurement, 'b', 'pcie_inbound_bytes');
    const misses =
      (rate(measurement, 'a', 'icm_cache_miss') + rate(measurement, 'b', 'icm_cache_miss')) / 1e6;
    points.push({ gbps: wireGbps, misses, extraBytes: read / messages - 512 });
    simulated[`${qps} QPs`] = figures(wireGbps);
    simulated[`${qps} QPs, M ICM misses/s`] = figures(misses);
    simulated[`${qps} QPs, extra PCIe B a message`] = figures(read / messages - 512);
  }
  const [first, at, ...past] = points;
  return conclude(simulated, [
    must(Math.abs(at.gbps / first.gbps - 1) <= FLAT, 'the bandwidth has changed at 256 QPs'),
    must(
      past.every((point, index) => point.gbps < [at, ...past][index].gbps * (1 + FLAT)) &&
        past[past.length - 1].gbps < at.gbps * (1 - FLAT),
      'the bandwidth does not fall past 256 QPs',
    ),
    must(past[0].misses > at.misses, 'ICM misses do not rise past 256 QPs'),
    must(past[0].extraBytes > at.extraBytes, 'extra PCIe bytes do not rise past 256 QPs'),
  ]);
}
